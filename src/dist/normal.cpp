// Normal: log p = -log sigma - z^2/2 - log(2 pi)/2, z = (y - mu)/sigma. Tails by log Phi, exact to
// 1e-15 far out.
#include "dist/formula.hpp"

namespace credo::dist::normal_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {-kHalfLog2Pi, -log(args[1]), -0.5 * square(standardised(y, args[0], args[1]))};
}
Expr cdf(const Expr& y, Args args) { return phi(standardised(y, args[0], args[1])); }
Expr log_cdf(const Expr& y, Args args) { return log_phi(standardised(y, args[0], args[1])); }
Expr log_ccdf(const Expr& y, Args args) { return log_phi(standardised(args[0], y, args[1])); }
double quantile(const Level& at, Params args) { return args[0] + args[1] * normal_score(at); }
double draw(Rng& rng, Params args) { return args[0] + args[1] * rng.normal(); }
Expr from_uniform(const Expr& u, Args args) { return args[0] + args[1] * inv_phi(u); }
double mean(Params args) { return args[0]; }
double variance(Params args) { return args[1] * args[1]; }
double entropy(Params args) { return kHalfLog2PiE + numerics::log(args[1]); }
Terms information(Args args) {
  const Expr precision = inv(square(args[1]));
  return {precision, 0.0, 2.0 * precision};
}
}  // namespace

extern const Distribution normal{
    .name = "normal",
    .args = {{"location parameter"}, {"scale parameter", Domain::positive_finite}},
    .reference = "johnson1994, ch. 13",
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

}  // namespace credo::dist::normal_row
