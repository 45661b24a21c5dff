// Counts whose variance is a multiple of the mean: mu (1 + phi).
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
std::string counts(const FamilyText& t, const char* name) {
  return fmt::format("{0}({1}, {1} / {2})", name, t.mean, t["phi"]);
}
}  // namespace

extern const FamilyRow negbinomial1_family{
    .name = "negbinomial1",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {{.name = "phi",
                    .declaration = "real<lower=0> phi",
                    .prior = "exponential(1)",
                    .brms = "exponential(1)",
                    .rstanarm = {},
                    .intercept_prior = "normal(0, 1)"}},
    .why_not = only_counts,
    .distribution = [](const FamilyText& t) { return counts(t, "neg_binomial_2"); },
    .draw = [](const FamilyText& t) { return counts(t, "neg_binomial_2_rng"); },
    .expected = mean_of,
    .words = "negative binomial outcome with variance mu (1 + phi)",
    .is_by_row = true,
    .tail = [](const FamilyText& t) { return counts(t, "neg_binomial_2"); }};
}  // namespace credo::models
