// Poisson by the logarithm alpha of its rate: log p = y alpha - exp(alpha) - lgamma(y + 1); alpha =
// -infinity is rate 0.
#include "dist/formula.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::poisson_log_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  // 0 * -infinity is 0 here: no event at rate 0
  const Expr certain = equal(y, 0.0) * equal(args[0], -kInfinity);
  return {-lgamma(y + 1.0), y * select(certain, 0.0, args[0]) - exp(args[0])};
}
Expr log_cdf(const Expr& y, Args args) { return log_gamma_q(y + 1.0, exp(args[0])); }
Expr log_ccdf(const Expr& y, Args args) { return log_gamma_p(y + 1.0, exp(args[0])); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) { return draw_poisson(rng, numerics::exp(args[0])); }
double mean(Params args) { return numerics::exp(args[0]); }
double variance(Params args) { return numerics::exp(args[0]); }
Terms information(Args args) { return {exp(args[0])}; }
}  // namespace

extern const Distribution poisson_log{.name = "poisson_log",
                                      .discrete = true,
                                      .args = {{"log rate parameter", Domain::real}},
                                      .outcome = {"random variable", Domain::integer},
                                      .lower = 0.0,
                                      .reference = "johnson2005, ch. 4",
                                      .log_density = log_density,
                                      .cdf = cdf,
                                      .log_cdf = log_cdf,
                                      .log_ccdf = log_ccdf,
                                      .draw = draw,
                                      .mean = mean,
                                      .variance = variance,
                                      .information = information};

}  // namespace credo::dist::poisson_log_row
