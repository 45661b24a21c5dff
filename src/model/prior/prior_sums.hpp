// Priors that are summed up in a transformed parameter before they are added to the target, as brms writes them:
// `real lprior = 0; lprior += normal_lpdf(b | 0, 1);` and `target += lprior;`.
#pragma once
#include <set>

#include "lang/typed/typed.hpp"

namespace credo::model {

// Slots of transformed parameters that start from a number that depends on no parameter, are only added to, and are
// added to the target once, unconditionally. Each `+=` of such a variable counts as an increment of the target.
std::set<int> summed_priors(const lang::typed::Program& program);

}  // namespace credo::model
