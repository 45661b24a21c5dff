// Whether a state-space model draws its states from the densities that it states of them. Methods that use both (particle Gibbs,
// backward simulation) are wrong where the two are different laws, and nothing else shows it.
#pragma once
#include "density/state_space.hpp"

namespace credo::infer {

// Draws states of the first times and moves each by Metropolis steps that leave its density as it is. Of a draw x of the density,
// and x' where it ends, neither comes first: x' has the larger log density, and the larger value of each element, as often as x
// has. Looks at transitions, and where the model has a density of the first state at that, too. Throws Error(program), naming the
// time, where the signs are too uneven: of a right model with a probability below 1e-6. Uses random numbers of its own.
void require_matching_draws(const density::StateSpace& model);

}  // namespace credo::infer
