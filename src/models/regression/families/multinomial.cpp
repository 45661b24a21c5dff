// Counts of several categories among a number of trials: the log of a category's probability relative to that of the first is its
// linear predictor.
#include <fmt/format.h>

#include "models/regression/families/column_parts.hpp"

namespace credo::models {
extern const FamilyRow multinomial_family{
    .name = "multinomial",
    .links = {"logit"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = only_counts,
    .distribution = [](const FamilyText& t) { return fmt::format("multinomial_logit({})", t.eta); },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("multinomial_logit_rng({}, {})", t.eta, t.trials);
        },
    .expected = counts_of_shares,
    .needs_trials = true,
    .words = "multinomial outcome",
    .is_by_row = true,
    .locations = Locations::but_first,
    .has_columns = true,
    .why_not_together = only_sums_of_trials};
}  // namespace credo::models
