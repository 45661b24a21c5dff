// Checks of a table for mistakes that a fit wouldn't show: notes, and a refusal where a fit has no answer.
#pragma once
#include "models/regression/regression.hpp"

namespace credo::models {

// Credo's family for a name of another package: "gaussian" is normal. Empty if the name is unknown.
std::string family_elsewhere(std::string_view name);

// Refuses the outcome itself on the right side, outside of lag() and diff().
void refuse_outcome_as_term(const Formula& formula, FormulaFaults& faults);

// After the priors are set: columns that separate outcomes of 0 and 1 (a fault if the coefficient has no prior), levels that look like
// one, and outcomes of 0 and 1 or of counts that became normal since no family was stated. Adds to Regression::notes.
void check_table(Regression& made, const RegressionRequest& request, const Frame& frame,
                 FormulaFaults& faults);

// Pairs of levels that may be one, the first as the more frequent: equal except for case, blanks and signs, or a rare one at a distance of one
// edit. `counts`: rows of each level.
struct SimilarLevels {
  std::size_t frequent = 0, rare = 0;
};
std::vector<SimilarLevels> similar_levels(std::span<const std::string> levels,
                                          std::span<const Index> counts);

// A column that separates all outcomes of 1 from those of 0: they are 1 on the side that is high if `is_above`, from the border on.
struct Separation {
  bool is_above = true, is_complete = false;  // not complete: at the border itself both occur
  double border = 0.0;
};
// Nullopt if the column doesn't separate them, or if there are outcomes of one kind only.
std::optional<Separation> separation_by(std::span<const double> column,
                                        std::span<const double> outcome);

}  // namespace credo::models
