// Ordered categories as stages: P(Y > k | Y >= k) = F(eta - threshold[k]).
#include <fmt/format.h>

#include "models/regression/families/ordinal_parts.hpp"

namespace credo::models {
namespace {
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{0}(log_above_{1}({2} - threshold), log_up_to_{1}({2} - threshold))", name,
                     t.link, t.eta);
}
}  // namespace

extern const FamilyRow cratio_family{
    .name = "cratio",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::factor,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = any_number,
    .distribution = [](const FamilyText& t) { return call(t, "stages"); },
    .draw = [](const FamilyText& t) { return call(t, "stages_rng"); },
    .expected = nullptr,
    .is_ordinal = true,
    .words = "ordered outcome of continued stages",
    .functions = stage_functions(),
    .is_by_row = true,
    .probabilities = [](const FamilyText& t) { return "exp(" + call(t, "log_stages") + ")"; },
    .has_free_thresholds = true};
}  // namespace credo::models
