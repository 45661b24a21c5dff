// Frechet with shape alpha, scale sigma: P(Y <= y) = exp(-(y/sigma)^-alpha).
#include "dist/formula.hpp"

namespace credo::dist::frechet_row {
namespace {

Expr power(const Expr& y, Args args) { return pow(y / args[1], -args[0]); }
Terms log_density(const Expr& y, Args args) {
  const Expr &alpha = args[0], &sigma = args[1];
  return {log(alpha), alpha * log(sigma), -((alpha + 1.0) * log(y)), -power(y, args)};
}
Expr cdf(const Expr& y, Args args) { return exp(-power(y, args)); }
Expr log_cdf(const Expr& y, Args args) { return -power(y, args); }
// Far right the upper tail is the power itself: log(1 - exp(-h)) = log h for tiny h.
Expr log_ccdf(const Expr& y, Args args) {
  const Expr h = power(y, args), small = less(h, 1e-17);
  const Expr log_h = args[0] * (log(args[1]) - log(y));
  return select(small, log_h, log1m_exp(-select(small, 1.0, h)));
}
double quantile(const Level& at, Params args) {
  return args[1] * numerics::exp(-log_minus_log_p(at) / args[0]);
}
double draw(Rng& rng, Params args) {
  return args[1] * numerics::pow(rng.exponential(), -1.0 / args[0]);
}
double moment(Params args, double order) {
  return numerics::exp(numerics::lgamma(1.0 - order / args[0]));
}
double mean(Params args) { return args[0] > 1.0 ? args[1] * moment(args, 1.0) : kInfinity; }
double variance(Params args) {
  if (args[0] <= 2.0) return kInfinity;
  const double first = moment(args, 1.0);
  return args[1] * args[1] * (moment(args, 2.0) - first * first);
}
double entropy(Params args) {
  return 1.0 + kEuler * (1.0 + 1.0 / args[0]) + numerics::log(args[1]) - numerics::log(args[0]);
}
}  // namespace

extern const Distribution frechet{.name = "frechet",
                                  .args = {{"shape parameter", Domain::positive_finite},
                                           {"scale parameter", Domain::positive_finite}},
                                  .outcome = {"random variable", Domain::positive},
                                  .lower = kSmallest,
                                  .reference = "johnson1995, ch. 22",
                                  .log_density = log_density,
                                  .cdf = cdf,
                                  .log_cdf = log_cdf,
                                  .log_ccdf = log_ccdf,
                                  .quantile = quantile,
                                  .draw = draw,
                                  .mean = mean,
                                  .variance = variance,
                                  .entropy = entropy};

}  // namespace credo::dist::frechet_row
