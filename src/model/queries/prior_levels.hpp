// Finds parameters that are effects on a standard scale, multiplied by other parameters: theta = mu + tau * z with z
// ~ std_normal(). Their distribution states how effects vary; its scale isn't a chosen prior.
#pragma once
#include <set>

#include "lang/typed/typed.hpp"

namespace credo::model {

// Slots of parameters with several elements and no bounds that are multiplied by an expression of other parameters,
// in transformed parameters or the model block, or that are passed with such an expression to a function of the
// program.
std::set<int> scaled_parameters(const lang::typed::Program& program);

// True for a density on a standard scale: std_normal, or a symmetric distribution with the literal location 0 and
// scale 1.
bool has_standard_scale(const lang::typed::Call& density);

// True if an argument of the density, other than its outcome, depends on parameters.
bool has_parameters_for_arguments(const lang::typed::Call& density);

}  // namespace credo::model
