// The rows of the table, one file each in verdict/findings.
#pragma once
#include "base/row_of_file.hpp"
#include "verdict/case.hpp"
#include "verdict/mass_gaps.hpp"

namespace credo::verdict {

CREDO_ROW_OF_FILE(FindingSpec, improper_row, improper)
CREDO_ROW_OF_FILE(FindingSpec, no_likelihood_row, no_likelihood)
CREDO_ROW_OF_FILE(FindingSpec, missing_constraint_row, missing_constraint)
CREDO_ROW_OF_FILE(FindingSpec, label_switching_row, label_switching)
CREDO_ROW_OF_FILE(FindingSpec, stuck_chain_row, stuck_chain)
CREDO_ROW_OF_FILE(FindingSpec, multimodal_row, multimodal)
CREDO_ROW_OF_FILE(FindingSpec, flat_direction_row, flat_direction)
CREDO_ROW_OF_FILE(FindingSpec, funnel_row, funnel)
CREDO_ROW_OF_FILE(FindingSpec, at_bound_row, at_bound)
CREDO_ROW_OF_FILE(FindingSpec, heavy_tails_row, heavy_scales)
CREDO_ROW_OF_FILE(FindingSpec, heavy_tails_row, heavy_tails)
CREDO_ROW_OF_FILE(FindingSpec, initial_values_row, initial_values)
CREDO_ROW_OF_FILE(FindingSpec, divergences_row, divergences)
CREDO_ROW_OF_FILE(FindingSpec, low_energy_exchange_row, low_energy_exchange)
CREDO_ROW_OF_FILE(FindingSpec, tree_depth_row, tree_depth)
CREDO_ROW_OF_FILE(FindingSpec, not_mixed_row, not_mixed)
CREDO_ROW_OF_FILE(FindingSpec, few_draws_row, few_draws)
CREDO_ROW_OF_FILE(FindingSpec, missing_values_row, missing_values)
CREDO_ROW_OF_FILE(FindingSpec, missing_mass_row, missing_mass)
CREDO_ROW_OF_FILE(FindingSpec, approximation_row, approximation)
CREDO_ROW_OF_FILE(FindingSpec, weights_row, weights)
CREDO_ROW_OF_FILE(FindingSpec, uncertain_evidence_row, uncertain_evidence)
CREDO_ROW_OF_FILE(FindingSpec, few_ancestors_row, few_ancestors)
CREDO_ROW_OF_FILE(FindingSpec, cross_check_row, cross_check)

}  // namespace credo::verdict
