// Options of one sampler, whichever it is: a value.
//
//   SampleOptions options{.sampler = "rwm", .kernel = RwmOptions{.scale = 0.5}};
//   set_field(options.kernel, "scale", "0.5");        // the same by name, as a command line does
#pragma once
#include <any>

#include "infer/core/fields.hpp"

namespace credo::infer {

class KernelOptions {
 public:
  KernelOptions() = default;  // none: the sampler's defaults
  template <Described Options>
  KernelOptions(Options options)  // NOLINT: implicit
      : value_(std::move(options)), visit_(&visit_as<Options>) {}

  bool empty() const { return !value_.has_value(); }
  // The options, or nothing if they are another sampler's.
  template <Described Options>
  const Options* as() const {
    return std::any_cast<Options>(&value_);
  }
  void visit(FieldVisitor& visitor) {
    if (visit_) visit_(value_, visitor);
  }

 private:
  template <Described Options>
  static void visit_as(std::any& value, FieldVisitor& visitor) {
    visit_fields(*std::any_cast<Options>(&value), visitor);
  }

  std::any value_;
  void (*visit_)(std::any&, FieldVisitor&) = nullptr;
};

// Sets one field from text. Throws Error(usage) where there is no such field, the text isn't of the
// field's kind, or its value is out of range.
void set_field(KernelOptions& options, std::string_view name, std::string_view text);
void set_field(const std::function<void(FieldVisitor&)>& visit, std::string_view name,
               std::string_view text);
template <Described Options>
void set_field(Options& options, std::string_view name, std::string_view text) {
  set_field([&](FieldVisitor& visitor) { visit_fields(options, visitor); }, name, text);
}

// Names and help of the fields, with the values they have.
struct FieldValue {
  FieldSpec spec;
  std::string value;
};
std::vector<FieldValue> fields_of(KernelOptions options);
std::vector<FieldValue> fields_of(const std::function<void(FieldVisitor&)>& visit);
template <Described Options>
std::vector<FieldValue> fields_of(Options options) {
  return fields_of([&](FieldVisitor& visitor) { visit_fields(options, visitor); });
}

}  // namespace credo::infer
