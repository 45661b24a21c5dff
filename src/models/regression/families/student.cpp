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
                    .rstanarm = {}},
                   {.name = "nu",
                    .declaration = "real<lower=1> nu",
                    .prior = "gamma(2, 0.1)",
                    .brms = "gamma(2, 0.1)",
                    .rstanarm = {}}},
    .why_not = [](double, double) { return std::string(); },
    .distribution =
        [](const FamilyText& t) { return fmt::format("student_t(nu, {}, sigma)", t.mean); },
    .draw = [](const FamilyText& t) { return fmt::format("student_t_rng(nu, {}, sigma)", t.mean); },
    .expected = [](const FamilyText& t) { return t.mean; },
    .words = "Student's t outcome"};
}  // namespace credo::models
