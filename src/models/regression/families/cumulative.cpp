// Ordered categories by thresholds of a latent value.
#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow cumulative_family{
    .name = "cumulative",
    .links = {"logit", "probit"},
    .role = ColumnRole::factor,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = [](double, double) { return std::string(); },
    .distribution =
        [](const FamilyText& t) {
          return fmt::format("{}({}, threshold)",
                             t.link == "logit" ? "ordered_logistic" : "ordered_probit", t.eta);
        },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("{}({}, threshold)",
                             t.link == "logit" ? "ordered_logistic_rng" : "ordered_probit_rng",
                             t.eta);
        },
    .expected = nullptr,
    .is_ordinal = true,
    .words = "ordered outcome"};
}  // namespace credo::models
