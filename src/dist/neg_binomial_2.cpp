// Negative binomial by mean mu and concentration phi:
//   log p = lgamma_excess(phi, y) - lgamma(y + 1) + y log mu - (phi + y) log1p(mu/phi),
// from Gamma(phi + y)/(Gamma(phi) phi^y) * mu^y * (1 + mu/phi)^-(phi + y): exact in the Poisson
// limit phi -> infinity.
#include "dist/neg_binomial_tails.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::neg_binomial_2_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &mu = args[0], &phi = args[1];
  return {-lgamma(y + 1.0), lgamma_excess(phi, y), multiply_log(y, mu),
          -scaled_log1p(phi, mu) - y * log1p(mu / phi)};
}
Expr log_cdf(const Expr& y, Args args) {
  return neg_binomial_log_cdf({y, args[0], log(args[0]), args[1]});
}
Expr log_ccdf(const Expr& y, Args args) {
  return neg_binomial_log_ccdf({y, args[0], log(args[0]), args[1]});
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) { return draw_neg_binomial(rng, args[1], args[0]); }
double mean(Params args) { return args[0]; }
double variance(Params args) { return args[0] + args[0] * args[0] / args[1]; }
Terms information(Args args) { return {inv(args[0] * (1.0 + args[0] / args[1])), 0.0, {}}; }
}  // namespace

extern const Distribution neg_binomial_2{.name = "neg_binomial_2",
                                         .discrete = true,
                                         .args = {{"location parameter", Domain::positive_finite},
                                                  {"precision parameter", Domain::positive_finite}},
                                         .outcome = {"failures variable", Domain::integer},
                                         .lower = 0.0,
                                         .reference = "johnson2005, ch. 5",
                                         .log_density = log_density,
                                         .cdf = cdf,
                                         .log_cdf = log_cdf,
                                         .log_ccdf = log_ccdf,
                                         .draw = draw,
                                         .mean = mean,
                                         .variance = variance,
                                         .information = information};

}  // namespace credo::dist::neg_binomial_2_row
