// Tests whether a state-space model draws its states from the densities that it states for them. Methods that use
// both (particle Gibbs, backward simulation) are wrong if the two distributions differ, and no other check shows it.
#pragma once
#include "density/state_space.hpp"

namespace credo::infer {

// Draws states of the first times and moves each by Metropolis steps that leave its density invariant. If a draw x is
// from this density, x and the moved state x' are exchangeable: the log density and each element are larger at x' as
// often as at x. The transitions are tested, and the first state if the model has its density. Throws Error(program),
// naming the time, if the signs are too uneven; a correct model fails with a probability below 1e-6. Uses its own
// random numbers.
void require_matching_draws(const density::StateSpace& model);

}  // namespace credo::infer
