// Overdispersed counts with a hurdle: 0 with probability hu, else negative binomial above 0.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real hurdle_negbinomial_lpmf(int y, real mu, real phi, real hu) {
    if (y == 0) return log(hu);
    return log1m(hu) + neg_binomial_2_lpmf(y | mu, phi) - log1m_exp(-phi * log1p(mu / phi));
  }
  int hurdle_negbinomial_rng(real mu, real phi, real hu) {
    if (bernoulli_rng(hu) == 1) return 0;
    real p = exp(-phi * log1p(mu / phi));  // of 0
    int y = 0;
    if (p < 0.5) {
      while (y == 0) y = neg_binomial_2_rng(mu, phi);
      return y;
    }
    real u = p + uniform_rng(0, 1) * (1 - p);
    real sum = p;
    while (sum < u && p > 0) {
      p *= (y + phi) / (y + 1) * mu / (mu + phi);
      y += 1;
      sum += p;
    }
    return max({1, y});
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, {})", name, t.mean, t["phi"], t["hu"]);
}
}  // namespace

extern const FamilyRow hurdle_negbinomial_family{
    .name = "hurdle_negbinomial",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {overdispersion_parameter(), share_parameter("hu")},
    .why_not = only_counts,
    .distribution = [](const FamilyText& t) { return call(t, "hurdle_negbinomial"); },
    .draw = [](const FamilyText& t) { return call(t, "hurdle_negbinomial_rng"); },
    .expected =
        [](const FamilyText& t) {
          return fmt::format("(1 - {0}) * {1} / -expm1(-{2} * log1p({1} / {2}))", t["hu"], t.mean,
                             t["phi"]);
        },
    .words = "negative binomial outcome with a hurdle",
    .functions = {{"hurdle_negbinomial", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
