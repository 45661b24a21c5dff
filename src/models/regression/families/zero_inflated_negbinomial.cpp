// Overdispersed counts with extra zeros: a zero with probability zi, else negative binomial with mean mu.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real zero_inflated_negbinomial_lpmf(int y, real mu, real phi, real zi) {
    if (y == 0) return log_sum_exp(log(zi), log1m(zi) + neg_binomial_2_lpmf(0 | mu, phi));
    return log1m(zi) + neg_binomial_2_lpmf(y | mu, phi);
  }
  int zero_inflated_negbinomial_rng(real mu, real phi, real zi) {
    return bernoulli_rng(zi) == 1 ? 0 : neg_binomial_2_rng(mu, phi);
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, {})", name, t.mean, t["phi"], t["zi"]);
}
}  // namespace

extern const FamilyRow zero_inflated_negbinomial_family{
    .name = "zero_inflated_negbinomial",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {overdispersion_parameter(), share_parameter("zi")},
    .why_not = only_counts,
    .distribution = [](const FamilyText& t) { return call(t, "zero_inflated_negbinomial"); },
    .draw = [](const FamilyText& t) { return call(t, "zero_inflated_negbinomial_rng"); },
    .expected = [](const FamilyText& t) { return fmt::format("(1 - {}) * {}", t["zi"], t.mean); },
    .words = "zero-inflated negative binomial outcome",
    .functions = {{"zero_inflated_negbinomial", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
