#include "density/program_facts.hpp"

namespace credo::density {
namespace {
const StatedVariable* find_among(std::span<const StatedVariable> variables, std::string_view name,
                                 auto&& is_wanted) {
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const StatedVariable& v) {
    return v.name == name && is_wanted(v.block);
  });
  return found == variables.end() ? nullptr : &*found;
}
}  // namespace

bool StatedArgument::reads(Index wanted) const {
  return std::find(mentions.begin(), mentions.end(), wanted) != mentions.end();
}

const StatedVariable* ProgramFacts::find_parameter(std::string_view name) const {
  return find_among(variables, name, [](Block block) { return block == Block::parameters; });
}

const StatedVariable* ProgramFacts::find_output(std::string_view name) const {
  return find_among(variables, name, [](Block block) { return block != Block::unknown; });
}

const Place* ProgramFacts::place_of_scale(std::string_view scale, std::string_view outcome) const {
  const StatedVariable *of_scale = find_parameter(scale), *of_outcome = find_parameter(outcome);
  if (of_scale == nullptr || of_outcome == nullptr) return nullptr;
  const Index scale_at = of_scale - variables.data(), outcome_at = of_outcome - variables.data();
  for (const StatedDensity& density : densities) {
    const std::span<const StatedArgument> arguments = density.arguments;
    const auto reads_scale = [&](const StatedArgument& a) { return a.reads(scale_at); };
    if (arguments.front().reads(outcome_at) &&
        std::any_of(arguments.begin() + 1, arguments.end(), reads_scale))
      return &density.place;
  }
  return nullptr;
}

std::optional<std::string> ProgramFacts::text_without_bounds(std::string_view parameter) const {
  const StatedVariable* variable = find_parameter(parameter);
  if (variable == nullptr || !variable->has_bounds() || variable->bounds_size == 0)
    return std::nullopt;
  return std::string(text).erase(variable->bounds_begin, variable->bounds_size);
}

}  // namespace credo::density
