// Options of any one sampler, as a value.
//
//   SampleOptions options{.sampler = "rwm", .kernel = RwmOptions{.scale = 0.5}};
//   set_field(options.kernel, "scale", "0.5");        // the same by name, as a command line does
#pragma once
#include <any>

#include "infer/core/fields.hpp"

namespace credo::infer {

class KernelOptions {
 public:
  KernelOptions() = default;  // empty: the sampler's defaults
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

// Rows that an option can name, and the options of each: what an option such as `mover` may be.
struct RowTable {
  std::string_view what;                     // a row's word in messages: "mover"
  std::vector<std::string_view> (*names)();  // that can be chosen
  KernelOptions (*options)(
      std::string_view);  // throws Error(usage) for a name that can't be chosen, with the reason
  // Options of rows that have no effect here, and why.
  std::span<const std::string_view> unused = {};
  std::string_view why_unused = {};

  bool is_used(std::string_view field) const {
    return std::find(unused.begin(), unused.end(), field) == unused.end();
  }
};

// A choice with options: a row of a table by its name, and the options of that row.
class ChosenRow {
 public:
  ChosenRow() = default;  // empty: the algorithm chooses a row, with default options
  ChosenRow(std::string row) : name(std::move(row)) {}  // NOLINT: implicit
  ChosenRow(const char* row) : name(row) {}             // NOLINT: implicit
  ChosenRow(std::string row, KernelOptions own) : name(std::move(row)), options(std::move(own)) {}

  std::string name;
  KernelOptions options;  // empty: the defaults of the row

  bool is_named() const { return !name.empty(); }
  // The options, or the defaults of the row. Throws Error(usage) where the row can't be chosen.
  KernelOptions options_in(const RowTable& table) const {
    return options.empty() && is_named() ? table.options(name) : options;
  }
};

// Sets one field from text. A field of a chosen row has a path as its name: "mover.max_tree_depth". Throws Error(usage)
// if the field doesn't exist, with the nearest name, if the text isn't of the field's kind, or its value is out of
// range. `owner` is whose fields they are.
void set_field(KernelOptions& options, std::string_view name, std::string_view text,
               std::string_view owner = "the sampler");
void set_field(const std::function<void(FieldVisitor&)>& visit, std::string_view name,
               std::string_view text, std::string_view owner = "the sampler");
template <Described Options>
void set_field(Options& options, std::string_view name, std::string_view text) {
  set_field([&](FieldVisitor& visitor) { visit_fields(options, visitor); }, name, text);
}

// A visitor that sets each field that it visits from the same text, as set_field does.
std::unique_ptr<FieldVisitor> setter_from(std::string_view text);

// Throws Error(usage) for an option of a row that has no effect here (RowTable::unused) and isn't its default.
void require_used(const FieldSpec& spec, std::string_view row, const KernelOptions& options);

// "did you mean max_tree_depth? It has: ...": the way out for a name that isn't among these.
std::string hint_for_name(std::string_view name, std::span<const std::string> names);

// Names and help of the fields, with the values they have. The fields of a chosen row follow it.
struct FieldValue {
  FieldSpec spec;
  std::string value, name;  // the name is a path: "mover.max_tree_depth"
};
std::vector<FieldValue> fields_of(KernelOptions options);
std::vector<FieldValue> fields_of(const std::function<void(FieldVisitor&)>& visit);
template <Described Options>
std::vector<FieldValue> fields_of(Options options) {
  return fields_of([&](FieldVisitor& visitor) { visit_fields(options, visitor); });
}

}  // namespace credo::infer
