// Log-logistic with scale alpha, shape beta: with z = beta log(y/alpha), P(Y <= y) = inv_logit(z)
// and log p = log beta + (beta - 1) log y - beta log alpha - 2 log1p_exp(z).
#include "dist/formula.hpp"
#include "dist/quantile.hpp"

namespace credo::dist::loglogistic_row {
namespace {

Expr log_odds(const Expr& y, Args args) { return args[1] * (log(y) - log(args[0])); }
Terms log_density(const Expr& y, Args args) {
  const Expr &alpha = args[0], &beta = args[1];
  return {log(beta), -(beta * log(alpha)),
          multiply_log(beta - 1.0, y) - 2.0 * log1p_exp(log_odds(y, args))};
}
Expr cdf(const Expr& y, Args args) { return inv_logit(log_odds(y, args)); }
Expr log_cdf(const Expr& y, Args args) { return log_inv_logit(log_odds(y, args)); }
Expr log_ccdf(const Expr& y, Args args) { return log_inv_logit(-log_odds(y, args)); }
double quantile(const Level& at, Params args) {
  return args[0] * numerics::exp(log_odds(at) / args[1]);
}
// With b = pi/beta: E Y = alpha b / sin b, E Y^2 = alpha^2 2b / sin 2b.
double mean(Params args) {
  const double b = kPi / args[1];
  return args[1] > 1.0 ? args[0] * b / numerics::sin(b) : kInfinity;
}
double variance(Params args) {
  if (args[1] <= 2.0) return kInfinity;
  const double b = kPi / args[1], first = b / numerics::sin(b);
  return args[0] * args[0] * (2.0 * b / numerics::sin(2.0 * b) - first * first);
}
double entropy(Params args) { return 2.0 + numerics::log(args[0]) - numerics::log(args[1]); }
}  // namespace

extern const Distribution loglogistic{.name = "loglogistic",
                                      .args = {{"scale parameter", Domain::positive_finite},
                                               {"shape parameter", Domain::positive_finite}},
                                      .outcome = {"random variable", Domain::real},
                                      .lower = 0.0,
                                      .reference = "johnson1995, ch. 23",
                                      .log_density = log_density,
                                      .cdf = cdf,
                                      .log_cdf = log_cdf,
                                      .log_ccdf = log_ccdf,
                                      .quantile = quantile,
                                      .mean = mean,
                                      .variance = variance,
                                      .entropy = entropy};

}  // namespace credo::dist::loglogistic_row
