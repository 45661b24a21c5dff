// Angles in radians, from -pi to pi; mu is the mean direction and kappa the concentration.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real angle_rng(real mu, real kappa) {  // from -pi to pi
    real angle = von_mises_rng(mu, kappa);
    return angle - 2 * pi() * floor((angle + pi()) / (2 * pi()));
  }
)";
}  // namespace

extern const FamilyRow von_mises_family{
    .name = "von_mises",
    .links = {"tan_half"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {shape_parameter("kappa", "gamma(2, 0.1)")},
    .why_not =
        [](double y, double) {
          return std::abs(y) <= std::numbers::pi ? std::string()
                                                 : "it must be an angle from -pi to pi in radians";
        },
    .distribution =
        [](const FamilyText& t) { return fmt::format("von_mises({}, {})", t.mean, t["kappa"]); },
    .draw =
        [](const FamilyText& t) { return fmt::format("angle_rng({}, {})", t.mean, t["kappa"]); },
    .expected = mean_of,
    .words = "von Mises outcome",
    .functions = {{"angle_rng", kFunctions}},
    .is_by_row = true};
}  // namespace credo::models
