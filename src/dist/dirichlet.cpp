// Dirichlet: log p = lgamma(sum alpha) - sum lgamma(alpha) + sum (alpha - 1) log theta, for each of
// B simplexes; one alpha may serve all.
#include "dist/batch.hpp"
#include "dist/counts.hpp"
#include "dist/entropy.hpp"
#include "dist/formula.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"
#include "numerics/log_sum.hpp"

namespace credo::dist::dirichlet_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr& alpha = args[0];
  const Batch outcome(y), shapes(alpha);
  const auto count = static_cast<double>(num_joined({outcome, shapes}));
  Expr normaliser = 0.0;
  for (Index b = 0; b < shapes.count; ++b) {
    const Expr one = shapes.vector(b);
    normaliser = normaliser + (lgamma(sum(one)) - sum(lgamma(one)));
  }
  const double repeats = count / static_cast<double>(shapes.count);
  const Expr exponent = repeat(alpha - 1.0, shapes, outcome);
  return {repeats * normaliser, sum(multiply_log(exponent, repeat(y, outcome, shapes)))};
}
void check(const Expr&, Args args, std::string_view function, Checks& checks) {
  checks.greater(args[0], 0.0, {function, "prior sample sizes parameter", "positive"});
}
std::vector<double> draw_all(Rng& rng, Args args) {
  const auto alpha = args[0].values();
  std::vector<double> logs(alpha.size());
  for (std::size_t k = 0; k < alpha.size(); ++k) logs[k] = draw_log_gamma(rng, alpha[k]);
  numerics::weights_of_largest(logs);
  const double total = std::accumulate(logs.begin(), logs.end(), 0.0);
  for (double& x : logs) x /= total;
  return logs;
}
// Sticks broken off one after another: beta(alpha_k, sum of later alphas) of the rest, whose length has a
// known expected logarithm.
double entropy(std::span<const double> alpha, double total) {
  double entropy = 0.0, rest = total;
  for (std::size_t k = 0; k + 1 < alpha.size(); ++k) {
    entropy -= numerics::digamma_delta(rest, total - rest);
    rest = std::accumulate(alpha.begin() + static_cast<std::ptrdiff_t>(k) + 1, alpha.end(), 0.0);
    entropy += beta_entropy(alpha[k], rest);
  }
  return entropy;
}
Moments moments(Args args) {
  const auto alpha = args[0].values();
  const double total = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  return share_moments(alpha, total, 1.0 / (total + 1.0), entropy(alpha, total));
}
}  // namespace

extern const Distribution dirichlet{.name = "dirichlet",
                                    .kind = Kind::multivariate,
                                    .args = {{"prior sample sizes parameter"}},
                                    .outcome = {"probabilities variable", Domain::unit_simplex},
                                    .reference = "kotz2000, ch. 49",
                                    .log_density = log_density,
                                    .check = check,
                                    .draw_all = draw_all,
                                    .moments = moments};

}  // namespace credo::dist::dirichlet_row
