// Shares between 0 and 1.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow beta_family{
    .name = "beta",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {{.name = "phi",
                    .declaration = "real<lower=0> phi",
                    .prior = "gamma(2, 0.1)",
                    .brms = "gamma(0.01, 0.01)",
                    .rstanarm = "exponential(1)",
                    .intercept_prior = "normal(2.5, 1)"}},
    .why_not =
        [](double y, double) {
          return y > 0.0 && y < 1.0 ? std::string() : "it must be between 0 and 1";
        },
    .distribution =
        [](const FamilyText& t) {
          return fmt::format("beta_proportion({}, {})", t.mean, t["phi"]);
        },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("beta_proportion_rng({}, {})", t.mean, t["phi"]);
        },
    .expected = [](const FamilyText& t) { return t.mean; },
    .variance =
        [](const FamilyText& t) {
          return fmt::format("{0} * (1 - {0}) / (1 + {1})", t.mean, t["phi"]);
        },
    .words = "beta outcome",
    .tail =
        [](const FamilyText& t) {
          return fmt::format("beta({0} * {1}, (1 - {0}) * {1})", t.mean, t["phi"]);
        }};
}  // namespace credo::models
