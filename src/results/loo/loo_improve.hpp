// Remedies for rows whose importance weights aren't reliable: draws are moved, or the model is fitted without the rows.
#pragma once
#include "results/loo/loo.hpp"
#include "results/loo/refit.hpp"

namespace credo::results {

// Moment matching [paananen2021] for rows with a Pareto k above the limit (Loo::unreliable); a row's figures change where
// its k becomes smaller. Throws Error(usage) for weighted draws and for discrete parameters that are drawn.
void match_unreliable_rows(Loo& loo, const Fit& fit, const density::Model& model);

// Takes rows from fits without them: folds[k] is of one row, and refits[k] of folds[k]. Those that couldn't be fitted
// stay as they are.
void take_refits(Loo& loo, std::span<const Fold> folds, std::span<const Refit> refits);

std::vector<Fold> single_folds(std::span<const Index> rows);  // each row by itself

}  // namespace credo::results
