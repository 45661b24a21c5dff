// Binomial of size N by the log odds alpha: log p = lchoose(N, y) + y log inv_logit(alpha) + (N -
// y) log inv_logit(-alpha).
#include "dist/binomial_tails.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::binomial_logit_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &size = args[0], &alpha = args[1];
  return {lchoose(size, y), y * log_inv_logit(alpha) + (size - y) * log_inv_logit(-alpha)};
}
Expr log_cdf(const Expr& y, Args args) { return binomial_log_cdf(y, args[0], args[1]); }
Expr log_ccdf(const Expr& y, Args args) { return binomial_log_ccdf(y, args[0], args[1]); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
Support support(Args args) { return {0.0, args[0]}; }
double draw(Rng& rng, Params args) {
  return draw_binomial(rng, args[0], numerics::inv_logit(args[1]));
}
double mean(Params args) { return args[0] * numerics::inv_logit(args[1]); }
double variance(Params args) {
  return args[0] * numerics::inv_logit(args[1]) * numerics::inv_logit(-args[1]);
}
Terms information(Args args) {
  return {{}, {}, args[0] * inv_logit(args[1]) * inv_logit(-args[1])};
}
}  // namespace

extern const Distribution binomial_logit{.name = "binomial_logit",
                                         .discrete = true,
                                         .args = {{"population size parameter", Domain::count},
                                                  {"logit transformed probability parameter"}},
                                         .outcome = {"successes variable", Domain::integer},
                                         .support = support,
                                         .support_rule = "between 0 and the population size",
                                         .reference = "johnson2005, ch. 3",
                                         .log_density = log_density,
                                         .cdf = cdf,
                                         .log_cdf = log_cdf,
                                         .log_ccdf = log_ccdf,
                                         .draw = draw,
                                         .mean = mean,
                                         .variance = variance,
                                         .information = information};

}  // namespace credo::dist::binomial_logit_row
