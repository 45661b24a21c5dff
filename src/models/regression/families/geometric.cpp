// Numbers of failures before a success: variance mu + mu^2.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
std::string geometric(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, 1)", name, t.mean);
}
}  // namespace

extern const FamilyRow geometric_family{
    .name = "geometric",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = only_counts,
    .distribution = [](const FamilyText& t) { return geometric(t, "neg_binomial_2"); },
    .draw = [](const FamilyText& t) { return geometric(t, "neg_binomial_2_rng"); },
    .expected = mean_of,
    .words = "geometric outcome",
    .tail = [](const FamilyText& t) { return geometric(t, "neg_binomial_2"); }};
}  // namespace credo::models
