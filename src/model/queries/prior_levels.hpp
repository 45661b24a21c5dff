// Which parameters are effects on a standard scale that other parameters multiply: theta = mu + tau * z with
// z ~ std_normal(). Their law says how effects vary and is no prior that anybody chose by its scale.
#pragma once
#include <set>

#include "lang/typed/typed.hpp"

namespace credo::model {

// Slots of parameters without bounds that have several elements and are multiplied by something that other parameters
// enter, in transformed parameters or the model block, or go with them into a function of the program.
std::set<int> scaled_parameters(const lang::typed::Program& program);

// Whether a density is on a standard scale: std_normal, or a symmetric law with location 0 and scale 1 as numbers.
bool has_standard_scale(const lang::typed::Call& density);

// Whether parameters enter an argument of the density beside its outcome.
bool has_parameters_for_arguments(const lang::typed::Call& density);

}  // namespace credo::model
