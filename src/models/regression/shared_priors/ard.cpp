// ard(terms): each coefficient has a precision of its own; those without use get a large one [tipping2001].
#include <fmt/format.h>

#include "models/regression/shared_prior.hpp"

namespace credo::models {
namespace {
SpecialBlock make(const Expression& call, SharedPriorContext& context) {
  const std::string precisions = context.names.name("precisions", "ard"),
                    scales = context.scales("ard");
  SpecialBlock block;
  block.text = call.text();
  block.parameters = {
      fmt::format("vector<lower=0>[{}] {}", context.num_coefficients(), precisions)};
  // Coefficients themselves, not standard normals that are scaled: where the table knows a coefficient, only its precision is free.
  Index first = 1;
  for (const TermBlock* term : context.terms) {
    const Index last = first + ssize(term->coefficients) - 1;
    const std::string at =
        term->is_number ? fmt::format("{}", first) : fmt::format("{}:{}", first, last);
    block.statements.push_back(fmt::format("{0} ~ normal(0, {1}[{2}] {4} sqrt({3}[{2}]))",
                                           term->parameter, scales, at, precisions,
                                           term->is_number ? "/" : "./"));
    first = last + 1;
  }
  const std::string prior =
      fmt::format("gamma({:g}, {:g})", option_of(call, "shape", 0.5), option_of(call, "rate", 0.5));
  block.priors = {{.coefficient = {.name = "precision(ard)", .element = precisions},
                   .prior = prior,
                   .brms = prior,
                   .rstanarm = prior}};
  block.words = "each coefficient has a precision of its own";
  return block;
}
}  // namespace

extern const SharedPriorRow ard_prior{.name = "ard",
                                      .words = "automatic relevance determination",
                                      .labels = {"shape", "rate"},
                                      .make = make};
}  // namespace credo::models
