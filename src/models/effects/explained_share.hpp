// Bayesian R2 of a draw from the means of its rows and its noise.
#pragma once
#include "base/types.hpp"

namespace credo::models {

// Share of the variance that the means explain [gelman2019]: V(fit) / (V(fit) + noise), V over rows.
struct ExplainedShare {
  double all = kNaN;  // the means
  double within =
      kNaN;  // those without effects of groups, whose effects count as noise; NaN: not known
};
// `fixed`: means without effects of groups; empty for a model without groups. `noise`: mean variance given the rows.
ExplainedShare explained_share(std::span<const double> means, std::span<const double> fixed,
                               double noise);
double sample_variance(std::span<const double> values);

}  // namespace credo::models
