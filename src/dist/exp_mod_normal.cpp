// A normal plus an exponential of rate lambda: with z = (y - mu)/sigma and s = lambda sigma,
//   log p = log lambda + s^2/2 - s z + log Phi(z - s);   P(Y <= y) = Phi(z) - p(y)/lambda.
#include "dist/formula.hpp"

namespace credo::dist {
namespace {

// log(p / lambda)
Expr log_part(const Expr& y, Args args) {
  const Expr z = standardised(y, args[0], args[1]), s = args[2] * args[1];
  return s * (0.5 * s - z) + log_phi(z - s);
}
Terms log_density(const Expr& y, Args args) { return {log(args[2]), log_part(y, args)}; }
Expr log_cdf(const Expr& y, Args args) {
  return log_diff_exp(log_phi(standardised(y, args[0], args[1])), log_part(y, args));
}
Expr log_ccdf(const Expr& y, Args args) {
  return log_sum_exp(log_phi(standardised(args[0], y, args[1])), log_part(y, args));
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) {
  return args[0] + args[1] * rng.normal() + rng.exponential() / args[2];
}
double mean(Params args) { return args[0] + 1.0 / args[2]; }
double variance(Params args) { return args[1] * args[1] + 1.0 / (args[2] * args[2]); }
}  // namespace

extern const Distribution exp_mod_normal{
    .name = "exp_mod_normal",
    .args = {{"location parameter"},
             {"scale parameter", Domain::positive_finite},
             {"inverse scale parameter", Domain::positive_finite}},
    .reference = "grushka1972",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .draw = draw,
    .mean = mean,
    .variance = variance};

}  // namespace credo::dist
