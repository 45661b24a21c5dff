// Negative binomial by the logarithm eta of its mean and concentration phi, as neg_binomial_2 with
// mu/phi taken as exp(eta - log phi): (phi + y) log1p(mu/phi) keeps its digits also where mu
// overflows.
#include "dist/neg_binomial_tails.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::neg_binomial_2_log_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &eta = args[0], &phi = args[1];
  return {-lgamma(y + 1.0), lgamma_excess(phi, y), y * eta,
          -scaled_log1p_exp(phi, eta) - y * log1p_exp(eta - log(phi))};
}
Expr log_cdf(const Expr& y, Args args) {
  return neg_binomial_log_cdf({y, exp(args[0]), args[0], args[1]});
}
Expr log_ccdf(const Expr& y, Args args) {
  return neg_binomial_log_ccdf({y, exp(args[0]), args[0], args[1]});
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) {
  return draw_neg_binomial(rng, args[1], numerics::exp(args[0]));
}
double mean(Params args) { return numerics::exp(args[0]); }
double variance(Params args) {
  const double mu = numerics::exp(args[0]);
  return mu + mu * mu / args[1];
}
Terms information(Args args) { return {inv(exp(-args[0]) + inv(args[1])), 0.0, {}}; }
}  // namespace

extern const Distribution neg_binomial_2_log{
    .name = "neg_binomial_2_log",
    .discrete = true,
    .args = {{"log location parameter"}, {"inverse dispersion parameter", Domain::positive_finite}},
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

}  // namespace credo::dist::neg_binomial_2_log_row
