#include "results/files/run_spec.hpp"

#include <fmt/format.h>

#include "infer/core/table.hpp"
#include "io/data/data_recipe.hpp"
#include "io/number_text.hpp"
#include "results/files/json_fields.hpp"
#include "results/files/scheme_text.hpp"

namespace credo::results {
namespace {
using infer::FieldSpec;
using io::JsonValue;
using io::JsonWriter;

constexpr Index kSchema = 1;

// One member, `init`, gives the start of chains.
constexpr std::array<std::string_view, 2> kStarts = {"init_radius", "init_prior"};

// ---- writing

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
  json.end_array().line_break().key("init_radius").number(spec.run.init_radius);  // radius for NaNs
}

void write_algorithm(JsonWriter& json, const infer::SampleOptions& run) {
  json.line_break().key("name").string(run.sampler).line_break();
  if (run.sampler == infer::kCompositionName) {
    write_scheme(json.key("scheme"), infer::scheme_of(run.kernel));
    return;
  }
  json.key("options").begin_object();
  write_fields(json, run.kernel);
  json.end_object();
}

// ---- reading

void read_model(JsonObject& all, RunSpec& spec) {
  const auto value = all.take("model");
  if (!value) return;
  JsonObject object(*value, "model");
  if (const auto data = object.take("data")) spec.model.data = io::data_recipe(*data).text();
  object.take_fields(spec.model);
  object.finish();
}

void read_scheme_of(JsonObject& algorithm, const JsonValue& place, infer::KernelOptions& kernel) {
  const auto scheme = algorithm.take("scheme");
  if (!scheme)
    throw Error(ErrorCode::usage, "a composition needs a scheme that lists its parts", place.where,
                R"(write "scheme": {"cycle": [...]} beside its name)");
  kernel = infer::SchemeOptions{.scheme = read_scheme(*scheme)};
}

void read_algorithm(JsonObject& all, RunSpec& spec) {
  if (const auto value = all.take("algorithm")) {
    JsonObject object(*value, "algorithm");
    const auto name = object.take("name");
    if (name) spec.run.sampler = name->as_string("name");
    try {
      spec.run.kernel = infer::find_sampler(spec.run.sampler).options();
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, error.message(), name->where, error.hint());
    }
    if (spec.run.sampler == infer::kCompositionName)
      read_scheme_of(object, *value, spec.run.kernel);
    else if (const auto options = object.take("options"))
      read_options(*options, spec.run.sampler, spec.run.kernel);
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

void read_run(JsonObject& all, RunSpec& spec) {
  const auto value = all.take("run");
  if (!value) return;
  JsonObject object(*value, "run");
  if (const auto init = object.take("init")) read_init(*init, spec);
  if (const auto metric = object.take("inv_metric"))
    spec.inv_metric = metric->as_string("inv_metric");
  for (const char* name : {"init_radius", "init_prior"}) {
    const auto conflict = spec.init.empty() ? std::nullopt : object.take(name);
    if (conflict)
      throw Error(ErrorCode::usage, fmt::format("{} is given by init", name), conflict->where,
                  "write \"init\": \"prior\", or the radius: \"init\": 2");
  }
  object.take_fields(spec.run);
  if (spec.init.empty()) spec.run.init_prior = false;
  object.finish();
}

void read_cross_check(JsonObject& all, RunSpec& spec) {
  const auto value = all.take("cross_check");
  if (!value) return;
  JsonObject object(*value, "cross_check");
  object.take_fields(spec.cross_check);
  object.finish();
}

void read_output(JsonObject& all, RunSpec& spec) {
  const auto value = all.take("output");
  if (!value) return;
  JsonObject object(*value, "output");
  object.take_fields(spec.output);
  object.finish();
}
}  // namespace

RunSpec RunSpec::repeatable() const {
  RunSpec spec = *this;
  spec.run.num_threads = 0;
  spec.model.max_lanes = ModelSpec{}.max_lanes;
  if (spec.model.simd != "sse4") spec.model.simd.clear();  // the others give the same bits
  spec.output = {
      .file = {}, .format = {}, .selection = output.selection, .no_data = output.no_data};
  return spec;
}

std::string to_json(const RunSpec& spec) {
  JsonWriter json;
  json.begin_object().key("spec").integer(kSchema);
  json.line_break().key("model").begin_object();
  write_fields(json, spec.model);
  json.end_object().line_break().key("algorithm").begin_object();
  write_algorithm(json, spec.run);
  json.end_object().line_break().key("run").begin_object();
  write_start(json, spec);
  write_fields(json, spec.run, kStarts);
  if (spec.cross_check.is_asked()) {
    json.end_object().line_break().key("cross_check").begin_object();
    write_fields(json, spec.cross_check);
  }
  json.end_object().line_break().key("output").begin_object();
  write_fields(json, spec.output);
  json.end_object().end_object();
  return json.text();
}

RunSpec parse_run_spec(std::string_view text, const std::string& source) {
  const JsonValue value = io::parse_json_value(text, source);
  JsonObject all(value, "the run specification");
  const auto schema = all.take("spec");
  if (!schema || schema->as_number("spec") != static_cast<double>(kSchema))
    throw Error(ErrorCode::usage, "this is no run specification of this version", source,
                fmt::format("it begins with {{\"spec\": {}; credo sample --print-spec writes one",
                            kSchema));
  RunSpec spec;
  read_model(all, spec);
  read_algorithm(all, spec);
  read_run(all, spec);
  read_cross_check(all, spec);
  read_output(all, spec);
  all.finish();
  return spec;
}

}  // namespace credo::results
