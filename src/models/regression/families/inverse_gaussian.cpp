// Positive numbers whose variance is mu^3 / shape; drawn by two roots [michael1976].
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real inverse_gaussian_lpdf(real y, real mu, real shape) {
    return 0.5 * log(shape) - 0.5 * log(2 * pi()) - 1.5 * log(y)
           - 0.5 * shape * square((y - mu) / mu) / y;
  }
  real inverse_gaussian_rng(real mu, real shape) {
    real r = mu * square(std_normal_rng()) / (2 * shape);
    real x = mu / (1 + r + sqrt(r * (2 + r)));  // the smaller root
    return uniform_rng(0, 1) <= mu / (mu + x) ? x : mu * (mu / x);
  }
)";
}  // namespace

extern const FamilyRow inverse_gaussian_family{
    .name = "inverse_gaussian",
    .links = {"log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("shape", "gamma(2, 0.1)")},
    .why_not = only_positive,
    .distribution =
        [](const FamilyText& t) {
          return fmt::format("inverse_gaussian({}, {})", t.mean, t["shape"]);
        },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("inverse_gaussian_rng({}, {})", t.mean, t["shape"]);
        },
    .expected = mean_of,
    .words = "inverse Gaussian outcome",
    .functions = {{"inverse_gaussian", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
