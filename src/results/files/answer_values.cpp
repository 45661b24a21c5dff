#include "results/files/answer_values.hpp"

#include "io/file.hpp"
#include "results/files/fit_arrays.hpp"

namespace credo::results {
namespace {
using io::JsonValue;

JsonValue text_value(std::string text) {
  JsonValue value;
  value.kind = JsonValue::Kind::string;
  value.text = std::move(text);
  return value;
}

// Files have flags as whole numbers. JSON has NaN and infinities as words.
JsonValue number_value(double number) {
  if (!std::isfinite(number))
    return text_value(std::isnan(number) ? "NaN" : number > 0 ? "Inf" : "-Inf");
  JsonValue value;
  value.kind = JsonValue::Kind::number;
  value.number = number;
  value.truth = number != 0.0;
  return value;
}

JsonValue value_of(const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute)) return text_value(*text);
  if (const auto* whole = std::get_if<Index>(&attribute))
    return number_value(static_cast<double>(*whole));
  if (const auto* flag = std::get_if<bool>(&attribute)) return number_value(*flag ? 1.0 : 0.0);
  return number_value(std::get<double>(attribute));
}

JsonValue value_of(const Field& field, double value) {
  const auto place = static_cast<std::size_t>(value);
  return field.labels.empty()          ? number_value(value)
         : place < field.labels.size() ? text_value(field.labels[place])
                                       : text_value({});
}

JsonValue list_of(const ArrayResult& answer, const Group& group) {
  JsonValue list;
  list.kind = JsonValue::Kind::array;
  const std::string& along = group.dims.front().name;
  list.items.resize(static_cast<std::size_t>(group.dims.front().size));
  for (JsonValue& item : list.items) item.kind = JsonValue::Kind::object;
  for (const Field& field : group.fields) {
    if (field.dims != std::vector{along}) continue;
    const std::vector<double> values = answer.read(group, field);
    for (std::size_t k = 0; k < values.size(); ++k)
      list.items[k].members.emplace_back(field.name, value_of(field, values[k]));
  }
  return list;
}
}  // namespace

io::JsonValue values_of(const ArrayResult& answer) {
  JsonValue all;
  all.kind = JsonValue::Kind::object;
  for (const auto& [name, attribute] : answer.attributes())
    all.members.emplace_back(name, value_of(attribute));
  for (const Group& group : answer.groups())
    if (!group.dims.empty()) all.members.emplace_back(group.name, list_of(answer, group));
  return all;
}

bool is_answer_file(const std::string& path) {
  return path.ends_with(".json") || open_answer(path) != nullptr;
}

io::JsonValue read_answer(const std::string& path,
                          std::span<const std::pair<std::string, std::string>> groups) {
  if (path.ends_with(".json")) return io::parse_json_value(io::read_file(path), path);
  io::JsonValue all = values_of(*open_arrays(std::span(&path, 1)));
  for (auto& [name, value] : all.members)
    for (const auto& [group, key] : groups)
      if (name == group) name = key;
  return all;
}

}  // namespace credo::results
