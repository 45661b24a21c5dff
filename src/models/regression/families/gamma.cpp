// Positive numbers whose standard deviation grows with their mean.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow gamma_family{
    .name = "gamma",
    .links = {"log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {{.name = "shape",
                    .declaration = "real<lower=0> shape",
                    .prior = "gamma(2, 0.1)",
                    .brms = "gamma(0.01, 0.01)",
                    .rstanarm = "exponential(1)",
                    .intercept_prior = "normal(2.5, 1)"}},
    .why_not = [](double y, double) { return y > 0.0 ? std::string() : "it must be positive"; },
    .distribution =
        [](const FamilyText& t) {
          return fmt::format("gamma({0}, {0} ./ {1})", t["shape"], t.mean);
        },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("gamma_rng({0}, {0} / {1})", t["shape"], t.mean);
        },
    .expected = [](const FamilyText& t) { return t.mean; },
    .variance =
        [](const FamilyText& t) { return fmt::format("square({}) / {}", t.mean, t["shape"]); },
    .words = "gamma outcome",
    .tail =
        [](const FamilyText& t) {
          return fmt::format("gamma({0}, {0} / {1})", t["shape"], t.mean);
        }};
}  // namespace credo::models
