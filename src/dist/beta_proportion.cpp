// Beta by its mean mu and precision kappa: beta(mu kappa, (1 - mu) kappa).
#include "dist/entropy.hpp"
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::beta_proportion_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr a = args[0] * args[1], b = (1.0 - args[0]) * args[1];
  return {-lbeta(a, b), multiply_log(a - 1.0, y) + multiply_log(b - 1.0, 1.0 - y)};
}
Expr log_cdf(const Expr& y, Args args) {
  return log_inc_beta(args[0] * args[1], (1.0 - args[0]) * args[1], log(y) - log1p(-y));
}
Expr log_ccdf(const Expr& y, Args args) {
  return log_inc_beta((1.0 - args[0]) * args[1], args[0] * args[1], log1p(-y) - log(y));
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
void check(const Expr&, Args args, std::string_view function, Checks& checks) {
  checks.greater(args[0], 0.0, {function, "location parameter", "in the interval (0, 1)"});
  checks.less(args[0], 1.0, {function, "location parameter", "in the interval (0, 1)"});
}
double quantile(const Level& at, Params args) {
  return beta_quantile(at, args[0] * args[1], (1.0 - args[0]) * args[1]);
}
double draw(Rng& rng, Params args) {
  const double log_a = draw_log_gamma(rng, args[0] * args[1]),
               log_b = draw_log_gamma(rng, (1.0 - args[0]) * args[1]);
  return numerics::inv_logit(log_a - log_b);
}
double mean(Params args) { return args[0]; }
double variance(Params args) { return args[0] * (1.0 - args[0]) / (args[1] + 1.0); }
double entropy(Params args) { return beta_entropy(args[0] * args[1], (1.0 - args[0]) * args[1]); }
}  // namespace

extern const Distribution beta_proportion{
    .name = "beta_proportion",
    .args = {{"location parameter"}, {"precision parameter", Domain::positive_finite}},
    .lower = 0.0,
    .upper = 1.0,
    .reference = "johnson1995, ch. 25",
    .log_density = log_density,
    .check = check,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .draw = draw,
    .mean = mean,
    .variance = variance,
    .entropy = entropy};

}  // namespace credo::dist::beta_proportion_row
