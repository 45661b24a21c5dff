// Logistic regression: y ~ bernoulli_logit(alpha + x beta). Arguments: x, alpha, beta.
#include "dist/formula.hpp"
#include "dist/linear_predictor.hpp"

namespace credo::dist::bernoulli_logit_glm_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr eta = linear_predictor(args[0], args[1], args[2]);
  return {-per_outcome(log1p_exp((1.0 - 2.0 * y) * eta), num_outcomes(y, args[0], args[1]))};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_design(y, args[0], args[2], function, checks);
  if (y.empty()) return;
  checks.greater_equal(y, 0.0, {function, "vector of dependent variables", "0 or 1"});
  checks.less_equal(y, 1.0, {function, "vector of dependent variables", "0 or 1"});
}
// Arguments of _rng: x, alpha, beta.
std::vector<double> draw_all(Rng& rng, Args args) {
  const Expr chance = inv_logit(linear_predictor(args[0], args[1], args[2]));
  std::vector<double> out;
  for (const double p : chance.values()) out.push_back(rng.uniform() < p ? 1.0 : 0.0);
  return out;
}
Part rows(Args args) {
  return {find("bernoulli_logit"), {linear_predictor(args[0], args[1], args[2])}};
}
std::vector<Part> parts(Args args) {
  return parts_by_rows(rows(args), num_outcomes(1.0, args[0], args[1]));
}
}  // namespace

extern const Distribution bernoulli_logit_glm{
    .name = "bernoulli_logit_glm",
    .kind = Kind::multivariate,
    .discrete = true,
    .args = {{"matrix of independent variables"}, {"intercept"}, {"weight vector"}},
    .outcome = {"vector of dependent variables", Domain::integer},
    .reference = "mccullagh1989, ch. 4",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .parts = parts,
    .rows = rows};

}  // namespace credo::dist::bernoulli_logit_glm_row
