// Positive numbers, times for example, whose hazard is a power of time; mu is the mean.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
std::string weibull(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {} / tgamma(1 + inv({})))", name, t["shape"], t.mean, t["shape"]);
}
}  // namespace

extern const FamilyRow weibull_family{
    .name = "weibull",
    .links = {"log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("shape", "gamma(2, 1)")},
    .why_not = only_positive,
    .distribution = [](const FamilyText& t) { return weibull(t, "weibull"); },
    .draw = [](const FamilyText& t) { return weibull(t, "weibull_rng"); },
    .expected = mean_of,
    .words = "Weibull outcome",
    .is_by_row = true,
    .tail = [](const FamilyText& t) { return weibull(t, "weibull"); }};
}  // namespace credo::models
