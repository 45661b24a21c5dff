// Weibull with shape alpha, scale sigma: log p = log alpha - log sigma + (alpha - 1) log(y/sigma) -
// (y/sigma)^alpha.
#include "dist/formula.hpp"

namespace credo::dist::weibull_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &alpha = args[0], &sigma = args[1];
  return {log(alpha), -(alpha * log(sigma)), multiply_log(alpha - 1.0, y), -pow(y / sigma, alpha)};
}
Expr power(const Expr& y, Args args) { return pow(y / args[1], args[0]); }
Expr cdf(const Expr& y, Args args) { return -expm1(-power(y, args)); }
// Near 0 the power underflows while its logarithm is fine: log(1 - exp(-h)) = log h - h/2 there.
Expr log_cdf(const Expr& y, Args args) {
  const Expr h = power(y, args), small = less(h, 1e-17);
  const Expr log_h = args[0] * (log(y) - log(args[1]));
  return select(small, log_h, log1m_exp(-select(small, 1.0, h)));
}
Expr log_ccdf(const Expr& y, Args args) { return -power(y, args); }
double quantile(const Level& at, Params args) {
  return args[1] * numerics::exp(log_minus_log_q(at) / args[0]);
}
double draw(Rng& rng, Params args) {
  return args[1] * numerics::pow(rng.exponential(), 1.0 / args[0]);
}
double moment(Params args, double order) {
  return numerics::exp(numerics::lgamma(1.0 + order / args[0]));
}
Expr from_uniform(const Expr& u, Args args) { return args[1] * pow(-log(u), inv(args[0])); }
double mean(Params args) { return args[1] * moment(args, 1.0); }
double variance(Params args) {
  const double first = moment(args, 1.0);
  return args[1] * args[1] * (moment(args, 2.0) - first * first);
}
double entropy(Params args) {
  return 1.0 + kEuler * (1.0 - 1.0 / args[0]) + numerics::log(args[1]) - numerics::log(args[0]);
}
}  // namespace

extern const Distribution weibull{.name = "weibull",
                                  .args = {{"shape parameter", Domain::positive_finite},
                                           {"scale parameter", Domain::positive_finite}},
                                  .outcome = {"random variable", Domain::finite},
                                  .lower = 0.0,
                                  .outside = Outside::minus_infinity,
                                  .reference = "johnson1994, ch. 21",
                                  .log_density = log_density,
                                  .cdf = cdf,
                                  .log_cdf = log_cdf,
                                  .log_ccdf = log_ccdf,
                                  .quantile = quantile,
                                  .draw = draw,
                                  .from_uniform = from_uniform,
                                  .mean = mean,
                                  .variance = variance,
                                  .entropy = entropy};

}  // namespace credo::dist::weibull_row
