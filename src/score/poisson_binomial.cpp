#include "score/poisson_binomial.hpp"

#include "base/error.hpp"
#include "numerics/incomplete_beta.hpp"

namespace credo::score {
namespace {
constexpr double kSmallest = 1e-40;  // masses left out at the ends add up to less than n times this
}

PoissonBinomial::PoissonBinomial(std::span<const double> probabilities) : mass_{1.0} {
  for (const double p : probabilities) {
    mass_.push_back(0.0);
    for (std::size_t k = mass_.size() - 1; k > 0; --k)
      mass_[k] = mass_[k] * (1.0 - p) + mass_[k - 1] * p;
    mass_[0] *= 1.0 - p;
    while (mass_.size() > 1 && mass_.back() < kSmallest) mass_.pop_back();
    std::size_t small = 0;
    while (small + 1 < mass_.size() && mass_[small] < kSmallest) ++small;
    mass_.erase(mass_.begin(), mass_.begin() + static_cast<std::ptrdiff_t>(small));
    first_ += static_cast<Index>(small);
  }
  below_.resize(mass_.size()), above_.resize(mass_.size());
  std::partial_sum(mass_.begin(), mass_.end(), below_.begin());
  std::partial_sum(mass_.rbegin(), mass_.rend(), above_.rbegin());
}

double PoissonBinomial::mass(Index count) const {
  const Index k = count - first_;
  return k < 0 || k >= ssize(mass_) ? 0.0 : mass_[static_cast<std::size_t>(k)];
}

double PoissonBinomial::at_most(Index count) const {
  const Index k = count - first_;
  return k < 0 ? 0.0 : below_[static_cast<std::size_t>(std::min(k, ssize(mass_) - 1))];
}

double PoissonBinomial::at_least(Index count) const {
  const Index k = count - first_;
  return k >= ssize(mass_) ? 0.0 : above_[static_cast<std::size_t>(std::max<Index>(k, 0))];
}

double PoissonBinomial::two_sided_p(Index count) const {
  return std::min(1.0, 2.0 * std::min(at_most(count), at_least(count)));
}

PoissonBinomial::Range PoissonBinomial::range_above(double p) const {
  Range range{first_, first_ + ssize(mass_) - 1};
  while (range.lower < range.upper && two_sided_p(range.lower) <= p) ++range.lower;
  while (range.upper > range.lower && two_sided_p(range.upper) <= p) --range.upper;
  return range;
}

ShareInterval share_interval(Index count, Index trials, double probability) {
  CREDO_ASSERT(trials >= 1 && count >= 0 && count <= trials, "a share of trials");
  const auto k = static_cast<double>(count), n = static_cast<double>(trials);
  const double outside = 0.5 * (1.0 - probability);
  return {count == 0 ? 0.0 : numerics::inv_inc_beta(k, n - k + 1.0, outside),
          count == trials ? 1.0 : numerics::inv_inc_beta(k + 1.0, n - k, 1.0 - outside)};
}

double binomial_at_most(Index count, Index trials, double probability) {
  if (count >= trials) return 1.0;
  const auto k = static_cast<double>(count), n = static_cast<double>(trials);
  return numerics::inc_beta_complement(k + 1.0, n - k, probability);
}

}  // namespace credo::score
