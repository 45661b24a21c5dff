// Functions of programs that several families of ordered categories share.
#pragma once
#include "models/regression/families/family_parts.hpp"

namespace credo::models {

// Logarithms of the inverse link and of one minus it, by elements.
std::vector<StanFunction> link_logarithms();
// Categories one after another: each stops, or passes on to the next one. Arguments are logarithms of probabilities.
std::vector<StanFunction> stage_functions();

}  // namespace credo::models
