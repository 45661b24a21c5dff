// Outcomes between two thresholds, as those of ordered probit: g(s) = Φ(b - k s) - Φ(a - k s) with k > 0 is a < z < b for
// z ~ N(k s, 1). Given z the factor of s is N(z; k s, 1).
#include "infer/augment/augmentation.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
// log(Φ(upper) - Φ(lower)), on the side where both are small.
double log_phi_between(double lower, double upper) {
  if (lower > 0.0) return log_phi_between(-upper, -lower);
  const double high = numerics::log_phi(upper);
  return high + numerics::log1m_exp(numerics::log_phi(lower) - high);
}
double log_interval(const FormNumbers& numbers, double s) {
  return log_phi_between(numbers[1] - numbers[0] * s, numbers[2] - numbers[0] * s);
}

// The three points that show a, b and k: two on the left, where g is nearly Φ(k s - a), and one on the right.
struct IntervalEnds {
  FormPoint far, near, right;
};
// Corrects log g by what the other threshold takes off, until nothing changes.
bool solve_interval(const IntervalEnds& at, FormNumbers& numbers) {
  double a = -kInfinity, b = kInfinity, k = 0.0;
  const auto left_of = [&](const FormPoint& point) {  // k s - a
    const double l = a - k * point.s, u = b - k * point.s;
    const double taken =
        std::isfinite(b) ? numerics::log1m_exp(numerics::log_phi(-u) - numerics::log_phi(-l)) : 0.0;
    return numerics::inv_phi_log(point.log_g - taken);
  };
  for (int round = 0; round < 200; ++round) {
    const double far = left_of(at.far), near = left_of(at.near);
    const double new_k = (near - far) / (at.near.s - at.far.s), new_a = new_k * at.far.s - far;
    const double l = new_a - new_k * at.right.s, last_u = b - new_k * at.right.s;
    const double taken = std::isfinite(b)
                             ? numerics::log1m_exp(numerics::log_phi(l) - numerics::log_phi(last_u))
                             : 0.0;
    const double new_b = numerics::inv_phi_log(at.right.log_g - taken) + new_k * at.right.s;
    const double change = std::abs(new_a - a) + std::abs(new_b - b) + std::abs(new_k - k);
    a = new_a, b = new_b, k = new_k;
    if (!(k > 0.0) || !(a < b)) return false;
    if (change <= 1e-14 * (std::abs(a) + std::abs(b) + k)) break;
  }
  numbers = {k, a, b, 0.0};
  return std::isfinite(a + b + k);
}

bool match_interval(std::span<const FormPoint> points, FormNumbers& numbers) {
  std::vector<FormPoint> sorted;
  for (const FormPoint& point :
       points)  // far enough for one threshold alone, near enough for digits
    if (std::isfinite(point.log_g) && point.log_g > -1e7) sorted.push_back(point);
  if (sorted.size() < 3) return false;
  std::ranges::sort(sorted, {}, &FormPoint::s);
  const IntervalEnds ends{sorted[0], sorted[1], sorted.back()};
  if (!(ends.far.slope > 0.0 && ends.near.slope > 0.0 && ends.right.slope < 0.0)) return false;
  if (!solve_interval(ends, numbers)) return false;
  return std::ranges::all_of(sorted, [&](const FormPoint& point) {
    const double own = log_interval(numbers, point.s);
    const double size = 1.0 + std::abs(own) + std::abs(point.slope * point.s);
    return std::abs(own - point.log_g) <= 1e-8 * size;
  });
}

// One gap beyond the thresholds at least, and 12 standard deviations: there one of them takes nothing off.
std::vector<double> interval_places(const FormNumbers& numbers) {
  const double away = 12.0 + 40.0 / std::max(numbers[2] - numbers[1], 0.04);
  return {(numbers[1] - 1.5 * away) / numbers[0], (numbers[1] - away) / numbers[0],
          (numbers[2] + away) / numbers[0]};
}

// The factor given z = k s + w.
LatentFactor given_interval(const FormNumbers& numbers, double s, double w) {
  return {.precision = numbers[0] * numbers[0], .shift = numbers[0] * (numbers[0] * s + w)};
}
// w ~ N(0, 1) between two bounds.
double draw_between(double lower, double upper, Rng& rng) {
  if (lower > 0.0) return -draw_between(-upper, -lower, rng);
  const double below = numerics::log_phi(lower), within = log_phi_between(lower, upper);
  const double part = numerics::log(rng.uniform()) + within;
  const double most = std::max(below, part);
  const double log_p =
      most + numerics::log(numerics::exp(below - most) + numerics::exp(part - most));
  return std::clamp(numerics::inv_phi_log(std::min(log_p, 0.0)), lower, upper);
}
LatentFactor draw_latent_interval(const FormNumbers& numbers, double s, Rng& rng) {
  return given_interval(
      numbers, s, draw_between(numbers[1] - numbers[0] * s, numbers[2] - numbers[0] * s, rng));
}
// E w = (φ(lower) - φ(upper)) / (Φ(upper) - Φ(lower))
LatentFactor expected_latent_interval(const FormNumbers& numbers, double s) {
  const double lower = numbers[1] - numbers[0] * s, upper = numbers[2] - numbers[0] * s;
  const double within = log_phi_between(lower, upper), log_root = 0.5 * numerics::log(2.0 * M_PI);
  const auto share = [&](double w) { return numerics::exp(-0.5 * w * w - log_root - within); };
  return given_interval(numbers, s, share(lower) - share(upper));
}
}  // namespace

extern const Augmentation kLatentInterval;
const Augmentation kLatentInterval{.name = "latent_interval",
                                   .match = match_interval,
                                   .places = interval_places,
                                   .log_g = log_interval,
                                   .draw = draw_latent_interval,
                                   .expected = expected_latent_interval,
                                   .has_fixed_precision = true};

}  // namespace credo::infer
