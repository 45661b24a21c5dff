// Inverse chi-square with nu degrees of freedom: an inverse gamma of shape nu/2 and scale 1/2.
#include "dist/entropy.hpp"
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::inv_chi_square_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr half = 0.5 * args[0];
  return {-lgamma(half) - kLog2 * half, -((half + 1.0) * log(y)), -0.5 / y};
}
Expr log_cdf(const Expr& y, Args args) { return log_gamma_q(0.5 * args[0], 0.5 / y); }
Expr log_ccdf(const Expr& y, Args args) { return log_gamma_p(0.5 * args[0], 0.5 / y); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double quantile(const Level& at, Params args) {
  return 0.5 / gamma_quantile(complement(at), 0.5 * args[0]);
}
double draw(Rng& rng, Params args) { return 0.5 / draw_gamma(rng, 0.5 * args[0]); }
double mean(Params args) { return args[0] > 2.0 ? 1.0 / (args[0] - 2.0) : kInfinity; }
double variance(Params args) {
  if (args[0] <= 4.0) return kInfinity;
  return 2.0 / ((args[0] - 2.0) * (args[0] - 2.0) * (args[0] - 4.0));
}
double entropy(Params args) { return inv_gamma_entropy(0.5 * args[0]) - kLog2; }
}  // namespace

extern const Distribution inv_chi_square{
    .name = "inv_chi_square",
    .args = {{"degrees of freedom parameter", Domain::positive_finite}},
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

}  // namespace credo::dist::inv_chi_square_row
