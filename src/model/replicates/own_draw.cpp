#include "model/replicates/own_draw.hpp"

#include <fmt/format.h>

#include "model/replicates/outcome_draw.hpp"

namespace credo::model {
namespace typed = lang::typed;
using lang::Value;

namespace {
std::string rng_name(const typed::Function& density) {
  return density.name.substr(0, density.name.rfind('_')) + "_rng";
}
bool has_arguments_of(const typed::Function& rng, const typed::Function& density) {
  if (rng.num_parameters() + 1 != density.num_parameters()) return false;
  for (std::size_t k = 0; k < rng.num_parameters(); ++k)
    if (rng.variables[k].type != density.variables[k + 1].type) return false;
  return rng.result == density.variables[0].type;
}
}  // namespace

const typed::Function* find_own_rng(const typed::Program& program, const typed::Call& density) {
  const typed::Function& own = program.functions[static_cast<std::size_t>(density.function.user)];
  const std::string name = rng_name(own);
  const auto found = std::ranges::find_if(program.functions, [&](const typed::Function& f) {
    return f.name == name && f.body != nullptr && has_arguments_of(f, own);
  });
  return found == program.functions.end() ? nullptr : &*found;
}

std::vector<double> draw_own_outcome(lang::Machine& machine, const lang::SeenDensity& seen,
                                     std::uint64_t seed) {
  const typed::Program& program = machine.program();
  const typed::Function& rng = *find_own_rng(program, seen.call);
  if (seen.is_truncated())
    throw NotDrawn{.reason = fmt::format("{} is truncated, and its _rng function doesn't know that",
                                         seen.call.function.name),
                   .hint = "draw replicates in generated quantities, as y_rep"};
  machine.set_seed(lang::DrawSeed::of(seed));
  const lang::DrawPath before = machine.path();
  machine.start_at(path_of_draw(machine));
  const auto number = static_cast<int>(&rng - program.functions.data());
  const Value drawn = machine.call_user(
      {.user = number, .name = rng.name},
      std::vector<Value>(seen.arguments.begin() + 1, seen.arguments.end()), 0, false);
  machine.start_at(before);
  const Index size = lang::size_of(seen.arguments[0]);
  if (lang::size_of(drawn) != size)
    throw NotDrawn{.reason = fmt::format("{} returned {} numbers, and the outcome has {}", rng.name,
                                         lang::size_of(drawn), size),
                   .hint = "return an outcome of the same size"};
  std::vector<double> values;
  for (Index k = 0; k < size; ++k) values.push_back(lang::scalar_of(drawn, k).known);
  return values;
}

}  // namespace credo::model
