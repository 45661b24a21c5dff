// Bernoulli by its log odds alpha: log p = -log1p_exp(-(2 y - 1) alpha).
#include "dist/formula.hpp"

namespace credo::dist::bernoulli_logit_row {
namespace {

Terms log_density(const Expr& y, Args args) { return {-log1p_exp((1.0 - 2.0 * y) * args[0])}; }
Expr cdf(const Expr& y, Args args) { return select(less(y, 1.0), inv_logit(-args[0]), 1.0); }
Expr log_cdf(const Expr& y, Args args) {
  return select(less(y, 1.0), log_inv_logit(-args[0]), 0.0);
}
Expr log_ccdf(const Expr& y, Args args) {
  return select(less(y, 1.0), log_inv_logit(args[0]), -kInfinity);
}
double draw(Rng& rng, Params args) {
  return rng.uniform() < numerics::inv_logit(args[0]) ? 1.0 : 0.0;
}
Expr from_uniform(const Expr& u, Args args) { return less(u, inv_logit(args[0])); }
double mean(Params args) { return numerics::inv_logit(args[0]); }
double variance(Params args) {
  return numerics::inv_logit(args[0]) * numerics::inv_logit(-args[0]);
}
// log(1 + e^-a) + a (1 - p) with p = inv_logit(a), a the size of alpha
double entropy(Params args) {
  const double size = std::abs(args[0]);
  return numerics::log1p_exp(-size) + (size < 800.0 ? size * numerics::inv_logit(-size) : 0.0);
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
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .draw = draw,
    .from_uniform = from_uniform,
    .mean = mean,
    .variance = variance,
    .entropy = entropy,
    .information = information};

}  // namespace credo::dist::bernoulli_logit_row
