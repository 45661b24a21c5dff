// Maxima: the generalised extreme value distribution with location mu, scale sigma and shape xi, whose upper tail is heavy
// for positive xi and which has an upper end for negative xi.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions = R"(  // log of (1 + xi z)^(1 / xi), and its limit z
  real gev_log(real z, real xi) {
    return abs(xi) < 1e-8 ? z - 0.5 * xi * square(z) : log1p(xi * z) / xi;
  }
  real gev_lpdf(real y, real mu, real sigma, real xi) {
    real z = (y - mu) / sigma;
    if (xi * z <= -1) return negative_infinity();  // beyond the end of the distribution
    real t = gev_log(z, xi);
    return -log(sigma) - (1 + xi) * t - exp(-t);
  }
  real gev_rng(real mu, real sigma, real xi) {
    real t = -log(-log(uniform_rng(0, 1)));
    return mu + sigma * (abs(xi) < 1e-8 ? t : expm1(xi * t) / xi);
  }
)";
constexpr std::string_view kMean = R"(  real gev_mean(real mu, real sigma, real xi) {
    if (xi >= 1) return positive_infinity();
    if (abs(xi) < 1e-6) return mu + sigma * 0.57721566490153286;
    return mu + sigma * expm1(lgamma(1 - xi)) / xi;
  }
)";
std::string gev(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, {})", name, t.mean, t["sigma"], t["xi"]);
}
}  // namespace

extern const FamilyRow gev_family{
    .name = "gev",
    .links = {"identity", "log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::outcome,
    .parameters = {scale_parameter("sigma"),
                   {.name = "xi",
                    .declaration = "real xi",
                    .prior = "normal(0, 0.25)",
                    .brms = "normal(0, 2.5)",
                    .rstanarm = {},
                    .link = "identity",
                    .intercept_prior = "normal(0, 0.25)"}},
    .why_not = any_number,
    .distribution = [](const FamilyText& t) { return gev(t, "gev"); },
    .draw = [](const FamilyText& t) { return gev(t, "gev_rng"); },
    .expected = [](const FamilyText& t) { return gev(t, "gev_mean"); },
    .words = "generalised extreme value outcome",
    .functions = {{"gev", kFunctions}, {"gev_mean", kMean}},
    .is_by_row = true};
}  // namespace credo::models
