// Shares of a whole: Dirichlet with precision phi, the sum of its weights.
#include <fmt/format.h>

#include "models/regression/families/column_parts.hpp"

namespace credo::models {
extern const FamilyRow dirichlet_family{
    .name = "dirichlet",
    .links = {"logit"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("phi", "gamma(2, 0.1)")},
    .why_not = only_positive,
    .distribution = [](const FamilyText& t) { return fmt::format("dirichlet({})", weights(t)); },
    .draw = [](const FamilyText& t) { return fmt::format("dirichlet_rng({})", weights(t)); },
    .expected = [](const FamilyText& t) { return fmt::format("softmax({})", t.eta); },
    .words = "Dirichlet outcome",
    .is_by_row = true,
    .locations = Locations::but_first,
    .has_columns = true,
    .why_not_together = only_shares};
}  // namespace credo::models
