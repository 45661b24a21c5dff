// Finds improper priors among those whose mass is unknown, from the tails of their density.
#pragma once
#include "density/prior_mass.hpp"

namespace credo::model {

class Densities;

// Moves priors from mass.not_judged to mass.improper if their density falls too slowly to be integrable: along a
// coordinate, or along all coordinates of the parameter together, with the other parameters fixed at each of several
// points.
void find_improper(const Densities& densities, density::PriorMass& mass);

}  // namespace credo::model
