// Inverse gamma with shape alpha, scale beta: log p = alpha log beta - lgamma(alpha) - (alpha + 1)
// log y - beta/y.
#include "dist/entropy.hpp"
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::inv_gamma_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &alpha = args[0], &beta = args[1];
  return {-lgamma(alpha), alpha * log(beta), -((alpha + 1.0) * log(y)), -(beta / y)};
}
Expr log_cdf(const Expr& y, Args args) { return log_gamma_q(args[0], args[1] / y); }
Expr log_ccdf(const Expr& y, Args args) { return log_gamma_p(args[0], args[1] / y); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double quantile(const Level& at, Params args) {
  return args[1] / gamma_quantile(complement(at), args[0]);
}
double draw(Rng& rng, Params args) { return args[1] / draw_gamma(rng, args[0]); }
double mean(Params args) { return args[0] > 1.0 ? args[1] / (args[0] - 1.0) : kInfinity; }
double variance(Params args) {
  if (args[0] <= 2.0) return kInfinity;
  return args[1] * args[1] / ((args[0] - 1.0) * (args[0] - 1.0) * (args[0] - 2.0));
}
double entropy(Params args) { return inv_gamma_entropy(args[0]) + numerics::log(args[1]); }
}  // namespace

extern const Distribution inv_gamma{.name = "inv_gamma",
                                    .args = {{"shape parameter", Domain::positive_finite},
                                             {"scale parameter", Domain::positive_finite}},
                                    .lower = kSmallest,
                                    .outside = Outside::minus_infinity,
                                    .reference = "johnson1994, ch. 17",
                                    .log_density = log_density,
                                    .cdf = cdf,
                                    .log_cdf = log_cdf,
                                    .log_ccdf = log_ccdf,
                                    .quantile = quantile,
                                    .draw = draw,
                                    .mean = mean,
                                    .variance = variance,
                                    .entropy = entropy};

}  // namespace credo::dist::inv_gamma_row
