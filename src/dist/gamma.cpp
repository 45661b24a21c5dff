// Gamma with shape alpha, rate beta: log p = alpha log beta - lgamma(alpha) + (alpha - 1) log y -
// beta y.
#include "dist/entropy.hpp"
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::gamma_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &alpha = args[0], &beta = args[1];
  return {-lgamma(alpha), alpha * log(beta), multiply_log(alpha - 1.0, y), -(beta * y)};
}
Expr log_cdf(const Expr& y, Args args) { return log_gamma_p(args[0], args[1] * y); }
Expr log_ccdf(const Expr& y, Args args) { return log_gamma_q(args[0], args[1] * y); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double quantile(const Level& at, Params args) { return gamma_quantile(at, args[0]) / args[1]; }
double draw(Rng& rng, Params args) { return draw_gamma(rng, args[0]) / args[1]; }
double mean(Params args) { return args[0] / args[1]; }
double variance(Params args) { return args[0] / (args[1] * args[1]); }
double entropy(Params args) { return gamma_entropy(args[0]) - numerics::log(args[1]); }
Terms information(Args args) {
  return {trigamma(args[0]), -inv(args[1]), args[0] / square(args[1])};
}
}  // namespace

extern const Distribution gamma{.name = "gamma",
                                .args = {{"shape parameter", Domain::positive_finite},
                                         {"inverse scale parameter", Domain::positive_finite}},
                                .lower = 0.0,
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
                                .entropy = entropy,
                                .information = information};

}  // namespace credo::dist::gamma_row
