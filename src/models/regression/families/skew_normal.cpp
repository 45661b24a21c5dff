// Numbers with a skewed distribution; mu is the mean and sigma the standard deviation [azzalini1985].
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kScale =
    R"(  // scale of a skew normal distribution with this standard deviation
  real skew_normal_scale(real sigma, real alpha) {
    return sigma / sqrt(1 - 2 / pi() * square(alpha) / (1 + square(alpha)));
  }
)";
constexpr std::string_view kLocation = R"(  // location of a skew normal distribution with this mean
  real skew_normal_location(real mu, real sigma, real alpha) {
    real share = sqrt(2 / pi()) * alpha / sqrt(1 + square(alpha));
    return mu - sigma * share / sqrt(1 - square(share));
  }
)";
std::string skew_normal(const FamilyText& t, const char* name) {
  return fmt::format("{0}(skew_normal_location({1}, {2}, {3}), skew_normal_scale({2}, {3}), {3})",
                     name, t.mean, t["sigma"], t["alpha"]);
}
}  // namespace

extern const FamilyRow skew_normal_family{
    .name = "skew_normal",
    .links = {"identity", "log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::outcome,
    .parameters = {scale_parameter("sigma"),
                   {.name = "alpha",
                    .declaration = "real alpha",
                    .prior = "normal(0, 4)",
                    .brms = "normal(0, 4)",
                    .rstanarm = {},
                    .link = "identity",
                    .intercept_prior = "normal(0, 4)"}},
    .why_not = any_number,
    .distribution = [](const FamilyText& t) { return skew_normal(t, "skew_normal"); },
    .draw = [](const FamilyText& t) { return skew_normal(t, "skew_normal_rng"); },
    .expected = mean_of,
    .words = "skew normal outcome",
    .functions = {{"skew_normal_location", kLocation}, {"skew_normal_scale", kScale}},
    .is_by_row = true,
    .tail = [](const FamilyText& t) { return skew_normal(t, "skew_normal"); }};
}  // namespace credo::models
