// Gumbel: log p = -log beta - z - exp(-z), z = (y - mu)/beta; P(Y <= y) = exp(-exp(-z)).
#include "dist/formula.hpp"

namespace credo::dist::gumbel_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr z = standardised(y, args[0], args[1]);
  return {-log(args[1]), -z - exp(-z)};
}
Expr log_cdf(const Expr& y, Args args) { return -exp(standardised(args[0], y, args[1])); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
// Far right the upper tail is exp(-z) itself: exp(-z) is below 1e-300 from z = 690 on, where
// log1m_exp would see -0.
Expr log_ccdf(const Expr& y, Args args) {
  const Expr z = standardised(y, args[0], args[1]), far = less(40.0, z);
  return select(far, -z, log1m_exp(-exp(-select(far, 0.0, z))));
}
double quantile(const Level& at, Params args) { return args[0] - args[1] * log_minus_log_p(at); }
double draw(Rng& rng, Params args) { return args[0] - args[1] * numerics::log(rng.exponential()); }
Expr from_uniform(const Expr& u, Args args) { return args[0] - args[1] * log(-log(u)); }
double mean(Params args) { return args[0] + 0.57721566490153286061 * args[1]; }
double variance(Params args) { return kPi * kPi / 6.0 * args[1] * args[1]; }
double entropy(Params args) { return 1.0 + kEuler + numerics::log(args[1]); }
}  // namespace

extern const Distribution gumbel{
    .name = "gumbel",
    .args = {{"location parameter"}, {"scale parameter", Domain::positive_finite}},
    .reference = "johnson1995, ch. 22",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .draw = draw,
    .from_uniform = from_uniform,
    .mean = mean,
    .variance = variance,
    .entropy = entropy};

}  // namespace credo::dist::gumbel_row
