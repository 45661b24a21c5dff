#include "results/files/result_file.hpp"

#include <fmt/format.h>

#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "io/json_writer.hpp"
#include "io/number_text.hpp"
#include "results/files/run_spec.hpp"

namespace credo::results {
namespace {
using Builder = ArrayList::Builder;

// ---- data

struct NamedValue {
  std::string name;
  const io::DataValue& value;
  bool whole = false;
};

std::vector<std::string> add_coordinates(Builder& group, const NamedValue& one) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < one.value.dims.size(); ++d) {
    names.push_back(fmt::format("{}_dim_{}", one.name, d));
    group.add_dimension(names.back(), one.value.dims[d])
        .add_numbers(names.back(), 0, {.has_check_sums = false});  // 0, 1, ...: not needed
  }
  return names;
}

std::vector<double> numbers_of(const io::DataValue& value) {
  if (value.kind == io::DataKind::reals) return value.reals;
  return {value.integers.begin(), value.integers.end()};
}

// Slots of tuples are variables of their own, "t:1", "t:1.2". `table` has the value.
void add_value(Builder& group, const NamedValue& one,
               const std::shared_ptr<const io::DataTable>& table) {
  const io::DataValue& value = one.value;
  if (value.num_elements() == 0) return;
  if (value.kind == io::DataKind::tuples) {
    const char separator = one.name.find(':') == std::string::npos ? ':' : '.';
    for (std::size_t k = 0; k < value.slots.size(); ++k)
      add_value(group,
                {fmt::format("{}{}{}", one.name, separator, k + 1), value.slots[k],
                 value.slots[k].kind == io::DataKind::integers},
                table);
    return;
  }
  const bool is_whole = one.whole && value.kind == io::DataKind::integers;
  Field field{.name = one.name,
              .dims = add_coordinates(group, one),
              .kind = is_whole ? density::Kind::whole : density::Kind::real};
  if (value.column != nullptr) {
    field.file.attributes.emplace_back("column", value.column->name);
    if (!value.column->levels.empty())
      field.file.attributes.emplace_back("levels",
                                         io::JsonWriter().value(value.column->levels).text());
  }
  group.add_source(std::move(field), [table, &value] { return numbers_of(value); });
}

// ---- attributes

std::string repeatable_spec(const FitOrigin& origin) {
  if (origin.spec.empty()) return {};
  try {
    return to_json(parse_run_spec(origin.spec, origin.source).repeatable());
  } catch (const Error&) {  // from another version: the reader checks it
    return origin.spec;
  }
}
}  // namespace

Attribute setting_value(const std::string& text) {
  const auto number = io::parse_number(text);
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  if (number && is_whole && std::fabs(*number) < 0x1p53) return static_cast<Index>(*number);
  return number && !is_whole ? Attribute(*number) : Attribute(text);
}

void add_file_attributes(const Fit& fit, const io::InputFiles::Contents& contents,
                         ArrayList& arrays) {
  const FitOrigin& origin = fit.origin();
  const auto program = contents.find(origin.model_path);
  const std::map<std::string, std::string> texts = {
      {"inference_library", "credo"},
      {"inference_library_version", origin.version},
      {"arithmetic", origin.arithmetic},
      {"model", origin.model_path},
      {"model_name", origin.model_name},
      {"program", program == contents.end() ? "" : program->second},
      {"data", origin.data_path},
      {"data_hash", origin.data_hash},
      {"spec", repeatable_spec(origin)},
      {"sampler", origin.sampler},
      {"seed", origin.seed}};
  arrays.set("schema", kResultSchema);
  if (!origin.resumed_with.empty()) arrays.set("resumed_with", origin.resumed_with);
  arrays.set("walkers_per_chain", fit.num_walkers());
  for (const auto& [name, value] : texts) arrays.set(name, value);
  for (const auto& [name, value] : origin.settings)
    if (!texts.contains(name)) arrays.set(name, setting_value(value));
}

void add_data(const FitOrigin& origin, const io::InputFiles::Contents& contents,
              ArrayList& arrays) {
  if (!io::holds_data(contents, origin.data_path)) return;
  std::vector<std::string> names;
  for (const auto& variable : origin.data) names.push_back(variable.name);
  const auto data = std::make_shared<const io::DataTable>(
      io::settled(io::read_data(origin.data_path, contents), names));
  std::optional<Builder> observed, constant;
  for (const std::string& name : data->names()) {
    const io::DataValue& value = *data->find(name);
    const auto declared = std::ranges::find(origin.data, name, &density::DataVariable::name);
    const bool is_declared = declared != origin.data.end();
    if (!is_declared && value.column != nullptr) continue;
    auto& group = is_declared && declared->observed ? observed : constant;
    if (!group)
      group = arrays.add_group(&group == &observed ? "observed_data" : "constant_data", {})
                  .keep_empty();
    add_value(*group, {name, value, is_declared ? declared->whole : true}, data);
  }
}

void add_inputs(const std::shared_ptr<const io::InputFiles::Contents>& contents,
                ArrayList& arrays) {
  auto group = arrays.add_group("inputs", {}).keep_empty();
  Index number = 0;
  for (const auto& [path, content] : *contents) {
    Field field{.name = fmt::format("file_{}", number++)};
    field.file.text = std::shared_ptr<const std::string>(contents, &content);
    field.file.attributes = {{"path", path}, {"bytes", std::to_string(content.size())}};
    group.add(std::move(field), {0.0});
  }
}

}  // namespace credo::results
