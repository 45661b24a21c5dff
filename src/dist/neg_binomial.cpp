// Negative binomial with shape alpha and inverse scale beta: mean alpha/beta,
//   log p = lgamma_excess(alpha, y) - lgamma(y + 1) + y log(alpha/beta) - (alpha + y)
//   log1p(1/beta),
// from Gamma(alpha + y)/(Gamma(alpha) y!) (beta/(beta + 1))^alpha (1/(beta + 1))^y and 1/(beta + 1)
// = (1/beta)/(1 + 1/beta).
#include "dist/formula.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::neg_binomial_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &alpha = args[0], &beta = args[1];
  return {-lgamma(y + 1.0), lgamma_excess(alpha, y) + multiply_log(y, alpha),
          -(alpha * log1p(1.0 / beta)), -(y * log1p(beta))};
}
Expr log_cdf(const Expr& y, Args args) { return log_inc_beta(args[0], y + 1.0, log(args[1])); }
Expr log_ccdf(const Expr& y, Args args) { return log_inc_beta(y + 1.0, args[0], -log(args[1])); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) { return draw_neg_binomial(rng, args[0], args[0] / args[1]); }
double mean(Params args) { return args[0] / args[1]; }
double variance(Params args) { return args[0] / args[1] * (1.0 + 1.0 / args[1]); }
}  // namespace

extern const Distribution neg_binomial{
    .name = "neg_binomial",
    .discrete = true,
    .args = {{"shape parameter", Domain::positive_finite},
             {"inverse scale parameter", Domain::positive_finite}},
    .outcome = {"failures variable", Domain::integer},
    .lower = 0.0,
    .reference = "johnson2005, ch. 5",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .draw = draw,
    .mean = mean,
    .variance = variance};

}  // namespace credo::dist::neg_binomial_row
