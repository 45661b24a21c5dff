// Counts of categories, as the multinomial distributions have them.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

// log N!/prod y!, N = sum y
inline Expr log_coefficient(const Expr& y) { return lgamma(sum(y) + 1.0) - sum(lgamma(y + 1.0)); }

// Shares p_k = weights_k / total with covariances `variance` (p_k [k = l] - p_k p_l).
inline Moments share_moments(std::span<const double> weights, double total, double variance,
                             double entropy) {
  Moments m{{}, {}, entropy};
  for (const double w : weights) m.mean.push_back(w / total);
  for (std::size_t l = 0; l < weights.size(); ++l) {
    for (std::size_t k = 0; k < weights.size(); ++k)
      m.covariance.push_back(variance * m.mean[k] * ((k == l ? 1.0 : 0.0) - m.mean[l]));
  }
  return m;
}
// Moments of counts of `size` things.
inline Moments count_moments(Moments shares, double size) {
  for (double& x : shares.mean) x *= size;
  return shares;
}

// Each count is binomial: -log p has the expectation -log N! - N sum theta log theta + sum E log
// y!.
Moments multinomial_moments(std::span<const double> theta, double size);

// Not negative, and as many as there are categories.
inline void check_counts(const Expr& y, const Expr& categories, std::string_view function,
                         Checks& checks) {
  if (y.empty()) return;
  checks.greater_equal(y, 0.0, {function, "number of trials variable", "nonnegative"});
  const graph::Requirement sizes{function, "size of the number of trials variable",
                                 "the number of categories"};
  const auto given = static_cast<double>(y.size()), wanted = static_cast<double>(categories.size());
  checks.greater_equal(given, wanted, sizes);
  checks.less_equal(given, wanted, sizes);
}

}  // namespace credo::dist
