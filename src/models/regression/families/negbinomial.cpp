// Counts that vary more than Poisson's: variance mu + mu^2 / phi.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow negbinomial_family{
    .name = "negbinomial",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {{.name = "phi",
                    .declaration = "real<lower=0> phi",
                    .prior = "inv_gamma(0.4, 0.3)",
                    .brms = "inv_gamma(0.4, 0.3)",
                    .rstanarm = "exponential(1)"}},
    .why_not =
        [](double y, double) {
          return y >= 0.0 && y == std::floor(y) ? std::string()
                                                : "it must be a whole number, at least 0";
        },
    .distribution =
        [](const FamilyText& t) {
          return t.link == "log" ? fmt::format("neg_binomial_2_log({}, {})", t.eta, t["phi"])
                                 : fmt::format("neg_binomial_2({}, {})", t.mean, t["phi"]);
        },
    .draw =
        [](const FamilyText& t) {
          return t.link == "log" ? fmt::format("neg_binomial_2_log_rng({}, {})", t.eta, t["phi"])
                                 : fmt::format("neg_binomial_2_rng({}, {})", t.mean, t["phi"]);
        },
    .expected = [](const FamilyText& t) { return t.mean; },
    .variance =
        [](const FamilyText& t) {
          return fmt::format("{0} + square({0}) / {1}", t.mean, t["phi"]);
        },
    .words = "negative binomial outcome",
    .tail =
        [](const FamilyText& t) {
          return fmt::format("neg_binomial_2({}, {})", t.mean, t["phi"]);
        }};
}  // namespace credo::models
