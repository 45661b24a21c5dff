#include "cli/fit/ready_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/seal.hpp"
#include "io/data/data_files.hpp"
#include "io/file.hpp"
#include "results/files/facts.hpp"
#include "results/files/json_fields.hpp"

namespace credo::cli {
namespace {
// A nested array is its numbers in the order of the file.
void flatten(const io::JsonValue& value, std::vector<io::JsonValue>& to) {
  if (value.kind != io::JsonValue::Kind::array) return to.push_back(value);
  for (const io::JsonValue& item : value.items) flatten(item, to);
}
}  // namespace

void ReadyFields::read(const std::string& path) {
  path.ends_with(".json") ? read_json(path) : read_table(path);
}

void ReadyFields::set(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos)
    throw Error(ErrorCode::usage, fmt::format("'{}' names no field and its value", text), "--set",
                "write --set NAME=VALUE");
  infer::set_field(options_, text.substr(0, sign), text.substr(sign + 1), row_.name);
  given_.insert(text.substr(0, sign));
}

models::Ready ReadyFields::make() const {
  for (const std::string_view name : row_.required)
    if (!given_.contains(std::string(name)))
      throw Error(ErrorCode::data, fmt::format("{} needs {}", row_.name, name), "--data",
                  fmt::format("credo ready --model {} lists its fields", row_.name));
  return row_.make(options_);
}

void ReadyFields::read_json(const std::string& path) {
  io::JsonValue all = io::parse_json_value(io::read_file(path), path);
  for (auto& [name, value] : all.members) {
    given_.insert(name);
    if (value.kind != io::JsonValue::Kind::array) continue;
    std::vector<io::JsonValue> numbers;
    flatten(value, numbers);
    value.items = std::move(numbers);
  }
  results::JsonObject object(all, fmt::format("the data of {}", row_.name));
  object.take_fields(options_);
  object.finish();
}

// Columns that have the names of fields; others are no part of the model.
void ReadyFields::read_table(const std::string& path) {
  const io::DataTable table = io::read_data(path);
  for (const infer::FieldValue& field : infer::fields_of(options_)) {
    const io::DataValue* value = table.find(field.name);
    if (value == nullptr) continue;
    const std::vector<double> numbers = io::real_values(
        value, {.name = field.name, .type = "numbers", .declared_at = {}, .dims = value->dims},
        path);
    infer::set_field(options_, field.name, fmt::format("{}", fmt::join(numbers, ",")), row_.name);
    given_.insert(field.name);
  }
}

// ---- the model of a fit

namespace {
void require_same_file(const Fit& fit, const io::JsonValue& spec, const std::string& path) {
  const io::JsonValue* inputs = spec.find("inputs");
  const io::JsonValue* known = inputs == nullptr ? nullptr : inputs->find(path);
  const std::string now = fmt::format("{:016x}", check_sum(io::read_file(path), 0));
  if (known != nullptr && known->text != now)
    throw Error(ErrorCode::data, fmt::format("{} has changed since the run", path),
                fit.origin().source, "run credo ready again with the new data");
}
}  // namespace

std::shared_ptr<const density::Model> ready_model_of(const Fit& fit) {
  const auto& settings = fit.origin().settings;
  const auto kept = settings.find(results::kCommandSetting);
  if (kept == settings.end()) return nullptr;
  const io::JsonValue spec = io::parse_json_value(kept->second, fit.origin().source);
  const io::JsonValue *question = spec.find("question"), *options = spec.find("options");
  if (question == nullptr || question->text != "ready" || options == nullptr) return nullptr;
  const io::JsonValue *name = options->find("model"), *data = options->find("data"),
                      *set = options->find("set");
  const models::ReadyRow* row = name == nullptr ? nullptr : models::find_ready(name->text);
  if (row == nullptr) return nullptr;
  ReadyFields fields(*row);
  if (data != nullptr) {
    fields.read(data->text);
    require_same_file(fit, spec, data->text);
  }
  if (set != nullptr)
    for (const io::JsonValue& text : set->items) fields.set(text.text);
  return fields.make().model;
}

}  // namespace credo::cli
