// Factors that are normal themselves: log g(s) = shift s - ½ precision s². They have no latent value.
#include "infer/augment/augmentation.hpp"

namespace credo::infer {
namespace {
double log_normal_form(const FormNumbers& numbers, double s) {
  return (numbers[1] - 0.5 * numbers[0] * s) * s;
}
bool match_normal_form(std::span<const FormPoint> points, FormNumbers& numbers) {
  const auto [left, right] = std::ranges::minmax(points, {}, &FormPoint::s);
  const double precision = (left.slope - right.slope) / (right.s - left.s);
  numbers = {precision, left.slope + precision * left.s, 0.0, 0.0};
  return std::isfinite(precision) && is_through(log_normal_form, numbers, points);
}
std::vector<double> normal_places(const FormNumbers& numbers) {
  const double width = numbers[0] > 0.0 ? 1.0 / std::sqrt(numbers[0]) : 1.0;
  const double centre = numbers[0] > 0.0 ? numbers[1] / numbers[0] : 0.0;
  return {centre - width, centre + width};
}
LatentFactor normal_factor(const FormNumbers& numbers) {
  return {.precision = numbers[0], .shift = numbers[1]};
}
}  // namespace

extern const Augmentation kConjugateNormal;
const Augmentation kConjugateNormal{
    .name = "normal",
    .match = match_normal_form,
    .places = normal_places,
    .log_g = log_normal_form,
    .draw = [](const FormNumbers& numbers, double, Rng&) { return normal_factor(numbers); },
    .expected = [](const FormNumbers& numbers, double) { return normal_factor(numbers); },
    .has_fixed_precision = true};

}  // namespace credo::infer
