#include "results/files/json_fields.hpp"

#include <fmt/format.h>

#include "io/number_text.hpp"

namespace credo::results {
namespace {
using infer::FieldSpec;
using io::JsonValue;
using io::JsonWriter;

constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // whole numbers that a double holds

class Writer final : public infer::FieldVisitor {
 public:
  Writer(JsonWriter& json, std::span<const std::string_view> skipped)
      : json_(json), skipped_(skipped) {}
  void number(double& value, const FieldSpec& spec) override {
    if (begin(spec)) json_.number(value);
  }
  void whole(Index& value, const FieldSpec& spec) override {
    if (begin(spec)) json_.integer(value);
  }
  void natural(std::uint64_t& value, const FieldSpec& spec) override {
    if (!begin(spec)) return;
    if (value < kExact)
      json_.integer(static_cast<std::int64_t>(value));
    else
      json_.string(fmt::format("{}", value));
  }
  void flag(bool& value, const FieldSpec& spec) override {
    if (begin(spec)) json_.boolean(value);
  }
  void text(std::string& value, const FieldSpec& spec) override {
    if (begin(spec)) json_.string(value);
  }
  void choice(std::size_t& value, std::span<const std::string_view> names,
              const FieldSpec& spec) override {
    if (begin(spec)) json_.string(names[value]);
  }

 private:
  bool begin(const FieldSpec& spec) {
    if (std::find(skipped_.begin(), skipped_.end(), spec.name) != skipped_.end()) return false;
    json_.line_break().key(spec.name);
    return true;
  }

  JsonWriter& json_;
  std::span<const std::string_view> skipped_;
};
}  // namespace

void write_fields(JsonWriter& json, const std::function<void(infer::FieldVisitor&)>& visit,
                  std::span<const std::string_view> skipped) {
  Writer writer(json, skipped);
  visit(writer);
}

void write_fields(JsonWriter& json, infer::KernelOptions options) {
  write_fields(json, [&](infer::FieldVisitor& visitor) { options.visit(visitor); });
}

std::string text_of(const JsonValue& value, std::string_view name) {
  switch (value.kind) {
    case JsonValue::Kind::string:
      return value.text;
    case JsonValue::Kind::boolean:
      return value.truth ? "true" : "false";
    case JsonValue::Kind::number:
      if (std::abs(value.number) >= static_cast<double>(kExact) &&
          value.number == std::floor(value.number))
        throw Error(ErrorCode::usage, fmt::format("{} is a whole number of 2^53 or more", name),
                    value.where, "write it as a string, so that no digit is lost");
      return io::number_text(value.number);
    default:
      throw Error(ErrorCode::usage,
                  fmt::format("{} must be a number, a text, true or false, is {}", name,
                              io::describe(value)),
                  value.where);
  }
}

JsonObject::JsonObject(const JsonValue& value, std::string name) : name_(std::move(name)) {
  if (value.kind != JsonValue::Kind::object)
    throw Error(ErrorCode::usage,
                fmt::format("{} must be an object, is {}", name_, io::describe(value)),
                value.where);
  members_ = value.members;
}

std::optional<JsonValue> JsonObject::take(std::string_view name) {
  known_.emplace_back(name);
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const auto& member) { return member.first == name; });
  if (found == members_.end()) return std::nullopt;
  const JsonValue value = std::move(found->second);
  members_.erase(found);
  return value;
}

std::vector<std::string> JsonObject::take_strings(const char* name) {
  const auto value = take(name);
  return value ? value->as_strings(name) : std::vector<std::string>{};
}

void JsonObject::take_field(const infer::FieldValue& field,
                            const std::function<void(const std::string&)>& set) {
  const auto value = take(field.spec.name);
  if (!value) return;
  try {
    set(text_of(*value, field.spec.name));
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, error.message(), value->where, error.hint());
  }
}

void JsonObject::take_fields(infer::KernelOptions& options) {
  for (const infer::FieldValue& field : infer::fields_of(options))
    take_field(field,
               [&](const std::string& text) { infer::set_field(options, field.spec.name, text); });
}

void JsonObject::finish() const {
  if (members_.empty()) return;
  std::string names;
  for (const std::string& name : known_) names += (names.empty() ? "" : ", ") + name;
  throw Error(ErrorCode::usage, fmt::format("{} has no member '{}'", name_, members_[0].first),
              members_[0].second.where, "it has: " + names);
}

void read_options(const JsonValue& value, std::string_view sampler, infer::KernelOptions& options) {
  JsonObject fields(value, "options of " + std::string(sampler));
  fields.take_fields(options);
  fields.finish();
}

}  // namespace credo::results
