// Pareto above y_min with shape alpha: P(Y > y) = (y_min/y)^alpha; 0 below y_min.
#include "dist/formula.hpp"

namespace credo::dist::pareto_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &least = args[0], &alpha = args[1];
  return {log(alpha), alpha * log(least), -((alpha + 1.0) * log(y))};
}
Expr log_ccdf(const Expr& y, Args args) { return -(args[1] * log1p((y - args[0]) / args[0])); }
Expr cdf(const Expr& y, Args args) { return -expm1(log_ccdf(y, args)); }
Expr log_cdf(const Expr& y, Args args) { return log1m_exp(log_ccdf(y, args)); }
Support support(Args args) { return {args[0], kInfinity}; }
double quantile(const Level& at, Params args) {
  return args[0] * numerics::exp(-at.log_q / args[1]);
}
double mean(Params args) { return args[1] > 1.0 ? args[0] * args[1] / (args[1] - 1.0) : kInfinity; }
double variance(Params args) {
  const double least = args[0], alpha = args[1];
  if (alpha <= 2.0) return kInfinity;
  return least * least * alpha / ((alpha - 1.0) * (alpha - 1.0) * (alpha - 2.0));
}
double entropy(Params args) {
  return 1.0 + 1.0 / args[1] + numerics::log(args[0]) - numerics::log(args[1]);
}
}  // namespace

extern const Distribution pareto{.name = "pareto",
                                 .args = {{"scale parameter", Domain::positive_finite},
                                          {"shape parameter", Domain::positive_finite}},
                                 .outcome = {"random variable", Domain::real},
                                 .support = support,
                                 .outside = Outside::minus_infinity,
                                 .reference = "johnson1994, ch. 20",
                                 .log_density = log_density,
                                 .cdf = cdf,
                                 .log_cdf = log_cdf,
                                 .log_ccdf = log_ccdf,
                                 .quantile = quantile,
                                 .mean = mean,
                                 .variance = variance,
                                 .entropy = entropy};

}  // namespace credo::dist::pareto_row
