// Lognormal: log p = -log y - log sigma - z^2/2 - log(2 pi)/2, z = (log y - mu)/sigma. At 0 the
// density is 0.
#include "dist/formula.hpp"

namespace credo::dist::lognormal_row {
namespace {

Expr score(const Expr& y, Args args) { return standardised(log(y), args[0], args[1]); }
// At y = 0 the two infinite terms are joined so that they give -infinity.
Terms log_density(const Expr& y, Args args) {
  const Expr at_zero = equal(y, 0.0), safe = select(at_zero, 1.0, y);
  Expr indicator = select(at_zero, -kInfinity, 0.0);
  indicator.arguments = ~0u;
  return {-kHalfLog2Pi, -log(args[1]), -log(safe), -0.5 * square(score(safe, args)), indicator};
}
Expr cdf(const Expr& y, Args args) { return phi(score(y, args)); }
Expr log_cdf(const Expr& y, Args args) { return log_phi(score(y, args)); }
Expr log_ccdf(const Expr& y, Args args) { return log_phi(-score(y, args)); }
double quantile(const Level& at, Params args) {
  return numerics::exp(args[0] + args[1] * normal_score(at));
}
double draw(Rng& rng, Params args) { return numerics::exp(args[0] + args[1] * rng.normal()); }
Expr from_uniform(const Expr& u, Args args) { return exp(args[0] + args[1] * inv_phi(u)); }
double mean(Params args) { return numerics::exp(args[0] + 0.5 * args[1] * args[1]); }
double variance(Params args) {
  const double square = args[1] * args[1];
  return numerics::expm1(square) * numerics::exp(2.0 * args[0] + square);
}
double entropy(Params args) { return args[0] + kHalfLog2PiE + numerics::log(args[1]); }
Terms information(Args args) {
  const Expr precision = inv(square(args[1]));
  return {precision, 0.0, 2.0 * precision};
}
}  // namespace

extern const Distribution lognormal{
    .name = "lognormal",
    .args = {{"location parameter"}, {"scale parameter", Domain::positive_finite}},
    .lower = 0.0,
    .reference = "johnson1994, ch. 14",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .draw = draw,
    .from_uniform = from_uniform,
    .mean = mean,
    .variance = variance,
    .entropy = entropy,
    .information = information};

}  // namespace credo::dist::lognormal_row
