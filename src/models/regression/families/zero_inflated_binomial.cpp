// Counts among trials with extra zeros: a zero with probability zi, else binomial with probability mu.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real zero_inflated_binomial_lpmf(int y, int trials, real mu, real zi) {
    if (y == 0) return log_sum_exp(log(zi), log1m(zi) + trials * log1m(mu));
    return log1m(zi) + binomial_lpmf(y | trials, mu);
  }
  int zero_inflated_binomial_rng(int trials, real mu, real zi) {
    return bernoulli_rng(zi) == 1 ? 0 : binomial_rng(trials, mu);
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, {})", name, t.trials, t.mean, t["zi"]);
}
}  // namespace

extern const FamilyRow zero_inflated_binomial_family{
    .name = "zero_inflated_binomial",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {share_parameter("zi")},
    .why_not = only_counts_of_trials,
    .distribution = [](const FamilyText& t) { return call(t, "zero_inflated_binomial"); },
    .draw = [](const FamilyText& t) { return call(t, "zero_inflated_binomial_rng"); },
    .expected =
        [](const FamilyText& t) {
          return fmt::format("{} * (1 - {}) * {}", t.trials, t["zi"], t.mean);
        },
    .needs_trials = true,
    .words = "zero-inflated binomial outcome",
    .functions = {{"zero_inflated_binomial", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
