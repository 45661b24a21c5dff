// Counts among a number of trials: y | trials(n) ~ ...
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow binomial_family{
    .name = "binomial",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not =
        [](double y, double trials) {
          if (y < 0.0 || y != std::floor(y))
            return std::string("it must be a whole number, at least 0");
          return y <= trials ? std::string() : fmt::format("it is more than the {} trials", trials);
        },
    .distribution =
        [](const FamilyText& t) {
          return t.link == "logit" ? fmt::format("binomial_logit({}, {})", t.trials, t.eta)
                                   : fmt::format("binomial({}, {})", t.trials, t.mean);
        },
    .draw =
        [](const FamilyText& t) { return fmt::format("binomial_rng({}, {})", t.trials, t.mean); },
    .expected = [](const FamilyText& t) { return fmt::format("{} * {}", t.trials, t.mean); },
    .variance =
        [](const FamilyText& t) { return fmt::format("{1} * {0} * (1 - {0})", t.mean, t.trials); },
    .needs_trials = true,
    .words = "binomial outcome",
    .tail = [](const FamilyText& t) { return fmt::format("binomial({}, {})", t.trials, t.mean); }};
}  // namespace credo::models
