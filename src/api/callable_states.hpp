// A state-space model by callables (credo/parts.hpp) as one that filters run.
#pragma once
#include "api/parameter_map.hpp"
#include "credo/parts.hpp"
#include "density/state_space.hpp"

namespace credo {

// For as long as the map and the callables live.
std::unique_ptr<density::StateSpaceAt> make_callable_states(const ParameterMap& map,
                                                            const StateSpace& states);

}  // namespace credo
