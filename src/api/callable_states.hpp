// A state-space model by callables (credo/parts.hpp) as one that filters run.
#pragma once
#include "api/parameter_map.hpp"
#include "credo/parts.hpp"
#include "density/state_space.hpp"

namespace credo {

// For as long as the map and the callables live.
std::unique_ptr<density::StateSpaceAt> make_callable_states(const ParameterMap& map,
                                                            const StateSpace& states);

// A state-space model at these parameters, by copies of the callables. Throws Error(usage) for parameters that aren't finite.
std::unique_ptr<density::StateSpace> make_callable_states_at(const StateSpace& states,
                                                             std::vector<double> theta);
// Throws Error(usage) for a state space without one of its callables, times or elements.
void require_complete(const StateSpace& states);

}  // namespace credo
