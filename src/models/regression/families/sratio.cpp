// Ordered categories as stages: P(Y = k | Y >= k) = F(threshold[k] - eta).
#include <fmt/format.h>

#include "models/regression/families/ordinal_parts.hpp"

namespace credo::models {
namespace {
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{0}(log_up_to_{1}(threshold - {2}), log_above_{1}(threshold - {2}))", name,
                     t.link, t.eta);
}
}  // namespace

extern const FamilyRow sratio_family{
    .name = "sratio",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::factor,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = any_number,
    .distribution = [](const FamilyText& t) { return call(t, "stages"); },
    .draw = [](const FamilyText& t) { return call(t, "stages_rng"); },
    .expected = nullptr,
    .is_ordinal = true,
    .words = "ordered outcome of stages",
    .functions = stage_functions(),
    .is_by_row = true,
    .probabilities = [](const FamilyText& t) { return "exp(" + call(t, "log_stages") + ")"; },
    .has_free_thresholds = true};
}  // namespace credo::models
