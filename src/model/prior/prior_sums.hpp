// Priors that are summed up in a variable of transformed parameters before they are added to the target, as brms writes them:
// `real lprior = 0; lprior += normal_lpdf(b | 0, 1);` and `target += lprior;`.
#pragma once
#include <set>

#include "lang/typed/typed.hpp"

namespace credo::model {

// Slots of transformed parameters that nothing is done with but to add to them, from a number on, and to add them to the target
// once, whatever the data. Each `+=` of such a variable is an increment of the target.
std::set<int> summed_priors(const lang::typed::Program& program);

}  // namespace credo::model
