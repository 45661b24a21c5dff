// The density of a quantity under the prior, from draws.
#pragma once
#include "report/material.hpp"

namespace credo::report {

// Within its central 98 %, which are 1: priors may have tails beyond every scale. Empty where the quantity isn't drawn from
// the prior, or doesn't vary there. Throws as Material::prior.
Marginal prior_marginal(const Material& material, Index quantity, Index num_places);

}  // namespace credo::report
