#include "verdict/findings.hpp"

namespace credo::verdict {

std::span<const FindingSpec* const> table() {
  static const std::array<const FindingSpec*, 24> rows = {&approximation,
                                                          &weights,
                                                          &no_likelihood,
                                                          &improper,
                                                          &missing_constraint,
                                                          &label_switching,
                                                          &flat_direction,
                                                          &stuck_chain,
                                                          &multimodal,
                                                          &heavy_scales,
                                                          &funnel,
                                                          &at_bound,
                                                          &heavy_tails,
                                                          &missing_mass,
                                                          &initial_values,
                                                          &divergences,
                                                          &low_energy_exchange,
                                                          &tree_depth,
                                                          &not_mixed,
                                                          &few_draws,
                                                          &missing_values,
                                                          &uncertain_evidence,
                                                          &few_ancestors,
                                                          &cross_check};
  return rows;
}

}  // namespace credo::verdict
