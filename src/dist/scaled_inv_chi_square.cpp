// Scaled inverse chi-square: an inverse gamma of shape nu/2 and scale nu s^2/2.
#include "dist/entropy.hpp"
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::scaled_inv_chi_square_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr half = 0.5 * args[0];
  return {multiply_log(half, half) - lgamma(half), args[0] * log(args[1]), -((half + 1.0) * log(y)),
          -(half * square(args[1]) / y)};
}
Expr ratio(const Expr& y, Args args) { return 0.5 * args[0] * square(args[1]) / y; }
Expr log_cdf(const Expr& y, Args args) { return log_gamma_q(0.5 * args[0], ratio(y, args)); }
Expr log_ccdf(const Expr& y, Args args) { return log_gamma_p(0.5 * args[0], ratio(y, args)); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double half_scale(Params args) { return 0.5 * args[0] * args[1] * args[1]; }
double quantile(const Level& at, Params args) {
  return half_scale(args) / gamma_quantile(complement(at), 0.5 * args[0]);
}
double draw(Rng& rng, Params args) { return half_scale(args) / draw_gamma(rng, 0.5 * args[0]); }
double mean(Params args) {
  return args[0] > 2.0 ? 2.0 * half_scale(args) / (args[0] - 2.0) : kInfinity;
}
double variance(Params args) {
  if (args[0] <= 4.0) return kInfinity;
  const double average = mean(args);
  return 2.0 * average * average / (args[0] - 4.0);
}
double entropy(Params args) {
  return inv_gamma_entropy(0.5 * args[0]) + numerics::log(half_scale(args));
}
}  // namespace

extern const Distribution scaled_inv_chi_square{
    .name = "scaled_inv_chi_square",
    .args = {{"degrees of freedom parameter", Domain::positive_finite},
             {"scale parameter", Domain::positive_finite}},
    .lower = kSmallest,
    .outside = Outside::minus_infinity,
    .reference = "gelman2013, app. A",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .draw = draw,
    .mean = mean,
    .variance = variance,
    .entropy = entropy};

}  // namespace credo::dist::scaled_inv_chi_square_row
