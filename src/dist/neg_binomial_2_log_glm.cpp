// Negative binomial regression: y ~ neg_binomial_2_log(alpha + x beta, phi). Arguments: x, alpha,
// beta, phi.
#include "dist/formula.hpp"
#include "dist/linear_predictor.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::neg_binomial_2_log_glm_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Index count = num_outcomes(y, args[0], args[1]);
  const Expr eta = linear_predictor(args[0], args[1], args[2]), &phi = args[3];
  return {-per_outcome(lgamma(y + 1.0), count), per_outcome(lgamma_excess(phi, y), count),
          per_outcome(y * eta, count),
          -per_outcome(scaled_log1p_exp(phi, eta) + y * log1p_exp(eta - log(phi)), count)};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_design(y, args[0], args[2], function, checks);
  if (!y.empty())
    checks.greater_equal(y, 0.0, {function, "vector of dependent variables", "nonnegative"});
}
Part rows(Args args) {
  return {find("neg_binomial_2_log"), {linear_predictor(args[0], args[1], args[2]), args[3]}};
}
std::vector<Part> parts(Args args) {
  return parts_by_rows(rows(args), num_outcomes(1.0, args[0], args[1]));
}
std::vector<double> draw_all(Rng& rng, Args args) { return draw_parts(rng, parts(args)); }
}  // namespace

extern const Distribution neg_binomial_2_log_glm{
    .name = "neg_binomial_2_log_glm",
    .kind = Kind::multivariate,
    .discrete = true,
    .args = {{"matrix of independent variables"},
             {"intercept"},
             {"weight vector"},
             {"inverse dispersion parameter", Domain::positive_finite}},
    .outcome = {"failures variable", Domain::integer},
    .reference = "hilbe2011",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .parts = parts,
    .rows = rows};

}  // namespace credo::dist::neg_binomial_2_log_glm_row
