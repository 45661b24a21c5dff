// Counts.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow poisson_family{
    .name = "poisson",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not =
        [](double y, double) {
          return y >= 0.0 && y == std::floor(y) ? std::string()
                                                : "it must be a whole number, at least 0";
        },
    .distribution =
        [](const FamilyText& t) {
          return t.link == "log" ? fmt::format("poisson_log({})", t.eta)
                                 : fmt::format("poisson({})", t.mean);
        },
    .draw =
        [](const FamilyText& t) {
          return t.link == "log" ? fmt::format("poisson_log_rng({})", t.eta)
                                 : fmt::format("poisson_rng({})", t.mean);
        },
    .expected = [](const FamilyText& t) { return t.mean; },
    .variance = [](const FamilyText& t) { return t.mean; },
    .words = "Poisson outcome",
    .tail = [](const FamilyText& t) { return fmt::format("poisson({})", t.mean); }};
}  // namespace credo::models
