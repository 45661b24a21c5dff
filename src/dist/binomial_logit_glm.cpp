// Binomial regression: y ~ binomial_logit(N, alpha + x beta). Arguments: N, x, alpha, beta.
#include "dist/formula.hpp"
#include "dist/linear_predictor.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::binomial_logit_glm_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr& size = args[0];
  const Expr eta = linear_predictor(args[1], args[2], args[3]);
  const Index count = std::max(size.size(), num_outcomes(y, args[1], args[2]));
  return {per_outcome(lchoose(size, y), count),
          -per_outcome(y * log1p_exp(-eta) + (size - y) * log1p_exp(eta), count)};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_design(y, args[1], args[3], function, checks);
  if (y.empty()) return;
  checks.greater_equal(y, 0.0, {function, "successes variable", "nonnegative"});
  checks.less_equal(y, args[0], {function, "successes variable", "at most the population size"});
}
Part rows(Args args) {
  return {find("binomial_logit"), {args[0], linear_predictor(args[1], args[2], args[3])}};
}
std::vector<Part> parts(Args args) {
  return parts_by_rows(rows(args), std::max(args[0].size(), num_outcomes(1.0, args[1], args[2])));
}
std::vector<double> draw_all(Rng& rng, Args args) { return draw_parts(rng, parts(args)); }
}  // namespace

extern const Distribution binomial_logit_glm{.name = "binomial_logit_glm",
                                             .kind = Kind::multivariate,
                                             .discrete = true,
                                             .args = {{"population size parameter", Domain::count},
                                                      {"matrix of independent variables"},
                                                      {"intercept"},
                                                      {"weight vector"}},
                                             .outcome = {"successes variable", Domain::integer},
                                             .reference = "mccullagh1989, ch. 4",
                                             .log_density = log_density,
                                             .check = check,
                                             .draw_all = draw_all,
                                             .parts = parts,
                                             .rows = rows};

}  // namespace credo::dist::binomial_logit_glm_row
