// Poisson: log p = y log lambda - lambda - lgamma(y + 1), with 0 log 0 = 0. P(Y <= y) = Q(y + 1,
// lambda).
#include "dist/formula.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::poisson_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {-lgamma(y + 1.0), multiply_log(y, args[0]) - args[0]};
}
Expr log_cdf(const Expr& y, Args args) { return log_gamma_q(y + 1.0, args[0]); }
Expr log_ccdf(const Expr& y, Args args) { return log_gamma_p(y + 1.0, args[0]); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) { return draw_poisson(rng, args[0]); }
double mean(Params args) { return args[0]; }
double variance(Params args) { return args[0]; }
Terms information(Args args) { return {inv(args[0])}; }
}  // namespace

extern const Distribution poisson{.name = "poisson",
                                  .discrete = true,
                                  .args = {{"rate parameter", Domain::nonnegative_finite}},
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

}  // namespace credo::dist::poisson_row
