// Laplace: log p = -log 2 - log sigma - |z|.
#include "dist/formula.hpp"

namespace credo::dist::double_exponential_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {-kLog2, -log(args[1]), -abs(standardised(y, args[0], args[1]))};
}
// log P(Z <= z): z - log 2 left of 0, log1p(-exp(-z)/2) right of it.
Expr log_lower(const Expr& z) {
  const Expr tail = 0.5 * exp(-abs(z));
  return select(less(z, 0.0), z - kLog2, log1p(-tail));
}
Expr log_cdf(const Expr& y, Args args) { return log_lower(standardised(y, args[0], args[1])); }
Expr log_ccdf(const Expr& y, Args args) { return log_lower(standardised(args[0], y, args[1])); }
Expr cdf(const Expr& y, Args args) {
  const Expr z = standardised(y, args[0], args[1]), tail = 0.5 * exp(-abs(z));
  return select(less(z, 0.0), tail, 1.0 - tail);
}
double quantile(const Level& at, Params args) {
  const double z = is_left(at) ? kLog2 + at.log_p : -(kLog2 + at.log_q);
  return args[0] + args[1] * z;
}
double mean(Params args) { return args[0]; }
double variance(Params args) { return 2.0 * args[1] * args[1]; }
double entropy(Params args) { return 1.0 + kLog2 + numerics::log(args[1]); }
}  // namespace

extern const Distribution double_exponential{
    .name = "double_exponential",
    .args = {{"location parameter"}, {"scale parameter", Domain::positive_finite}},
    .reference = "johnson1995, ch. 24",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .mean = mean,
    .variance = variance,
    .entropy = entropy};

}  // namespace credo::dist::double_exponential_row
