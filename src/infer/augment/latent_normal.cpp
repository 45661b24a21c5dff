// Outcomes of probit regression [albert1993]: log g(s) = log Φ(k s + c) is z > 0 for z ~ N(k s + c, 1).
//
//   z = k s + c + w,  w ~ N(0, 1) given w > -(k s + c);  given z the factor of s is N(z; k s + c, 1)
//
// w is drawn from its tail by logarithms, so that no digits are lost however far out it lies. EM has E w, the inverse Mills ratio.
#include "infer/augment/augmentation.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
constexpr double kLostDigits = -1e-6;  // log g above it has lost digits of 1 - g
constexpr double kClearPlace = -1.0;   // k s + c of the place at which the numbers are read

double probit_at(const FormNumbers& numbers, double s) { return numbers[0] * s + numbers[1]; }

// k and c from the value and the slope at the point that is nearest to k s + c = -1.
bool match_probit_line(std::span<const FormPoint> points, FormNumbers& numbers) {
  double best = kInfinity;
  for (const FormPoint& point : points) {
    if (!(point.log_g < kLostDigits) || !std::isfinite(point.log_g)) continue;
    const double eta = numerics::inv_phi_log(point.log_g);
    if (std::abs(eta - kClearPlace) >= best || point.slope == 0.0) continue;
    best = std::abs(eta - kClearPlace);
    numbers[0] = point.slope / numerics::inverse_mills(eta);
    numbers[1] = eta - numbers[0] * point.s;
  }
  if (!std::isfinite(best)) return false;
  for (const FormPoint& point : points) {
    const double own = numerics::log_phi(probit_at(numbers, point.s));
    const double size = 1.0 + std::abs(own) + std::abs(point.slope * point.s);
    const double rounding = 1e-9 * size + rounding_of_tail(own);
    if (own < kLostDigits && !(rounding > 1.0) && !(std::abs(own - point.log_g) <= rounding))
      return false;
  }
  return true;
}

std::vector<double> probit_places(const FormNumbers& numbers) {
  return {(kClearPlace - numbers[1]) / numbers[0]};
}
double log_probit(const FormNumbers& numbers, double s) {
  return numerics::log_phi(probit_at(numbers, s));
}

LatentFactor given_latent(const FormNumbers& numbers, double s, double w) {
  return {.precision = numbers[0] * numbers[0], .shift = numbers[0] * (numbers[0] * s + w)};
}
LatentFactor draw_latent_normal(const FormNumbers& numbers, double s, Rng& rng) {
  const double log_tail = numerics::log(rng.uniform()) + log_probit(numbers, s);
  return given_latent(numbers, s, -numerics::inv_phi_log(log_tail));
}
LatentFactor expected_latent_normal(const FormNumbers& numbers, double s) {
  return given_latent(numbers, s, numerics::inverse_mills(probit_at(numbers, s)));
}
}  // namespace

extern const Augmentation kLatentNormal;
const Augmentation kLatentNormal{.name = "latent_normal",
                                 .match = match_probit_line,
                                 .places = probit_places,
                                 .log_g = log_probit,
                                 .draw = draw_latent_normal,
                                 .expected = expected_latent_normal,
                                 .is_probability = true,
                                 .has_fixed_precision = true};

}  // namespace credo::infer
