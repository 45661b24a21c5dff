// Shares of which some are 0 or 1: with probability zoi, and then 1 with probability coi; else beta with mean mu and precision phi.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real zero_one_inflated_beta_lpdf(real y, real mu, real phi, real zoi, real coi) {
    if (y == 0) return log(zoi) + log1m(coi);
    if (y == 1) return log(zoi) + log(coi);
    return log1m(zoi) + beta_lpdf(y | mu * phi, (1 - mu) * phi);
  }
  real zero_one_inflated_beta_rng(real mu, real phi, real zoi, real coi) {
    if (bernoulli_rng(zoi) == 1) return bernoulli_rng(coi);
    return beta_rng(mu * phi, (1 - mu) * phi);
  }
)";
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, {}, {})", name, t.mean, t["phi"], t["zoi"], t["coi"]);
}
}  // namespace

extern const FamilyRow zero_one_inflated_beta_family{
    .name = "zero_one_inflated_beta",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("phi", "gamma(2, 0.1)"), share_parameter("zoi"),
                   share_parameter("coi")},
    .why_not =
        [](double y, double) {
          return y >= 0.0 && y <= 1.0 ? std::string() : "it must be between 0 and 1";
        },
    .distribution = [](const FamilyText& t) { return call(t, "zero_one_inflated_beta"); },
    .draw = [](const FamilyText& t) { return call(t, "zero_one_inflated_beta_rng"); },
    .expected =
        [](const FamilyText& t) {
          return fmt::format("{0} * {1} + (1 - {0}) * {2}", t["zoi"], t["coi"], t.mean);
        },
    .words = "zero-one-inflated beta outcome",
    .functions = {{"zero_one_inflated_beta", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
