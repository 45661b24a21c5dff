// Bernoulli by its log odds alpha: log p = -log1p_exp(-(2 y - 1) alpha).
#include "dist/formula.hpp"

namespace credo::dist {
namespace {

Terms log_density(const Expr& y, Args args) { return {-log1p_exp((1.0 - 2.0 * y) * args[0])}; }
double draw(Rng& rng, Params args) {
  return rng.uniform() < numerics::inv_logit(args[0]) ? 1.0 : 0.0;
}
double quantile(double p, Params args) { return p <= numerics::inv_logit(-args[0]) ? 0.0 : 1.0; }
double mean(Params args) { return numerics::inv_logit(args[0]); }
double variance(Params args) {
  return numerics::inv_logit(args[0]) * numerics::inv_logit(-args[0]);
}
Terms information(Args args) { return {inv_logit(args[0]) * inv_logit(-args[0])}; }
}  // namespace

extern const Distribution bernoulli_logit{
    .name = "bernoulli_logit",
    .discrete = true,
    .args = {{"logit transformed probability parameter", Domain::real}},
    .outcome = {"random variable", Domain::integer},
    .lower = 0.0,
    .upper = 1.0,
    .reference = "johnson2005, ch. 3",
    .log_density = log_density,
    .quantile = quantile,
    .draw = draw,
    .mean = mean,
    .variance = variance,
    .information = information};

}  // namespace credo::dist
