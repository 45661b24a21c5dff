// Pareto of type 2 (Lomax) above mu with scale lambda, shape alpha: with z = (y - mu)/lambda,
// P(Y > y) = (1 + z)^-alpha.
#include "dist/formula.hpp"

namespace credo::dist::pareto_type_2_row {
namespace {

Expr log_growth(const Expr& y, Args args) { return log1p(standardised(y, args[0], args[1])); }
Terms log_density(const Expr& y, Args args) {
  const Expr &lambda = args[1], &alpha = args[2];
  return {log(alpha), -log(lambda), -((alpha + 1.0) * log_growth(y, args))};
}
Expr log_ccdf(const Expr& y, Args args) { return -(args[2] * log_growth(y, args)); }
Expr cdf(const Expr& y, Args args) { return -expm1(log_ccdf(y, args)); }
Expr log_cdf(const Expr& y, Args args) { return log1m_exp(log_ccdf(y, args)); }
Support support(Args args) { return {args[0], kInfinity}; }
double quantile(const Level& at, Params args) {
  return args[0] + args[1] * numerics::expm1(-at.log_q / args[2]);
}
double mean(Params args) { return args[2] > 1.0 ? args[0] + args[1] / (args[2] - 1.0) : kInfinity; }
double variance(Params args) {
  const double lambda = args[1], alpha = args[2];
  if (alpha <= 2.0) return kInfinity;
  return lambda * lambda * alpha / ((alpha - 1.0) * (alpha - 1.0) * (alpha - 2.0));
}
double entropy(Params args) {
  return 1.0 + 1.0 / args[2] + numerics::log(args[1]) - numerics::log(args[2]);
}
}  // namespace

extern const Distribution pareto_type_2{.name = "pareto_type_2",
                                        .args = {{"location parameter"},
                                                 {"scale parameter", Domain::positive_finite},
                                                 {"shape parameter", Domain::positive_finite}},
                                        .outcome = {"random variable", Domain::real},
                                        .support = support,
                                        .support_rule = "at least the location parameter",
                                        .reference = "johnson1994, ch. 20",
                                        .log_density = log_density,
                                        .cdf = cdf,
                                        .log_cdf = log_cdf,
                                        .log_ccdf = log_ccdf,
                                        .quantile = quantile,
                                        .mean = mean,
                                        .variance = variance,
                                        .entropy = entropy};

}  // namespace credo::dist::pareto_type_2_row
