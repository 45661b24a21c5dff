// Multinomial counts whose probabilities are dirichlet(alpha): with N = sum y, A = sum alpha,
//   log p = log N!/prod y! + sum log Gamma(alpha + y)/Gamma(alpha) - log Gamma(A + N)/Gamma(A).
#include "dist/counts.hpp"
#include "dist/entropy.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::dirichlet_multinomial_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {log_coefficient(y), sum(lgamma_delta(args[0], y)), -lgamma_delta(sum(args[0]), sum(y))};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  checks.greater(args[0], 0.0, {function, "prior sample sizes parameter", "positive"});
  check_counts(y, args[0], function, checks);
}
// Arguments of _rng: alpha and N.
std::vector<double> draw_all(Rng& rng, Args args) {
  const std::array shapes{args[0]};
  const std::vector<double> theta = find("dirichlet")->draw_all(rng, shapes);
  return draw_counts(rng, theta, args[1].value());
}
// Each count is beta-binomial.
double entropy(std::span<const double> alpha, double total, double size) {
  if (alpha.size() < 2) return 0.0;
  double entropy = numerics::lgamma_delta(total, size) - numerics::lgamma(size + 1.0);
  for (const double a : alpha) {
    const std::array<double, 3> params{size, a, total - a};
    entropy += expectation(*find("beta_binomial"), params,
                           [a](const Expr& k) { return lgamma(k + 1.0) - lgamma_delta(a, k); });
  }
  return entropy;
}
Moments moments(Args args) {
  const auto alpha = args[0].values();
  const double size = args[1].value(), total = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  const double variance = size * (size + total) / (1.0 + total);
  return count_moments(share_moments(alpha, total, variance, entropy(alpha, total, size)), size);
}
}  // namespace

extern const Distribution dirichlet_multinomial{
    .name = "dirichlet_multinomial",
    .kind = Kind::multivariate,
    .discrete = true,
    .args = {{"prior sample sizes parameter"}},
    .outcome = {"number of trials variable", Domain::integer},
    .reference = "johnson1997, ch. 35",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::dirichlet_multinomial_row
