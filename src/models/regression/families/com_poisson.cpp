// Counts that vary less (shape above 1) or more (below 1) than Poisson's: p(y) is proportional to (mu^y / y!)^shape, so that mu is near the
// mode [guikema2008]. The mean is a sum of its own.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
std::string counts(const FamilyText& t, const char* end) {
  return t.link == "log" ? fmt::format("com_poisson_log{}({}, {})", end, t.eta, t["shape"])
                         : fmt::format("com_poisson{}({}, {})", end, t.mean, t["shape"]);
}
std::string moment(const FamilyText& t, const char* name) {
  return fmt::format("com_poisson_{}({}, {})", name, t.mean, t["shape"]);
}
}  // namespace

extern const FamilyRow com_poisson_family{
    .name = "com_poisson",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {com_poisson_shape()},
    .why_not = only_counts,
    .distribution = [](const FamilyText& t) { return counts(t, ""); },
    .draw = [](const FamilyText& t) { return counts(t, "_rng"); },
    .expected = [](const FamilyText& t) { return moment(t, "mean"); },
    .variance = [](const FamilyText& t) { return moment(t, "variance"); },
    .words = "Conway-Maxwell-Poisson outcome",
    .tail =
        [](const FamilyText& t) { return fmt::format("com_poisson({}, {})", t.mean, t["shape"]); }};
}  // namespace credo::models
