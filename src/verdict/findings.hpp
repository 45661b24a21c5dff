// The rows of the table, one file each in verdict/findings.
#pragma once
#include "verdict/case.hpp"
#include "verdict/mass_gaps.hpp"

namespace credo::verdict {

extern const FindingSpec improper, missing_constraint, label_switching, stuck_chain, multimodal,
    flat_direction, funnel, at_bound, heavy_scales, heavy_tails, initial_values, divergences,
    low_energy_exchange, tree_depth, not_mixed, few_draws, missing_values, missing_mass, weights,
    uncertain_evidence, few_ancestors, cross_check;

}  // namespace credo::verdict
