// Laplace's function as a scale mixture of normal ones [andrews1974; park2008]:
//
//   log g = -r |s - m|;   1 / t² ~ inverse Gaussian with mean r / |s - m| and shape r²;  s ~ N(m, t²)
#include "infer/augment/augmentation.hpp"

namespace credo::infer {
namespace {
// Inverse Gaussian [michael1976]; both roots without cancellation. An infinite mean is the limit, shape over a squared normal.
double draw_inverse_gaussian(double mean, double shape, Rng& rng) {
  const double normal = rng.normal(), u = rng.uniform(), square = normal * normal;
  const double q = 0.5 * mean * square / shape;
  if (!(q < 1e100)) return shape / square;
  const double root = 1.0 + q + std::sqrt(q * (2.0 + q));
  return u * (1.0 + 1.0 / root) <= 1.0 ? mean / root : mean * root;
}

double log_laplace_form(const FormNumbers& numbers, double s) {
  return -numbers[0] * std::abs(s - numbers[1]);
}
bool match_laplace_form(std::span<const FormPoint> points, FormNumbers& numbers) {
  const auto [left, right] = std::ranges::minmax(points, {}, &FormPoint::s);
  const double r = left.slope;
  if (!(r > 0.0) || !(std::abs(right.slope + r) <= 1e-9 * r)) return false;
  numbers = {r, 0.5 * (left.s + right.s + (right.log_g - left.log_g) / r), 0.0, 0.0};
  return is_through(log_laplace_form, numbers, points);
}
std::vector<double> laplace_places(const FormNumbers& numbers) {
  return {numbers[1] - 1.0 / numbers[0], numbers[1] + 1.0 / numbers[0]};
}
LatentFactor draw_laplace_scale(const FormNumbers& numbers, double s, Rng& rng) {
  const double r = numbers[0], distance = std::abs(s - numbers[1]);
  const double mean = distance > 0.0 ? r / distance : kInfinity;
  return scale_factor(draw_inverse_gaussian(mean, r * r, rng), numbers[1]);
}
}  // namespace

extern const Augmentation kScaleMixture;
const Augmentation kScaleMixture{.name = "scale_mixture",
                                 .match = match_laplace_form,
                                 .places = laplace_places,
                                 .log_g = log_laplace_form,
                                 .draw = draw_laplace_scale,
                                 .expected = nullptr};

}  // namespace credo::infer
