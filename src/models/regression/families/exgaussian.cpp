// A normal number plus an exponential one of mean beta, as reaction times are; mu is the mean of the sum.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
std::string exgaussian(const FamilyText& t, const char* name) {
  return fmt::format("{}({} - {}, {}, inv({}))", name, t.mean, t["beta"], t["sigma"], t["beta"]);
}
FamilyParameter mean_of_tail() {
  FamilyParameter beta = scale_parameter("beta");
  beta.brms = "gamma(1, 0.1)";
  return beta;
}
}  // namespace

extern const FamilyRow exgaussian_family{
    .name = "exgaussian",
    .links = {"identity", "log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::outcome,
    .parameters = {scale_parameter("sigma"), mean_of_tail()},
    .why_not = any_number,
    .distribution = [](const FamilyText& t) { return exgaussian(t, "exp_mod_normal"); },
    .draw = [](const FamilyText& t) { return exgaussian(t, "exp_mod_normal_rng"); },
    .expected = mean_of,
    .words = "exponentially modified normal outcome",
    .is_by_row = true,
    .tail = [](const FamilyText& t) { return exgaussian(t, "exp_mod_normal"); }};
}  // namespace credo::models
