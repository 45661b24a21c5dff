// ard(terms): each coefficient has a precision of its own; those without use get a large one [tipping2001].
#include <fmt/format.h>

#include "models/regression/shared_prior.hpp"

namespace credo::models {
namespace {
SpecialBlock make(const Expression& call, SharedPriorContext& context) {
  const Index size = context.num_coefficients();
  const std::string z = context.names.name("z", "ard"),
                    precisions = context.names.name("precisions", "ard"),
                    b = context.names.name("b", "ard"), scales = context.scales("ard");
  SpecialBlock block;
  block.text = call.text();
  block.parameters = {fmt::format("vector[{}] {}", size, z),
                      fmt::format("vector<lower=0>[{}] {}", size, precisions)};
  block.transformed = {
      fmt::format("vector[{0}] {1} = {2} .* {3} ./ sqrt({4})", size, b, scales, z, precisions)};
  for (std::string& line : context.parts_of(b)) block.transformed.push_back(std::move(line));
  block.statements = {fmt::format("{} ~ std_normal()", z)};
  const std::string prior =
      fmt::format("gamma({:g}, {:g})", option_of(call, "shape", 0.5), option_of(call, "rate", 0.5));
  block.priors = {{.coefficient = {.name = "precision(ard)", .element = precisions},
                   .prior = prior,
                   .brms = prior,
                   .rstanarm = prior}};
  for (TermBlock* term : context.terms) term->is_computed = true;
  block.words = "each coefficient has a precision of its own";
  return block;
}
}  // namespace

extern const SharedPriorRow ard_prior{.name = "ard",
                                      .words = "automatic relevance determination",
                                      .labels = {"shape", "rate"},
                                      .make = make};
}  // namespace credo::models
