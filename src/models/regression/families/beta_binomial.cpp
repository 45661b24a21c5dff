// Counts among trials whose probability varies: beta with mean mu and precision phi.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
std::string beta_binomial(const FamilyText& t, const char* name) {
  return fmt::format("{0}({1}, {2} * {3}, (1 - {2}) * {3})", name, t.trials, t.mean, t["phi"]);
}
}  // namespace

extern const FamilyRow beta_binomial_family{
    .name = "beta_binomial",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("phi", "gamma(2, 0.1)")},
    .why_not = only_counts_of_trials,
    .distribution = [](const FamilyText& t) { return beta_binomial(t, "beta_binomial"); },
    .draw = [](const FamilyText& t) { return beta_binomial(t, "beta_binomial_rng"); },
    .expected = [](const FamilyText& t) { return fmt::format("{} * {}", t.trials, t.mean); },
    .needs_trials = true,
    .words = "beta-binomial outcome",
    .is_by_row = true,
    .tail = [](const FamilyText& t) { return beta_binomial(t, "beta_binomial"); }};
}  // namespace credo::models
