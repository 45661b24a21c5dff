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
  void numbers(std::vector<double>& values, const FieldSpec& spec) override {
    if (begin(spec)) json_.numbers(values);
  }
  void words(std::vector<std::string>& values, const FieldSpec& spec) override {
    if (!begin(spec)) return;
    json_.begin_array();
    for (const std::string& value : values) json_.string(value);
    json_.end_array();
  }
  void row(infer::ChosenRow& value, const FieldSpec& spec) override {
    if (!begin(spec)) return;
    if (!value.is_named()) return (void)json_.string({});
    json_.begin_object().key("name").string(value.name).key("options").begin_object();
    write_fields(json_, value.options_in(*spec.rows));
    json_.end_object().end_object();
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

namespace {
// Takes the member of each field that it visits; fields without one keep their values.
class Taker final : public infer::FieldVisitor {
 public:
  explicit Taker(JsonObject& object) : object_(object) {}
  void number(double& value, const FieldSpec& spec) override {
    set(spec, [&](auto& setter) { setter.number(value, spec); });
  }
  void whole(Index& value, const FieldSpec& spec) override {
    set(spec, [&](auto& setter) { setter.whole(value, spec); });
  }
  void natural(std::uint64_t& value, const FieldSpec& spec) override {
    set(spec, [&](auto& setter) { setter.natural(value, spec); });
  }
  void flag(bool& value, const FieldSpec& spec) override {
    set(spec, [&](auto& setter) { setter.flag(value, spec); });
  }
  void text(std::string& value, const FieldSpec& spec) override {
    set(spec, [&](auto& setter) { setter.text(value, spec); });
  }
  void choice(std::size_t& value, std::span<const std::string_view> names,
              const FieldSpec& spec) override {
    set(spec, [&](auto& setter) { setter.choice(value, names, spec); });
  }
  void numbers(std::vector<double>& values, const FieldSpec& spec) override {
    const auto member = object_.take(spec.name);
    if (!member) return;
    std::vector<double> read;
    for (const JsonValue& item : member->as_array(spec.name)) {
      read.push_back(item.as_number(spec.name));
      at_place(item, [&] { check_range(spec, read.back()); });
    }
    values = std::move(read);
  }
  void words(std::vector<std::string>& values, const FieldSpec& spec) override {
    if (const auto member = object_.take(spec.name)) values = member->as_strings(spec.name);
  }
  // A name alone, or with options.
  void row(infer::ChosenRow& value, const FieldSpec& spec) override {
    const auto member = object_.take(spec.name);
    if (!member) return;
    if (member->kind == JsonValue::Kind::object) return take_row(*member, value, spec);
    choose(*member, text_of(*member, spec.name), value, spec);
  }

 private:
  static void at_place(const JsonValue& place, const std::function<void()>& set) {
    try {
      set();
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, error.message(), place.where, error.hint());
    }
  }
  void set(const FieldSpec& spec, const std::function<void(infer::FieldVisitor&)>& visit) {
    const auto member = object_.take(spec.name);
    if (member) at_place(*member, [&] { visit(*infer::setter_from(text_of(*member, spec.name))); });
  }
  static void choose(const JsonValue& place, const std::string& name, infer::ChosenRow& value,
                     const FieldSpec& spec) {
    at_place(place, [&] { infer::setter_from(name)->row(value, spec); });
  }
  static void take_row(const JsonValue& member, infer::ChosenRow& value, const FieldSpec& spec) {
    JsonObject object(member, std::string(spec.name));
    const auto name = object.take("name");
    const auto options = object.take("options");
    object.finish();
    if (!name)
      throw Error(ErrorCode::usage, fmt::format("{} has options, but no name", spec.name),
                  member.where,
                  fmt::format("name the {} beside them: \"name\": ...", spec.rows->what));
    choose(*name, name->as_string("name"), value, spec);
    if (options) take_options(*options, value, spec);
  }
  static void take_options(const JsonValue& options, infer::ChosenRow& value,
                           const FieldSpec& spec) {
    JsonObject fields(options, fmt::format("options of the {} {}", spec.rows->what, value.name));
    infer::KernelOptions own = value.options_in(*spec.rows);
    fields.take_fields(own);
    fields.finish();
    at_place(options, [&] { infer::require_used(spec, value.name, own); });
    value.options = std::move(own);
  }

  JsonObject& object_;
};
}  // namespace

void JsonObject::take_fields(const std::function<void(infer::FieldVisitor&)>& visit) {
  Taker taker(*this);
  visit(taker);
}

void JsonObject::take_fields(infer::KernelOptions& options) {
  take_fields([&](infer::FieldVisitor& visitor) { options.visit(visitor); });
}

void JsonObject::finish() const {
  if (members_.empty()) return;
  throw Error(ErrorCode::usage, fmt::format("{} has no member '{}'", name_, members_[0].first),
              members_[0].second.where, infer::hint_for_name(members_[0].first, known_));
}

void read_options(const JsonValue& value, std::string_view sampler, infer::KernelOptions& options) {
  JsonObject fields(value, "options of " + std::string(sampler));
  fields.take_fields(options);
  fields.finish();
}

}  // namespace credo::results
