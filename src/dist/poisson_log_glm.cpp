// Poisson regression: y ~ poisson_log(alpha + x beta). Arguments: x, alpha, beta.
#include "dist/formula.hpp"
#include "dist/linear_predictor.hpp"

namespace credo::dist::poisson_log_glm_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Index count = num_outcomes(y, args[0], args[1]);
  const Expr eta = linear_predictor(args[0], args[1], args[2]);
  return {-per_outcome(lgamma(y + 1.0), count), per_outcome(y * eta - exp(eta), count)};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_design(y, args[0], args[2], function, checks);
  if (!y.empty())
    checks.greater_equal(y, 0.0, {function, "vector of dependent variables", "nonnegative"});
}
Part rows(Args args) {
  return {find("poisson_log"), {linear_predictor(args[0], args[1], args[2])}};
}
std::vector<Part> parts(Args args) {
  return parts_by_rows(rows(args), num_outcomes(1.0, args[0], args[1]));
}
std::vector<double> draw_all(Rng& rng, Args args) { return draw_parts(rng, parts(args)); }
}  // namespace

extern const Distribution poisson_log_glm{
    .name = "poisson_log_glm",
    .kind = Kind::multivariate,
    .discrete = true,
    .args = {{"matrix of independent variables"}, {"intercept"}, {"weight vector"}},
    .outcome = {"vector of dependent variables", Domain::integer},
    .reference = "mccullagh1989, ch. 6",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .parts = parts,
    .rows = rows};

}  // namespace credo::dist::poisson_log_glm_row
