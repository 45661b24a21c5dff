// Skew double exponential (asymmetric Laplace) with P(Y <= mu) = tau: with d = (y - mu)/sigma,
//   log p = log 2 + log tau + log(1 - tau) - log sigma + 2 (1 - tau) min(d, 0) - 2 tau max(d, 0).
#include "dist/formula.hpp"

namespace credo::dist::skew_double_exponential_row {
namespace {

// The logarithms of the tails beyond y on its own side of mu, taken as if it lay there.
Expr log_below(const Expr& y, Args args) {
  const Expr d = standardised(y, args[0], args[1]);
  return log(args[2]) + 2.0 * (1.0 - args[2]) * fmin(d, 0.0);
}
Expr log_above(const Expr& y, Args args) {
  const Expr d = standardised(y, args[0], args[1]);
  return log1m(args[2]) - 2.0 * args[2] * fmax(d, 0.0);
}
Terms log_density(const Expr& y, Args args) {
  const Expr& tau = args[2];
  const Expr d = standardised(y, args[0], args[1]);
  return {kLog2, log(tau) + log1m(tau), -log(args[1]),
          2.0 * ((1.0 - tau) * fmin(d, 0.0) - tau * fmax(d, 0.0))};
}
Expr log_cdf(const Expr& y, Args args) {
  return select(less(y, args[0]), log_below(y, args), log1m_exp(log_above(y, args)));
}
Expr log_ccdf(const Expr& y, Args args) {
  return select(less(y, args[0]), log1m_exp(log_below(y, args)), log_above(y, args));
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double quantile(const Level& at, Params args) {
  const double mu = args[0], sigma = args[1], tau = args[2];
  if (at.p < tau) return mu + sigma * (at.log_p - numerics::log(tau)) / (2.0 * (1.0 - tau));
  return mu - sigma * (at.log_q - numerics::log1p(-tau)) / (2.0 * tau);
}
// The lengths below and above mu are exponential with these means.
struct Means {
  double below, above;
};
Means means(Params args) { return {0.5 * args[1] / (1.0 - args[2]), 0.5 * args[1] / args[2]}; }
double shift(Params args) {
  const Means m = means(args);
  return (1.0 - args[2]) * m.above - args[2] * m.below;
}
double mean(Params args) { return args[0] + shift(args); }
double variance(Params args) {
  const Means m = means(args);
  const double tau = args[2], first = shift(args);
  return 2.0 * ((1.0 - tau) * m.above * m.above + tau * m.below * m.below) - first * first;
}
double entropy(Params args) {
  return 1.0 - kLog2 + numerics::log(args[1]) - numerics::log(args[2]) - numerics::log1p(-args[2]);
}
}  // namespace

extern const Distribution skew_double_exponential{
    .name = "skew_double_exponential",
    .args = {{"location parameter"},
             {"scale parameter", Domain::positive_finite},
             {"skewness parameter", Domain::probability}},
    .reference = "kotz2001, ch. 3",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .mean = mean,
    .variance = variance,
    .entropy = entropy};

}  // namespace credo::dist::skew_double_exponential_row
