// lasso(terms): coefficients have Laplace priors of one width [park2008, doi 10.1198/016214508000000337].
#include <fmt/format.h>

#include "models/regression/shared_prior.hpp"

namespace credo::models {
namespace {
SpecialBlock make(const Expression& call, SharedPriorContext& context) {
  const std::string width = context.names.name("width", "lasso"), scales = context.scales("lasso");
  SpecialBlock block;
  block.text = call.text();
  block.parameters = {fmt::format("real<lower=0> {}", width)};
  Index first = 1;
  for (const TermBlock* term : context.terms) {
    const Index last = first + ssize(term->coefficients) - 1;
    block.statements.push_back(term->is_number
                                   ? fmt::format("{} ~ double_exponential(0, {} * {}[{}])",
                                                 term->parameter, width, scales, first)
                                   : fmt::format("{} ~ double_exponential(0, {} * {}[{}:{}])",
                                                 term->parameter, width, scales, first, last));
    first = last + 1;
  }
  const std::string prior = fmt::format("student_t(3, 0, {:g})", option_of(call, "scale", 1.0));
  block.priors = {{.coefficient = {.name = "width(lasso)", .element = width},
                   .prior = prior,
                   .brms = prior,
                   .rstanarm = prior}};
  block.words = "one width for all coefficients, in sds of the outcome for one sd of a column";
  return block;
}
}  // namespace

extern const SharedPriorRow lasso_prior{
    .name = "lasso", .words = "a Laplace prior", .labels = {"scale"}, .make = make};
}  // namespace credo::models
