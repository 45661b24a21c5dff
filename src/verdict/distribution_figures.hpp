// The figures of a summary by the integrated distribution of one coordinate (verdict/marginal.hpp), against
// those of the draws by their own standard errors: what counts in the end is whether these agree.
#pragma once
#include "verdict/case.hpp"
#include "verdict/marginal.hpp"

namespace credo::verdict {

struct DistributionFigures {
  double mean = kNaN, sd = kNaN;
  std::array<double, 3> quantiles{kNaN, kNaN, kNaN};  // 5, 50 and 95 %
};

// Figures of an output that is a monotone function of the coordinate; values: the output on the grid.
DistributionFigures figures_of(const Marginal& distribution, std::span<const double> values);

// Figures of another coordinate: a mixture of its normal distributions given the first.
DistributionFigures figures_of_other(const Marginal& distribution, std::size_t coordinate);

// The largest difference of a figure, in standard errors of the draws; those below 0.03 standard
// deviations count as 0.
double largest_difference(const diagnose::Chains& draws, const DistributionFigures& distribution);

// How many of its own errors the draws' standard deviation is too small: mass far out that no draw
// has met. 0 where it is less than a tenth too small.
double missing_spread(const diagnose::Chains& draws, const DistributionFigures& distribution);

}  // namespace credo::verdict
