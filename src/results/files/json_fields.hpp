// Described options (infer/core/fields.hpp) as members of a JSON object, and objects that are read member by
// member: what run specifications and schemes are written with.
#pragma once
#include "infer/core/kernel_options.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"

namespace credo::results {

// Writes each field as a member and a line, except the names to skip. Whole numbers that a double
// doesn't hold are strings.
void write_fields(io::JsonWriter& json, const std::function<void(infer::FieldVisitor&)>& visit,
                  std::span<const std::string_view> skipped = {});
void write_fields(io::JsonWriter& json, infer::KernelOptions options);
template <infer::Described S>
void write_fields(io::JsonWriter& json, S described,
                  std::span<const std::string_view> skipped = {}) {
  write_fields(
      json, [&](infer::FieldVisitor& visitor) { infer::visit_fields(described, visitor); },
      skipped);
}

// A number, a text or a flag as the text that a field is set from. Throws Error(usage) at its place
// for other values and for whole numbers that have lost digits.
std::string text_of(const io::JsonValue& value, std::string_view name);

// The members of an object, of which each is taken once.
class JsonObject {
 public:
  // `name`: what errors call it. Throws Error(usage) where the value is no object.
  JsonObject(const io::JsonValue& value, std::string name);

  std::optional<io::JsonValue> take(std::string_view name);
  // Fields that aren't there keep their values.
  template <infer::Described Options>
  void take_fields(Options& options) {
    take_fields([&](infer::FieldVisitor& visitor) { infer::visit_fields(options, visitor); });
  }
  void take_fields(const std::function<void(infer::FieldVisitor&)>& visit);
  void take_fields(infer::KernelOptions& options);
  // Throws Error(usage) at a member that wasn't taken, with the names that were looked for.
  void finish() const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, io::JsonValue>> members_;
  std::vector<std::string> known_;
};

// Reads the options of a sampler; those not in the object are defaults.
void read_options(const io::JsonValue& value, std::string_view sampler,
                  infer::KernelOptions& options);

}  // namespace credo::results
