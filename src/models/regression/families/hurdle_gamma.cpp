// Numbers of which some are 0: 0 with probability hu, else gamma with mean mu.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real hurdle_gamma_lpdf(real y, real mu, real shape, real hu) {
    if (y == 0) return log(hu);
    return log1m(hu) + gamma_lpdf(y | shape, shape / mu);
  }
  real hurdle_gamma_rng(real mu, real shape, real hu) {
    return bernoulli_rng(hu) == 1 ? 0 : gamma_rng(shape, shape / mu);
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, {})", name, t.mean, t["shape"], t["hu"]);
}
}  // namespace

extern const FamilyRow hurdle_gamma_family{
    .name = "hurdle_gamma",
    .links = {"log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("shape", "gamma(2, 0.1)"), share_parameter("hu")},
    .why_not = only_at_least_0,
    .distribution = [](const FamilyText& t) { return call(t, "hurdle_gamma"); },
    .draw = [](const FamilyText& t) { return call(t, "hurdle_gamma_rng"); },
    .expected = [](const FamilyText& t) { return fmt::format("(1 - {}) * {}", t["hu"], t.mean); },
    .words = "gamma outcome with a hurdle",
    .functions = {{"hurdle_gamma", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
