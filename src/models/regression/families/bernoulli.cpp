// Two values: 0 and 1, or two texts, of which the second is 1.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow bernoulli_family{
    .name = "bernoulli",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = [](double y,
                  double) { return y == 0.0 || y == 1.0 ? std::string() : "it must be 0 or 1"; },
    .distribution =
        [](const FamilyText& t) {
          return t.link == "logit" ? fmt::format("bernoulli_logit({})", t.eta)
                                   : fmt::format("bernoulli({})", t.mean);
        },
    .draw = [](const FamilyText& t) { return fmt::format("bernoulli_rng({})", t.mean); },
    .expected = [](const FamilyText& t) { return t.mean; },
    .variance = [](const FamilyText& t) { return fmt::format("{0} * (1 - {0})", t.mean); },
    .words = "Bernoulli outcome"};
}  // namespace credo::models
