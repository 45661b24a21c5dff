// Failures before the r-th success whose probability is beta(alpha, beta):
//   p = Gamma(r + y) / (Gamma(r) y!) B(alpha + r, beta + y) / B(alpha, beta).
#include "dist/mass_sums.hpp"
#include "dist/samplers.hpp"

namespace credo::dist {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &r = args[0], &alpha = args[1], &beta = args[2];
  return {-lgamma(y + 1.0), lgamma_delta(r, y), lgamma_delta(alpha, beta),
          -lgamma_delta(r + alpha, beta + y), lgamma_delta(beta, y)};
}
Expr log_cdf(const Expr& y, Args args) {
  std::vector<WholeRange> ranges;
  for (Index i = 0; i < num_elements(y, args); ++i) ranges.push_back({0.0, whole_value(y, i)});
  return log_sum_of_masses(log_density, ranges, args);
}
Expr log_ccdf(const Expr& y, Args args) { return log1m_exp(log_cdf(y, args)); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) {
  const double up = draw_log_gamma(rng, args[1]), down = draw_log_gamma(rng, args[2]);
  return draw_neg_binomial(rng, args[0], args[0] * numerics::exp(down - up));
}
double mean(Params args) { return args[1] > 1.0 ? args[0] * args[2] / (args[1] - 1.0) : kInfinity; }
double variance(Params args) {
  const double r = args[0], alpha = args[1], beta = args[2];
  if (alpha <= 2.0) return kInfinity;
  return r * beta * (r + alpha - 1.0) * (beta + alpha - 1.0) /
         ((alpha - 2.0) * (alpha - 1.0) * (alpha - 1.0));
}
}  // namespace

extern const Distribution beta_neg_binomial{
    .name = "beta_neg_binomial",
    .discrete = true,
    .args = {{"number of successes parameter", Domain::positive_finite},
             {"prior success parameter", Domain::positive_finite},
             {"prior failure parameter", Domain::positive_finite}},
    .outcome = {"failures variable", Domain::integer},
    .lower = 0.0,
    .reference = "johnson2005, ch. 6",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .draw = draw,
    .mean = mean,
    .variance = variance};

}  // namespace credo::dist
