// Counts of several categories among a number of trials, whose probabilities vary from row to row: by a Dirichlet distribution with
// precision phi around those of the linear predictors.
#include <fmt/format.h>

#include "models/regression/families/column_parts.hpp"

namespace credo::models {
extern const FamilyRow dirichlet_multinomial_family{
    .name = "dirichlet_multinomial",
    .links = {"logit"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("phi", "gamma(2, 0.1)")},
    .why_not = only_counts,
    .distribution =
        [](const FamilyText& t) { return fmt::format("dirichlet_multinomial({})", weights(t)); },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("dirichlet_multinomial_rng({}, {})", weights(t), t.trials);
        },
    .expected = counts_of_shares,
    .needs_trials = true,
    .words = "Dirichlet-multinomial outcome",
    .is_by_row = true,
    .locations = Locations::but_first,
    .has_columns = true,
    .why_not_together = only_sums_of_trials};
}  // namespace credo::models
