// Variance of an outcome given its row: the noise of Bayesian R2.
#pragma once
#include "base/types.hpp"

namespace credo::models {

struct VarianceAt {
  double mean, trials;                 // expected outcome; trials: 1 without
  std::span<const double> parameters;  // of the family, in its order
};

struct OutcomeVarianceRow {
  std::string_view family;
  Index num_parameters;
  double (*variance)(const VarianceAt&);
};

// Null for families without a row: their residuals take its place.
const OutcomeVarianceRow* find_outcome_variance(std::string_view family);
std::span<const OutcomeVarianceRow> outcome_variances();  // alphabetical

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
