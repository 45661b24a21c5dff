// Location of some of the draws in parameter space.
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

// A column in which marked draws differ most from the others.
struct Located {
  Index column = -1;          // -1: nowhere in particular
  double z = 0.0;             // of the ranks' sum; below 0: at the low end
  double median = kNaN;       // of the marked draws
  double share_below = kNaN;  // of the other draws, below that median
  double mean = kNaN;         // of the marked draws
};

Index num_marked(std::span<const double> marks);  // above 0
// True if count / total exceeds the share by more than chance (Poisson, 1 in 20). Rates are compared, so that more
// draws don't make the verdict worse.
bool exceeds(Index count, Index total, double share);
// Mean of the marked draws of one column; NaN if none or all are marked.
double mean_of_marked(const diagnose::Chains& draws, std::span<const double> marks);
// Location of the marked draws of one column: marks as long as its values.
Located located_in(const diagnose::Chains& draws, Index column, std::span<const double> marks);
// The most certain of all sampled columns; column -1 below what chance gives in so many.
Located located(const Case& at_hand, std::span<const double> marks);

}  // namespace credo::verdict
