// Regions in which the draws have less or more mass than the density itself (verdict/marginal.hpp).
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

struct MassGap {
  Index column = -1;
  double value = kNaN;       // value of the output
  double by_density = kNaN;  // share of the mass below that value
  double by_draws = kNaN;    // share of the draws
  double errors = 0.0;       // difference in standard errors of the draws' share
  // True if the missing draws lie below the value.
  bool misses_below() const { return by_draws < by_density; }
};

// Result for one sampled output: the largest gap, if there is one.
struct MassCheck {
  Index column = -1;
  std::optional<MassGap> gap = {};
  double difference = kInfinity;  // largest of its figures, in their own standard errors
  double missing_spread = 0.0;    // standard errors by which its standard deviation is too small
  double sd_by_density = kNaN;
  std::vector<std::pair<Index, double>> others =
      {};  // columns, by the same distribution: their difference
};

// Checks of the coordinates whose distribution could be computed: the location of divergences first, then scales,
// then those that mix worst, as far as the budget goes.
std::vector<MassCheck> check_masses(const Case& at_hand);

// True if draws and density agree along an output, or along all sampled outputs, in all of their
// figures, though not along each by an integration of its own.
bool is_cleared(const Case& at_hand, Index column);
bool are_all_cleared(const Case& at_hand);

}  // namespace credo::verdict
