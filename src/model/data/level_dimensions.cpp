#include "model/data/level_dimensions.hpp"

#include <fmt/format.h>

#include <charconv>

namespace credo::model {
namespace {
namespace typed = lang::typed;
using Levels = std::vector<std::string>;

// The slot of a global variable if the expression is this variable alone; else -1.
int slot_alone(const typed::Expression& e) {
  const auto* use = std::get_if<typed::VariableUse>(&e.node);
  return use == nullptr || use->slot.local ? -1 : use->slot.index;
}

const Levels* levels_of_column(const io::DataTable& data, const std::string& name) {
  const io::DataValue* value = data.find(name);
  const bool is_factor =
      value != nullptr && value->column != nullptr && !value->column->levels.empty();
  return is_factor ? &value->column->levels : nullptr;
}

// Levels by the slot of the size that counts them; empty if the size belongs to factors with different levels.
std::map<int, Levels> counted_levels(const typed::Program& program, const io::DataTable& data) {
  std::map<int, Levels> counted;
  const auto count = [&](int size, const Levels& levels) {
    const auto [entry, is_new] = counted.try_emplace(size, levels);
    if (!is_new && entry->second != levels) entry->second.clear();
  };
  for (const typed::GlobalVariable& variable : program.globals) {
    if (variable.block != typed::BlockKind::data || variable.sized_type == nullptr) continue;
    const Levels* levels = levels_of_column(data, variable.name);
    if (levels == nullptr) continue;
    if (variable.sized_type->upper != nullptr)
      if (const int slot = slot_alone(*variable.sized_type->upper); slot >= 0) count(slot, *levels);
    for (std::size_t k = 0; k < program.globals.size(); ++k)
      for (const char* prefix : {"num_", "N_", "K_"})
        if (program.globals[k].name == prefix + variable.name) count(static_cast<int>(k), *levels);
  }
  return counted;
}

std::vector<Levels> levels_by_dimension(const typed::SizedType& type,
                                        const std::map<int, Levels>& counted) {
  std::vector<Levels> all;
  const auto look = [&](const std::vector<typed::Expression>& sizes) {
    for (const typed::Expression& size : sizes) {
      const auto found = counted.find(slot_alone(size));
      all.push_back(found == counted.end() ? Levels() : found->second);
    }
  };
  look(type.array_sizes);
  look(type.sizes);
  return all;
}
}  // namespace

LevelDimensions level_dimensions(const typed::Program& program, const io::DataTable& data) {
  LevelDimensions dimensions;
  const std::map<int, Levels> counted = counted_levels(program, data);
  if (counted.empty()) return dimensions;
  for (const typed::GlobalVariable& variable : program.globals) {
    if (variable.sized_type == nullptr) continue;
    std::vector<Levels> all = levels_by_dimension(*variable.sized_type, counted);
    if (std::ranges::any_of(all, [](const Levels& levels) { return !levels.empty(); }))
      dimensions[variable.name] = std::move(all);
  }
  return dimensions;
}

std::string level_of(const LevelDimensions& dimensions, const std::string& element) {
  const std::size_t dot = element.find('.');
  const auto variable = dimensions.find(element.substr(0, dot));
  if (dot == element.npos || variable == dimensions.end()) return {};
  std::vector<std::string> parts;
  bool has_level = false;
  for (std::size_t at = dot + 1; at <= element.size();) {
    const std::size_t end = std::min(element.find('.', at), element.size());
    const std::string index = element.substr(at, end - at);
    std::size_t number = 0;
    std::from_chars(index.data(), index.data() + index.size(), number);
    static const Levels none;
    const bool is_known = parts.size() < variable->second.size();
    const Levels& levels = is_known ? variable->second[parts.size()] : none;
    const bool is_level = number > 0 && number <= levels.size();
    has_level = has_level || is_level;
    parts.push_back(is_level ? levels[number - 1] : index);
    at = end + 1;
  }
  const bool fits = parts.size() == variable->second.size();
  return has_level && fits ? fmt::format("{}", fmt::join(parts, ",")) : "";
}

}  // namespace credo::model
