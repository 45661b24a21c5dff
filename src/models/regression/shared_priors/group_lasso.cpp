// group_lasso(terms): coefficients of a term are near 0 together, or free together [kyung2010, doi 10.1214/10-BA607].
#include <fmt/format.h>

#include "models/regression/shared_prior.hpp"

namespace credo::models {
namespace {
SpecialBlock make(const Expression& call, SharedPriorContext& context) {
  const Index size = context.num_coefficients();
  const std::string z = context.names.name("z", "group_lasso"),
                    squares = context.names.name("squares", "group_lasso"),
                    width = context.names.name("width", "group_lasso"),
                    b = context.names.name("b", "group_lasso"),
                    scales = context.scales("group_lasso");
  SpecialBlock block;
  block.text = call.text();
  block.parameters = {fmt::format("vector[{}] {}", size, z),
                      fmt::format("vector<lower=0>[{}] {}", context.terms.size(), squares),
                      fmt::format("real<lower=0> {}", width)};
  std::vector<std::string> factors;
  for (std::size_t g = 0; g < context.terms.size(); ++g) {
    const Index members = ssize(context.terms[g]->coefficients);
    // One scale a term: with squares of this gamma distribution the coefficients have a joint Laplace distribution.
    block.statements.push_back(fmt::format("{}[{}] ~ gamma({}, 0.5)", squares, g + 1,
                                           (static_cast<double>(members) + 1.0) / 2.0));
    for (Index k = 0; k < members; ++k) factors.push_back(fmt::format("{}", g + 1));
  }
  block.statements.push_back(fmt::format("{} ~ std_normal()", z));
  block.transformed = {fmt::format("vector[{0}] {1} = {2} .* {3} .* ({4} * sqrt({5}[{{{6}}}]))",
                                   size, b, scales, z, width, squares, fmt::join(factors, ", "))};
  for (std::string& line : context.parts_of(b)) block.transformed.push_back(std::move(line));
  const std::string prior = fmt::format("student_t(3, 0, {:g})", option_of(call, "scale", 1.0));
  block.priors = {{.coefficient = {.name = "width(group_lasso)", .element = width},
                   .prior = prior,
                   .brms = prior,
                   .rstanarm = prior}};
  for (TermBlock* term : context.terms) term->is_computed = true;
  block.words = "coefficients of one term are shrunk together";
  return block;
}
}  // namespace

extern const SharedPriorRow group_lasso_prior{
    .name = "group_lasso", .words = "a group lasso prior", .labels = {"scale"}, .make = make};
}  // namespace credo::models
