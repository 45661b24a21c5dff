// Counts with extra zeros: a zero with probability zi, else Poisson with mean mu.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real zero_inflated_poisson_lpmf(int y, real mu, real zi) {
    if (y == 0) return log_sum_exp(log(zi), log1m(zi) - mu);
    return log1m(zi) + poisson_lpmf(y | mu);
  }
  int zero_inflated_poisson_rng(real mu, real zi) {
    return bernoulli_rng(zi) == 1 ? 0 : poisson_rng(mu);
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {})", name, t.mean, t["zi"]);
}
}  // namespace

extern const FamilyRow zero_inflated_poisson_family{
    .name = "zero_inflated_poisson",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {share_parameter("zi")},
    .why_not = only_counts,
    .distribution = [](const FamilyText& t) { return call(t, "zero_inflated_poisson"); },
    .draw = [](const FamilyText& t) { return call(t, "zero_inflated_poisson_rng"); },
    .expected = [](const FamilyText& t) { return fmt::format("(1 - {}) * {}", t["zi"], t.mean); },
    .words = "zero-inflated Poisson outcome",
    .functions = {{"zero_inflated_poisson", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
