// lasso(terms): coefficients have Laplace priors of one width [park2008, doi 10.1198/016214508000000337].
#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/regression/shared_prior.hpp"

namespace credo::models {
namespace {
SpecialBlock make(const Expression& call, SharedPriorContext& context) {
  const double known = option_of(call, "width", 0.0);
  const std::string scales = context.scales("lasso"),
                    width =
                        known > 0.0 ? io::number_text(known) : context.names.name("width", "lasso");
  SpecialBlock block;
  block.text = call.text();
  if (known <= 0.0) block.parameters = {fmt::format("real<lower=0> {}", width)};
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
  block.words = "one width for all coefficients, in sds of the outcome for one sd of a column";
  if (known > 0.0) return block;
  const std::string prior = fmt::format("student_t(3, 0, {:g})", option_of(call, "scale", 1.0));
  block.priors = {{.coefficient = {.name = "width(lasso)", .element = width},
                   .prior = prior,
                   .brms = prior,
                   .rstanarm = prior}};
  return block;
}
}  // namespace

extern const SharedPriorRow lasso_prior{
    .name = "lasso", .words = "a Laplace prior", .labels = {"scale", "width"}, .make = make};
}  // namespace credo::models
