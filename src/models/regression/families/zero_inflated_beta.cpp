// Shares of which some are 0: 0 with probability zi, else beta with mean mu and precision phi.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real zero_inflated_beta_lpdf(real y, real mu, real phi, real zi) {
    if (y == 0) return log(zi);
    return log1m(zi) + beta_lpdf(y | mu * phi, (1 - mu) * phi);
  }
  real zero_inflated_beta_rng(real mu, real phi, real zi) {
    return bernoulli_rng(zi) == 1 ? 0 : beta_rng(mu * phi, (1 - mu) * phi);
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, {})", name, t.mean, t["phi"], t["zi"]);
}
}  // namespace

extern const FamilyRow zero_inflated_beta_family{
    .name = "zero_inflated_beta",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("phi", "gamma(2, 0.1)"), share_parameter("zi")},
    .why_not =
        [](double y, double) {
          return y >= 0.0 && y < 1.0 ? std::string() : "it must be at least 0 and below 1";
        },
    .distribution = [](const FamilyText& t) { return call(t, "zero_inflated_beta"); },
    .draw = [](const FamilyText& t) { return call(t, "zero_inflated_beta_rng"); },
    .expected = [](const FamilyText& t) { return fmt::format("(1 - {}) * {}", t["zi"], t.mean); },
    .words = "zero-inflated beta outcome",
    .functions = {{"zero_inflated_beta", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
