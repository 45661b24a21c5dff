// Logistic: log p = -log sigma + log inv_logit(z) + log inv_logit(-z).
#include "dist/formula.hpp"
#include "dist/quantile.hpp"

namespace credo::dist::logistic_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr size = abs(standardised(y, args[0], args[1]));
  return {-log(args[1]), -size - 2.0 * log1p_exp(-size)};
}
Expr cdf(const Expr& y, Args args) { return inv_logit(standardised(y, args[0], args[1])); }
Expr log_cdf(const Expr& y, Args args) { return log_inv_logit(standardised(y, args[0], args[1])); }
Expr log_ccdf(const Expr& y, Args args) { return log_inv_logit(standardised(args[0], y, args[1])); }
double quantile(const Level& at, Params args) { return args[0] + args[1] * log_odds(at); }
Expr from_uniform(const Expr& u, Args args) { return args[0] + args[1] * (log(u) - log1m(u)); }
double mean(Params args) { return args[0]; }
double variance(Params args) { return kPi * kPi / 3.0 * args[1] * args[1]; }
double entropy(Params args) { return 2.0 + numerics::log(args[1]); }
}  // namespace

extern const Distribution logistic{
    .name = "logistic",
    .args = {{"location parameter"}, {"scale parameter", Domain::positive_finite}},
    .reference = "johnson1995, ch. 23",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .from_uniform = from_uniform,
    .mean = mean,
    .variance = variance,
    .entropy = entropy};

}  // namespace credo::dist::logistic_row
