// Cauchy: log p = -log pi - log sigma - log1p(z^2). Tails: P(Y <= y) = atan2(1, -z)/pi, whose
// digits stay in the left tail, where 1/2 + atan(z)/pi would lose them.
#include "dist/formula.hpp"

namespace credo::dist::cauchy_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {-kLogPi, -log(args[1]), -log1p(square(standardised(y, args[0], args[1])))};
}
Expr cdf(const Expr& y, Args args) { return atan2(1.0, standardised(args[0], y, args[1])) / kPi; }
// The smaller tail's probability is q; the larger one's logarithm is log1p(-q).
Expr log_tail(const Expr& z) {
  const Expr q = atan2(1.0, abs(z)) / kPi;
  return select(less(0.0, z), log(q), log1p(-q));
}
Expr log_cdf(const Expr& y, Args args) { return log_tail(standardised(args[0], y, args[1])); }
Expr log_ccdf(const Expr& y, Args args) { return log_tail(standardised(y, args[0], args[1])); }
// tan(pi (p - 1/2)) = -cot(pi p), from the nearer end
double quantile(const Level& at, Params args) {
  const double z = at.p < 0.25   ? -1.0 / numerics::tan(kPi * at.p)
                   : at.q < 0.25 ? 1.0 / numerics::tan(kPi * at.q)
                                 : numerics::tan(kPi * (at.p - 0.5));
  return args[0] + args[1] * z;
}
double entropy(Params args) { return numerics::log(4.0 * kPi) + numerics::log(args[1]); }
Terms information(Args args) {
  const Expr half_precision = 0.5 * inv(square(args[1]));
  return {half_precision, 0.0, half_precision};
}
}  // namespace

extern const Distribution cauchy{
    .name = "cauchy",
    .args = {{"location parameter"}, {"scale parameter", Domain::positive_finite}},
    .reference = "johnson1994, ch. 16",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .entropy = entropy,
    .information = information};

}  // namespace credo::dist::cauchy_row
