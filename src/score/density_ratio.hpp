// How much denser new rows lie at a place than old ones: the odds of a logistic regression that tells them apart [bickel2009].
#pragma once
#include "base/types.hpp"

namespace credo::score {

struct DensityRatios {
  std::vector<double> of_old, of_new;  // at the rows of each
  std::vector<double> coefficients;    // of the logarithm, less a constant
};

// Designs: row after row, the same columns, the first of them 1. exp(x b) N_old / N_new. Throws Error(data) where the rows are told
// apart without a fault (no ratio is finite then) and where columns depend on each other.
DensityRatios density_ratios(std::span<const double> old_design, std::span<const double> new_design,
                             Index num_columns);

}  // namespace credo::score
