// Finds priors that need each other: x ~ normal(y, 1) and y ~ normal(x, 1), whose product is no normalised density.
#pragma once
#include "density/prior_mass.hpp"

namespace credo::model {

struct ProgramParts;

// Adds the first circle to mass.improper, with a mass that isn't known, and its statements in the reason. If it isn't known whether
// the priors have one, mass.not_judged gets an entry. The program is run with numbers from this unconstrained point
// (docs/design/prior.md).
void find_circle(const ProgramParts& parts, std::span<const double> point,
                 density::PriorMass& mass);

}  // namespace credo::model
