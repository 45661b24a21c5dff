// Binomial of size N whose probability is beta(alpha, beta):
//   log p = lchoose(N, y) + log B(y + alpha, N - y + beta) - log B(alpha, beta),
// the beta functions as three rising factorials, which stays exact for large alpha and beta.
#include "dist/mass_sums.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::beta_binomial_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &size = args[0], &alpha = args[1], &beta = args[2];
  return {lchoose(size, y), lgamma_delta(alpha, y), lgamma_delta(beta, size - y),
          -lgamma_delta(alpha + beta, size)};
}
Tails tails(const Expr& y, Args args) {
  return tails_by_masses(log_density, y, args, {0.0, args[0]});
}
Expr log_cdf(const Expr& y, Args args) { return tails(y, args).log_cdf; }
Expr log_ccdf(const Expr& y, Args args) { return tails(y, args).log_ccdf; }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
Support support(Args args) { return {0.0, args[0]}; }
double draw(Rng& rng, Params args) {
  const double up = draw_log_gamma(rng, args[1]), down = draw_log_gamma(rng, args[2]);
  return draw_binomial(rng, args[0], numerics::inv_logit(up - down));
}
double mean(Params args) { return args[0] * args[1] / (args[1] + args[2]); }
double variance(Params args) {
  const double total = args[1] + args[2], p = args[1] / total;
  return args[0] * p * (args[2] / total) * (total + args[0]) / (total + 1.0);
}
}  // namespace

extern const Distribution beta_binomial{
    .name = "beta_binomial",
    .discrete = true,
    .args = {{"population size parameter", Domain::count},
             {"first prior sample size parameter", Domain::positive_finite},
             {"second prior sample size parameter", Domain::positive_finite}},
    .outcome = {"successes variable", Domain::integer},
    .support = support,
    .outside = Outside::minus_infinity,
    .reference = "johnson2005, ch. 6",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .draw = draw,
    .mean = mean,
    .variance = variance};

}  // namespace credo::dist::beta_binomial_row
