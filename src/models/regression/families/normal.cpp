// Numbers with errors of one size.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow normal_family{
    .name = "normal",
    .links = {"identity", "log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::outcome,
    .parameters = {{.name = "sigma",
                    .declaration = "real<lower=0> sigma",
                    .prior = "exponential(1 / {})",
                    .brms = "student_t(3, 0, {})",
                    .rstanarm = "exponential(1 / {})",
                    .intercept_prior = "normal({}, 1)"}},
    .why_not = [](double, double) { return std::string(); },
    .distribution =
        [](const FamilyText& t) { return fmt::format("normal({}, {})", t.mean, t["sigma"]); },
    .draw =
        [](const FamilyText& t) { return fmt::format("normal_rng({}, {})", t.mean, t["sigma"]); },
    .expected = [](const FamilyText& t) { return t.mean; },
    .variance = [](const FamilyText& t) { return fmt::format("square({})", t["sigma"]); },
    .words = "normal outcome",
    .tail = [](const FamilyText& t) { return fmt::format("normal({}, {})", t.mean, t["sigma"]); }};
}  // namespace credo::models
