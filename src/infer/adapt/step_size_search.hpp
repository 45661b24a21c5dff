// A first step size: doubled or halved until one leapfrog step's acceptance crosses the target
// [hoffman2014, alg. 4].
#pragma once
#include "base/error.hpp"
#include "infer/core/step.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {

// Sets settings.step_size. Each trial takes a fresh momentum from the stream. `points` are two
// points of scratch memory. Throws Error(evaluation) where no step size does: the target isn't
// proper (all are accepted), or no step from the state is.
Step<Nothing> search_step_size(HmcSettings& settings, const HmcState& state, PhasePoints& points,
                               Rng rng);

// A trial is accepted above this log probability: 0.8, where [hoffman2014] has 0.5.
inline const double kLogAcceptedTrial = std::log(0.8);
// Error of a search whose halving ended at 0.
Error no_step_is_accepted();

}  // namespace credo::infer
