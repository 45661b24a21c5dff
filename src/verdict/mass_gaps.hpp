// Where the draws have less or more mass than the density itself says (verdict/marginal.hpp).
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

struct MassGap {
  Index column = -1;
  double value = kNaN;       // of the output
  double by_density = kNaN;  // share of the mass below that value
  double by_draws = kNaN;    // share of the draws
  double errors = 0.0;       // difference in standard errors of the draws' share
  // Whether what draws miss lies below the value.
  bool misses_below() const { return by_draws < by_density; }
};

// Of one sampled output: none found, or the largest gap.
struct MassCheck {
  Index column = -1;
  std::optional<MassGap> gap = {};
  double difference = kInfinity;  // largest of its figures, in their own standard errors
  double missing_spread = 0.0;    // standard errors by which its standard deviation is too small
  double sd_by_density = kNaN;
  std::vector<std::pair<Index, double>> others =
      {};  // columns, by the same distribution: their difference
};

// Of the coordinates whose distribution could be worked out: those where divergences sit first, then scales,
// then those that mix worst, as far as the budget goes.
std::vector<MassCheck> check_masses(const Case& at_hand);

// Whether draws and density agree along an output; along all that were sampled, in all of their
// figures, though not along each by an integration of its own.
bool is_cleared(const Case& at_hand, Index column);
bool are_all_cleared(const Case& at_hand);

}  // namespace credo::verdict
