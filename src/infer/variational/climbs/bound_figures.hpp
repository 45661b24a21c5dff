// Figures and words on a fitted family for the result, as every method that climbs an objective reports them.
#pragma once
#include "infer/core/chain.hpp"
#include "infer/variational/climbs/bound.hpp"

namespace credo::infer {

// The bounds with their errors. `bound`: the highest lower one.
std::vector<TunedSetting> figures_of_bounds(const LogEvidence& bound, const FreshBounds& bounds);
// The distribution, the bounds with their errors, evaluations.
std::vector<TunedSetting> bound_figures(const BestNormal& best);
// A climb that used up its iterations or steps.
std::string words_on_climb(const BestNormal& best);

}  // namespace credo::infer
