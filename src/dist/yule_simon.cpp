// Yule-Simon on 1, 2, ... with shape alpha: log p = log alpha + log B(y, alpha + 1); P(Y > y) =
// y B(y, alpha + 1).
#include "dist/formula.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::yule_simon_row {
namespace {

Terms log_density(const Expr& y, Args args) { return {log(args[0]), lbeta(y, args[0] + 1.0)}; }
Expr log_ccdf(const Expr& y, Args args) { return log(y) + lbeta(y, args[0] + 1.0); }
Expr log_cdf(const Expr& y, Args args) { return log1m_exp(log_ccdf(y, args)); }
Expr cdf(const Expr& y, Args args) { return -expm1(log_ccdf(y, args)); }
// Geometric draw whose log probability of continuing is exponential.
double draw(Rng& rng, Params args) {
  const double log_stop = -rng.exponential() / args[0];
  return std::max(1.0, numerics::ceil(-rng.exponential() / numerics::log1m_exp(log_stop)));
}
double mean(Params args) { return args[0] > 1.0 ? args[0] / (args[0] - 1.0) : kInfinity; }
double variance(Params args) {
  const double alpha = args[0];
  if (alpha <= 2.0) return kInfinity;
  return alpha * alpha / ((alpha - 1.0) * (alpha - 1.0) * (alpha - 2.0));
}
}  // namespace

extern const Distribution yule_simon{.name = "yule_simon",
                                     .discrete = true,
                                     .args = {{"shape parameter", Domain::positive_finite}},
                                     .outcome = {"random variable", Domain::integer},
                                     .lower = 1.0,
                                     .reference = "johnson2005, ch. 11",
                                     .log_density = log_density,
                                     .cdf = cdf,
                                     .log_cdf = log_cdf,
                                     .log_ccdf = log_ccdf,
                                     .draw = draw,
                                     .mean = mean,
                                     .variance = variance};

}  // namespace credo::dist::yule_simon_row
