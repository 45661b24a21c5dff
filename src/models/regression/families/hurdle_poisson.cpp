// Counts with a hurdle: 0 with probability hu, else Poisson above 0. Positive counts are drawn by the time of the first event.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions = R"(  real hurdle_poisson_lpmf(int y, real mu, real hu) {
    if (y == 0) return log(hu);
    return log1m(hu) + poisson_lpmf(y | mu) - log1m_exp(-mu);
  }
  int hurdle_poisson_rng(real mu, real hu) {
    if (bernoulli_rng(hu) == 1) return 0;
    real rest = mu + log1p(uniform_rng(0, 1) * expm1(-mu));
    return rest > 0 ? 1 + poisson_rng(rest) : 1;
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {})", name, t.mean, t["hu"]);
}
}  // namespace

extern const FamilyRow hurdle_poisson_family{
    .name = "hurdle_poisson",
    .links = {"log", "sqrt", "softplus"},
    .role = ColumnRole::count,
    .scale = PriorScale::unit,
    .parameters = {share_parameter("hu")},
    .why_not = only_counts,
    .distribution = [](const FamilyText& t) { return call(t, "hurdle_poisson"); },
    .draw = [](const FamilyText& t) { return call(t, "hurdle_poisson_rng"); },
    .expected =
        [](const FamilyText& t) {
          return fmt::format("(1 - {0}) * {1} / -expm1(-{1})", t["hu"], t.mean);
        },
    .words = "Poisson outcome with a hurdle",
    .functions = {{"hurdle_poisson", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
