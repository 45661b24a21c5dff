// Positive numbers whose logarithm is normal.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow lognormal_family{
    .name = "lognormal",
    .links = {"identity"},
    .role = ColumnRole::number,
    .scale = PriorScale::logarithm,
    .parameters = {{.name = "sigma",
                    .declaration = "real<lower=0> sigma",
                    .prior = "exponential(1 / {})",
                    .brms = "student_t(3, 0, {})",
                    .rstanarm = {},
                    .intercept_prior = "normal({}, 1)"}},
    .why_not = [](double y, double) { return y > 0.0 ? std::string() : "it must be positive"; },
    .distribution =
        [](const FamilyText& t) { return fmt::format("lognormal({}, {})", t.mean, t["sigma"]); },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("lognormal_rng({}, {})", t.mean, t["sigma"]);
        },
    .expected =
        [](const FamilyText& t) {
          return fmt::format("exp({} + square({}) / 2)", t.mean, t["sigma"]);
        },
    .variance =
        [](const FamilyText& t) {
          return fmt::format("exp(2 * {0} + square({1})) * expm1(square({1}))", t.mean, t["sigma"]);
        },
    .words = "lognormal outcome",
    .tail =
        [](const FamilyText& t) { return fmt::format("lognormal({}, {})", t.mean, t["sigma"]); }};
}  // namespace credo::models
