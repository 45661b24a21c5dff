#include "verdict/findings.hpp"

namespace credo::verdict {

std::span<const FindingSpec* const> table() {
  static const std::array<const FindingSpec*, 16> rows = {
      &improper,    &missing_constraint, &label_switching, &stuck_chain,
      &multimodal,  &flat_direction,     &funnel,          &at_bound,
      &heavy_tails, &initial_values,     &divergences,     &low_energy_exchange,
      &tree_depth,  &not_mixed,          &few_draws,       &missing_values};
  return rows;
}

}  // namespace credo::verdict
