// The effect of an intervention and the checks of its assumptions, as text and as arrays.
#pragma once
#include "models/series/impact.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

// An effect where none is expected.
struct ImpactCheck {
  std::string kind, name;  // "backcast", "placebo", "covariate"; the time, the column
  models::Impact impact = {};
  double covered = kNaN;     // share of the outcomes within their own intervals
  std::string failure = {};  // why it couldn't be computed
  bool is_computed() const { return failure.empty(); }
  bool is_passed() const { return is_computed() && impact.contains_zero(); }
};

struct ImpactReport {
  const models::Series& made;
  const models::Impact& impact;
  std::span<const ImpactCheck> checks;
  double level = 0.95;

  std::string text() const;
  std::string sentence() const;
  results::ArrayList answer() const;
};

}  // namespace credo::cli
