// Quantiles: mu is the quantile of the outcome, and the density falls off by the quantile's check function over sigma
// [yu2001]. asymmetric_laplace(quantile = 0.9) fixes which quantile that is.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
std::string laplace(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, 2 * {}, {})", name, t.mean, t["sigma"], t["quantile"]);
}
}  // namespace

extern const FamilyRow asymmetric_laplace_family{
    .name = "asymmetric_laplace",
    .links = {"identity", "log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::outcome,
    .parameters = {scale_parameter("sigma"), share_parameter("quantile")},
    .why_not = any_number,
    .distribution = [](const FamilyText& t) { return laplace(t, "skew_double_exponential"); },
    .draw = [](const FamilyText& t) { return laplace(t, "skew_double_exponential_rng"); },
    .expected =
        [](const FamilyText& t) {
          return fmt::format("{0} + {1} * (1 - 2 * {2}) / ({2} * (1 - {2}))", t.mean, t["sigma"],
                             t["quantile"]);
        },
    .words = "asymmetric Laplace outcome",
    .is_by_row = true,
    .tail = [](const FamilyText& t) { return laplace(t, "skew_double_exponential"); }};
}  // namespace credo::models
