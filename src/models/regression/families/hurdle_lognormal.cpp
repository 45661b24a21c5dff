// Numbers of which some are 0: 0 with probability hu, else lognormal, mu being the mean of the logarithm.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real hurdle_lognormal_lpdf(real y, real mu, real sigma, real hu) {
    if (y == 0) return log(hu);
    return log1m(hu) + lognormal_lpdf(y | mu, sigma);
  }
  real hurdle_lognormal_rng(real mu, real sigma, real hu) {
    return bernoulli_rng(hu) == 1 ? 0 : lognormal_rng(mu, sigma);
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, {})", name, t.mean, t["sigma"], t["hu"]);
}
}  // namespace

extern const FamilyRow hurdle_lognormal_family{
    .name = "hurdle_lognormal",
    .links = {"identity"},
    .role = ColumnRole::number,
    .scale = PriorScale::logarithm,
    .parameters = {scale_parameter("sigma"), share_parameter("hu")},
    .why_not = only_at_least_0,
    .distribution = [](const FamilyText& t) { return call(t, "hurdle_lognormal"); },
    .draw = [](const FamilyText& t) { return call(t, "hurdle_lognormal_rng"); },
    .expected =
        [](const FamilyText& t) {
          return fmt::format("(1 - {}) * exp({} + 0.5 * square({}))", t["hu"], t.mean, t["sigma"]);
        },
    .words = "lognormal outcome with a hurdle",
    .functions = {{"hurdle_lognormal", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
