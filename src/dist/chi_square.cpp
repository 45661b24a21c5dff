// Chi-square with nu degrees of freedom: a gamma distribution of shape nu/2 and rate 1/2.
#include "dist/entropy.hpp"
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::chi_square_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr half = 0.5 * args[0];
  return {-lgamma(half) - kLog2 * half, multiply_log(half - 1.0, y), -0.5 * y};
}
Expr log_cdf(const Expr& y, Args args) { return log_gamma_p(0.5 * args[0], 0.5 * y); }
Expr log_ccdf(const Expr& y, Args args) { return log_gamma_q(0.5 * args[0], 0.5 * y); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double quantile(const Level& at, Params args) { return 2.0 * gamma_quantile(at, 0.5 * args[0]); }
double draw(Rng& rng, Params args) { return 2.0 * draw_gamma(rng, 0.5 * args[0]); }
double mean(Params args) { return args[0]; }
double variance(Params args) { return 2.0 * args[0]; }
double entropy(Params args) { return gamma_entropy(0.5 * args[0]) + kLog2; }
}  // namespace

extern const Distribution chi_square{
    .name = "chi_square",
    .args = {{"degrees of freedom parameter", Domain::positive_finite}},
    .lower = 0.0,
    .reference = "johnson1994, ch. 18",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .draw = draw,
    .mean = mean,
    .variance = variance,
    .entropy = entropy};

}  // namespace credo::dist::chi_square_row
