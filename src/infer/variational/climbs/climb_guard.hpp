// A climb by steps that ends no lower than it began. Steps that are too long for an estimator's noise, as those of importance-weighted
// bounds, score functions and small batches can be, run away from a good start to bounds that are absurd:
//
//   for the step size, a fourth of it, ... until kMostClimbs climbs were made
//     climb from the start, and end early where the objective lies far below that of the start
//     if the objective by new draws, the same for both, isn't clearly below that of the start: done
//   the start itself
//
// Objectives of few draws that come from above (c > 1) fall without end where q leaves the posterior, so that there the evidence bounds of
// both are compared.
#pragma once
#include "infer/variational/climbs/climb_stochastic.hpp"

namespace credo::infer {

// Moves the family to its best member. `whole`: the density with all rows. Remarks on steps that were too long are among the fit's.
ClimbResult climb_guarded(const density::LogDensity& whole, const StochasticClimbSetup& setup,
                          DistributionFamily& family);

}  // namespace credo::infer
