#include "runs/run_spec.hpp"

#include <fmt/format.h>

#include "infer/table.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "io/number_text.hpp"

namespace credo::runs {
namespace {
using infer::FieldSpec;
using io::JsonValue;
using io::JsonWriter;

constexpr Index kSchema = 1;
constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // whole numbers that a double holds

// Where chains begin is told by one member, `init`.
bool is_start(const FieldSpec& spec) {
  return spec.name == "init_radius" || spec.name == "init_prior";
}

// ---- writing

class Writer final : public infer::FieldVisitor {
 public:
  explicit Writer(JsonWriter& json) : json_(json) {}
  void number(double& value, const FieldSpec& spec) override {
    if (!is_start(spec)) key(spec).number(value);
  }
  void whole(Index& value, const FieldSpec& spec) override { key(spec).integer(value); }
  void natural(std::uint64_t& value, const FieldSpec& spec) override {
    if (value < kExact)
      key(spec).integer(static_cast<std::int64_t>(value));
    else
      key(spec).string(fmt::format("{}", value));
  }
  void flag(bool& value, const FieldSpec& spec) override {
    if (!is_start(spec)) key(spec).boolean(value);
  }
  void text(std::string& value, const FieldSpec& spec) override { key(spec).string(value); }
  void choice(std::size_t& value, std::span<const std::string_view> names,
              const FieldSpec& spec) override {
    key(spec).string(names[value]);
  }

 private:
  JsonWriter& key(const FieldSpec& spec) { return json_.line_break().key(spec.name); }
  JsonWriter& json_;
};

template <infer::Described S>
void write_fields(JsonWriter& json, S described) {
  Writer writer(json);
  infer::visit_fields(described, writer);
}

void write_list(JsonWriter& json, const char* name, std::span<const std::string> items) {
  json.line_break().key(name).begin_array();
  for (const std::string& item : items) json.string(item);
  json.end_array();
}

void write_start(JsonWriter& json, const RunSpec& spec) {
  json.line_break().key("inv_metric").string(spec.inv_metric);
  json.line_break().key("init");
  if (!spec.init.empty()) {
    const auto radius = io::parse_number(spec.init);
    radius ? json.number(*radius) : json.string(spec.init);
    return;
  }
  json.begin_array();
  for (const std::vector<double>& point : spec.run.init) json.numbers(point);
  json.end_array().line_break().key("init_radius").number(spec.run.init_radius);  // of a NaN
}

// ---- reading

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

using Members = std::vector<std::pair<std::string, JsonValue>>;

// The members of an object, of which each is taken once.
class Object {
 public:
  explicit Object(const JsonValue& value, std::string name) : name_(std::move(name)) {
    if (value.kind != JsonValue::Kind::object)
      throw Error(ErrorCode::usage,
                  fmt::format("{} must be an object, is {}", name_, io::describe(value)),
                  value.where);
    members_ = value.members;
  }

  std::optional<JsonValue> take(std::string_view name) {
    known_.emplace_back(name);
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const auto& member) { return member.first == name; });
    if (found == members_.end()) return std::nullopt;
    const JsonValue value = std::move(found->second);
    members_.erase(found);
    return value;
  }

  std::vector<std::string> take_strings(const char* name) {
    const auto value = take(name);
    return value ? value->as_strings(name) : std::vector<std::string>{};
  }

  // Fields that aren't there keep their defaults.
  template <class Options>
  void take_fields(Options& options) {
    for (const infer::FieldValue& field : infer::fields_of(options)) {
      const auto value = take(field.spec.name);
      if (!value) continue;
      try {
        infer::set_field(options, field.spec.name, text_of(*value, field.spec.name));
      } catch (const Error& error) {
        throw Error(ErrorCode::usage, error.message(), value->where, error.hint());
      }
    }
  }

  void finish() const {
    if (members_.empty()) return;
    std::string names;
    for (const std::string& name : known_) names += (names.empty() ? "" : ", ") + name;
    throw Error(ErrorCode::usage, fmt::format("{} has no member '{}'", name_, members_[0].first),
                members_[0].second.where, "it has: " + names);
  }

 private:
  std::string name_;
  Members members_;
  std::vector<std::string> known_;
};

void read_model(Object& all, RunSpec& spec) {
  const auto value = all.take("model");
  if (!value) return;
  Object object(*value, "model");
  object.take_fields(spec.model);
  spec.model.include_dirs = object.take_strings("include");
  object.finish();
}

void read_algorithm(Object& all, RunSpec& spec) {
  if (const auto value = all.take("algorithm")) {
    Object object(*value, "algorithm");
    const auto name = object.take("name");
    if (name) spec.run.sampler = name->as_string("name");
    try {
      spec.run.kernel = infer::find_sampler(spec.run.sampler).options();
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, error.message(), name->where, error.hint());
    }
    if (const auto options = object.take("options")) {
      Object fields(*options, "options of " + spec.run.sampler);
      fields.take_fields(spec.run.kernel);
      fields.finish();
    }
    object.finish();
  }
  if (spec.run.kernel.empty()) spec.run.kernel = infer::find_sampler(spec.run.sampler).options();
}

void read_init(const JsonValue& value, RunSpec& spec) {
  if (value.kind != JsonValue::Kind::array) {
    spec.init = text_of(value, "init");
    return;
  }
  spec.init.clear();
  for (const JsonValue& point : value.items) {
    std::vector<double>& values = spec.run.init.emplace_back();
    for (const JsonValue& x : point.as_array("a point of init"))
      values.push_back(x.kind == JsonValue::Kind::string && x.text == "NaN"  // it is drawn
                           ? kNaN
                           : x.as_number("a value of init"));
  }
}

void read_run(Object& all, RunSpec& spec) {
  const auto value = all.take("run");
  if (!value) return;
  Object object(*value, "run");
  if (const auto init = object.take("init")) read_init(*init, spec);
  if (const auto metric = object.take("inv_metric"))
    spec.inv_metric = metric->as_string("inv_metric");
  for (const char* name : {"init_radius", "init_prior"}) {
    const auto told = spec.init.empty() ? std::nullopt : object.take(name);
    if (told)
      throw Error(ErrorCode::usage, fmt::format("{} is told by init", name), told->where,
                  "write \"init\": \"prior\", or the radius: \"init\": 2");
  }
  object.take_fields(spec.run);
  if (spec.init.empty()) spec.run.init_prior = false;
  object.finish();
}

void read_output(Object& all, RunSpec& spec) {
  const auto value = all.take("output");
  if (!value) return;
  Object object(*value, "output");
  object.take_fields(spec.output);
  spec.output.keep = object.take_strings("keep");
  spec.output.drop = object.take_strings("drop");
  object.finish();
}
}  // namespace

RunSpec RunSpec::repeatable() const {
  RunSpec spec = *this;
  spec.run.num_threads = 0;
  spec.model.max_lanes = ModelSpec{}.max_lanes;
  if (spec.model.simd != "sse4") spec.model.simd.clear();  // the others give the same bits
  spec.output = {.file = {},
                 .format = {},
                 .keep = output.keep,
                 .drop = output.drop,
                 .no_data = output.no_data};
  return spec;
}

std::string to_json(const RunSpec& spec) {
  JsonWriter json;
  json.begin_object().key("spec").integer(kSchema);
  json.line_break().key("model").begin_object();
  write_fields(json, spec.model);
  write_list(json, "include", spec.model.include_dirs);
  json.end_object().line_break().key("algorithm").begin_object();
  json.line_break().key("name").string(spec.run.sampler).line_break().key("options").begin_object();
  Writer writer(json);
  infer::KernelOptions kernel = spec.run.kernel;
  kernel.visit(writer);
  json.end_object().end_object().line_break().key("run").begin_object();
  write_start(json, spec);
  write_fields(json, spec.run);
  json.end_object().line_break().key("output").begin_object();
  write_fields(json, spec.output);
  write_list(json, "keep", spec.output.keep);
  write_list(json, "drop", spec.output.drop);
  json.end_object().end_object();
  return json.text();
}

RunSpec parse_run_spec(std::string_view text, const std::string& source) {
  const JsonValue value = io::parse_json_value(text, source);
  Object all(value, "the run specification");
  const auto schema = all.take("spec");
  if (!schema || schema->as_number("spec") != static_cast<double>(kSchema))
    throw Error(ErrorCode::usage, "this is no run specification of this version", source,
                fmt::format("it begins with {{\"spec\": {}; credo sample --print-spec writes one",
                            kSchema));
  RunSpec spec;
  read_model(all, spec);
  read_algorithm(all, spec);
  read_run(all, spec);
  read_output(all, spec);
  all.finish();
  return spec;
}

}  // namespace credo::runs
