// Ordered categories by neighbours: log P(Y = k + 1) - log P(Y = k) = eta - threshold[k].
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
std::string sums(const FamilyText& t) {
  return fmt::format("append_row(0, cumulative_sum({} - {}))", t.eta, t.threshold);
}
}  // namespace

extern const FamilyRow acat_family{
    .name = "acat",
    .links = {"logit"},
    .role = ColumnRole::factor,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = any_number,
    .distribution = [](const FamilyText& t) { return "categorical_logit(" + sums(t) + ")"; },
    .draw = [](const FamilyText& t) { return "categorical_logit_rng(" + sums(t) + ")"; },
    .expected = nullptr,
    .is_ordinal = true,
    .words = "ordered outcome of adjacent categories",
    .is_by_row = true,
    .probabilities = [](const FamilyText& t) { return "softmax(" + sums(t) + ")"; },
    .has_free_thresholds = true};
}  // namespace credo::models
