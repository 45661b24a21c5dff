// Numbers with heavy tails.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow student_family{
    .name = "student",
    .links = {"identity", "log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::outcome,
    .parameters = {{.name = "sigma",
                    .declaration = "real<lower=0> sigma",
                    .prior = "exponential(1 / {})",
                    .brms = "student_t(3, 0, {})",
                    .rstanarm = {},
                    .intercept_prior = "normal({}, 1)"},
                   {.name = "nu",
                    .declaration = "real<lower=1> nu",
                    .prior = "gamma(2, 0.1)",
                    .brms = "gamma(2, 0.1)",
                    .rstanarm = {},
                    .lower = "1",
                    .intercept_prior = "normal(2.5, 1)"}},
    .why_not = [](double, double) { return std::string(); },
    .distribution =
        [](const FamilyText& t) {
          return fmt::format("student_t({}, {}, {})", t["nu"], t.mean, t["sigma"]);
        },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("student_t_rng({}, {}, {})", t["nu"], t.mean, t["sigma"]);
        },
    .expected = [](const FamilyText& t) { return t.mean; },
    .variance =
        [](const FamilyText& t) {
          return fmt::format("{0} > 2 ? square({1}) * {0} / ({0} - 2) : positive_infinity()",
                             t["nu"], t["sigma"]);
        },
    .words = "Student's t outcome",
    .tail =
        [](const FamilyText& t) {
          return fmt::format("student_t({}, {}, {})", t["nu"], t.mean, t["sigma"]);
        }};
}  // namespace credo::models
