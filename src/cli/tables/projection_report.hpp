// Projection predictive selection of a fit of credo regression: the problem, and the answer as a text and as arrays.
#pragma once
#include "cli/command.hpp"
#include "models/selection/projection.hpp"
#include "results/arrays/arrays.hpp"
#include "results/files/fit.hpp"

namespace credo::cli {

struct ProjectionReport {
  std::string formula;
  Index num_rows = 0, num_draws = 0;
  models::Projection found;

  std::string text() const;
  results::ArrayList answer() const;
};

// Throws Error(usage) for families and formulas that can't be projected.
ProjectionReport project_fit(const results::Fit& fit, Output& output);

}  // namespace credo::cli
