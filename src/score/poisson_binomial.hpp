// The number of events of independent ones, each with a probability of its own.
#pragma once
#include "base/types.hpp"

namespace credo::score {

// Its distribution, where it isn't below 1e-40: O(n · width).
class PoissonBinomial {
 public:
  explicit PoissonBinomial(std::span<const double> probabilities);
  double mass(Index count) const;
  double at_most(Index count) const;   // P(X <= count)
  double at_least(Index count) const;  // P(X >= count)
  // 2 min(P(X <= count), P(X >= count)), at most 1: below α with a probability of α at most.
  double two_sided_p(Index count) const;
  struct Range {
    Index lower = 0, upper = 0;
  };
  Range range_above(double p) const;  // counts whose two-sided p is above p

 private:
  Index first_ = 0;  // count of mass_[0]
  std::vector<double> mass_, below_, above_;
};

// Ends of the interval of a share of `count` in `trials` that holds the true one with this probability at least
// [clopper1934].
struct ShareInterval {
  double lower = 0.0, upper = 1.0;
};
ShareInterval share_interval(Index count, Index trials, double probability);

// The probability P(X <= count) of a binomial distribution.
double binomial_at_most(Index count, Index trials, double probability);

}  // namespace credo::score
