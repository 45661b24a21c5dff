// Categories without an order: log P(Y = k) / P(Y = 1) is the linear predictor of category k.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
extern const FamilyRow categorical_family{
    .name = "categorical",
    .links = {"logit"},
    .role = ColumnRole::factor,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = any_number,
    .distribution = [](const FamilyText& t) { return fmt::format("categorical_logit({})", t.eta); },
    .draw = [](const FamilyText& t) { return fmt::format("categorical_logit_rng({})", t.eta); },
    .expected = nullptr,
    .words = "categorical outcome",
    .is_by_row = true,
    .probabilities = [](const FamilyText& t) { return fmt::format("softmax({})", t.eta); },
    .locations = Locations::but_first};
}  // namespace credo::models
