// Rayleigh with scale sigma: log p = log y - 2 log sigma - z^2/2, z = y/sigma.
#include "dist/formula.hpp"

namespace credo::dist::rayleigh_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {log(y), -2.0 * log(args[0]), -0.5 * square(y / args[0])};
}
Expr exponent(const Expr& y, Args args) { return -0.5 * square(y / args[0]); }
Expr cdf(const Expr& y, Args args) { return -expm1(exponent(y, args)); }
Expr log_cdf(const Expr& y, Args args) { return log1m_exp(exponent(y, args)); }
Expr log_ccdf(const Expr& y, Args args) { return exponent(y, args); }
double quantile(const Level& at, Params args) {
  return args[0] * numerics::exp(0.5 * (kLog2 + log_minus_log_q(at)));
}
double draw(Rng& rng, Params args) { return args[0] * numerics::sqrt(2.0 * rng.exponential()); }
double mean(Params args) { return args[0] * numerics::sqrt(0.5 * kPi); }
double variance(Params args) { return (2.0 - 0.5 * kPi) * args[0] * args[0]; }
double entropy(Params args) { return 1.0 + 0.5 * (kEuler - kLog2) + numerics::log(args[0]); }
}  // namespace

extern const Distribution rayleigh{.name = "rayleigh",
                                   .args = {{"scale parameter", Domain::positive_finite}},
                                   .lower = kSmallest,
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

}  // namespace credo::dist::rayleigh_row
