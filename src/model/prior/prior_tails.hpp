// Priors that no statement says the mass of: whether they fall off at all.
#pragma once
#include "density/prior_mass.hpp"

namespace credo::model {

class Model;

// Moves those of mass.not_judged to mass.improper whose prior doesn't fall off: along a coordinate, or along all of the
// parameter together, the integral of the prior's density diverges with all else held at each of several points.
void find_improper(const Model& model, density::PriorMass& mass);

}  // namespace credo::model
