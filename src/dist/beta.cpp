// Beta: log p = -lbeta(a, b) + (a - 1) log y + (b - 1) log1p(-y). Tails by the logit of y, so both
// keep their digits.
#include "dist/entropy.hpp"
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::beta_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &a = args[0], &b = args[1];
  return {-lbeta(a, b), multiply_log(a - 1.0, y), multiply_log(b - 1.0, 1.0 - y)};
}
Expr logit(const Expr& y) { return log(y) - log1p(-y); }
Expr log_cdf(const Expr& y, Args args) { return log_inc_beta(args[0], args[1], logit(y)); }
Expr log_ccdf(const Expr& y, Args args) { return log_inc_beta(args[1], args[0], -logit(y)); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double quantile(const Level& at, Params args) { return beta_quantile(at, args[0], args[1]); }
// G_a / (G_a + G_b), by logarithms because both may underflow for tiny shapes.
double draw(Rng& rng, Params args) {
  const double log_a = draw_log_gamma(rng, args[0]), log_b = draw_log_gamma(rng, args[1]);
  return numerics::inv_logit(log_a - log_b);
}
double mean(Params args) { return args[0] / (args[0] + args[1]); }
double variance(Params args) {
  const double total = args[0] + args[1];
  return args[0] * args[1] / (total * total * (total + 1.0));
}
double entropy(Params args) { return beta_entropy(args[0], args[1]); }
}  // namespace

extern const Distribution beta{.name = "beta",
                               .args = {{"first shape parameter", Domain::positive_finite},
                                        {"second shape parameter", Domain::positive_finite}},
                               .lower = 0.0,
                               .upper = 1.0,
                               .reference = "johnson1995, ch. 25",
                               .log_density = log_density,
                               .cdf = cdf,
                               .log_cdf = log_cdf,
                               .log_ccdf = log_ccdf,
                               .quantile = quantile,
                               .draw = draw,
                               .mean = mean,
                               .variance = variance,
                               .entropy = entropy};

}  // namespace credo::dist::beta_row
