// Log densities written by hand, with gradients, exact moments and, where there is a way, exact
// draws: those of the invariance suite and others; and hostile ones.
#pragma once
#include <stdexcept>

#include "density/function_density.hpp"
#include "infer/invariance/targets.hpp"

namespace credo::testing {

using density::LogDensity;
using infer::invariance::banana;
using infer::invariance::beta_on_logit_scale;
using infer::invariance::correlated_normal;
using infer::invariance::funnel;
using infer::invariance::half_normal_on_log_scale;
using infer::invariance::mean_of;
using infer::invariance::Moment;
using infer::invariance::normal_with;
using infer::invariance::square_of;
using infer::invariance::standard_normal;
using infer::invariance::Target;
using infer::invariance::two_modes;

using Point = std::span<const double>;
using Slope = std::span<double>;

template <class Function>
std::shared_ptr<const LogDensity> density_of(Index dimension, Function function) {
  return density::make_density(dimension, function);
}

inline Target scaled_normal() {
  return normal_with("scaled_normal", {0.01, 0.1, 1.0, 10.0, 100.0});
}

inline std::vector<Target> targets_with_exact_moments() {
  return {standard_normal(10), correlated_normal(0.8), funnel(1.0), banana(),
          half_normal_on_log_scale()};
}

// Eight schools, non-centred: mu ~ N(0, 5), tau = exp(x1) ~ half Cauchy(0, 5), eta ~ N(0, 1).
inline std::shared_ptr<const LogDensity> eight_schools() {
  return density_of(10, [](Point x, Slope gradient) {
    constexpr std::array<double, 8> y = {28, 8, -3, 7, -1, 1, 18, 12};
    constexpr std::array<double, 8> sigma = {15, 10, 16, 11, 9, 11, 10, 18};
    const double mu = x[0], tau = std::exp(x[1]), square = tau * tau / 25.0;
    double sum = -0.5 * mu * mu / 25.0 - std::log1p(square) + x[1];
    gradient[0] = -mu / 25.0;
    gradient[1] = 1.0 - 2.0 * square / (1.0 + square);
    for (std::size_t j = 0; j < 8; ++j) {
      const double eta = x[2 + j], off = (y[j] - mu - tau * eta) / sigma[j];
      sum += -0.5 * eta * eta - 0.5 * off * off;
      gradient[0] += off / sigma[j];
      gradient[1] += off / sigma[j] * tau * eta;
      gradient[2 + j] = -eta + off / sigma[j] * tau;
    }
    return sum;
  });
}

// ---- hostile ----

inline std::shared_ptr<const LogDensity> always(double log_density, Index dimension = 2) {
  return density_of(dimension, [log_density](Point, Slope gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    return log_density;
  });
}

// A normal that is `outside` where keep(x) is false.
template <class Keep>
std::shared_ptr<const LogDensity> normal_where(Index dimension, Keep keep, double outside) {
  return density_of(dimension, [keep, outside](Point x, Slope gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) gradient[d] = -x[d], sum -= 0.5 * x[d] * x[d];
    return keep(x) ? sum : outside;
  });
}

inline std::shared_ptr<const LogDensity> nan_beyond(double radius) {
  return normal_where(
      2, [radius](Point x) { return std::fabs(x[0]) <= radius; }, kNaN);
}
inline std::shared_ptr<const LogDensity> normal_on_half_line() {
  return normal_where(
      1, [](Point x) { return x[0] >= 0.0; }, -kInfinity);
}
inline std::shared_ptr<const LogDensity> normal_with_hole() {
  const auto outside_hole = [](Point x) { return x[0] * x[0] + x[1] * x[1] > 0.25; };
  return normal_where(2, outside_hole, -kInfinity);
}
inline std::shared_ptr<const LogDensity> throwing() {
  return density_of(1, [](Point, Slope) -> double { throw std::runtime_error("model broke"); });
}
inline std::shared_ptr<const LogDensity> infinite_gradient() {
  return density_of(1, [](Point, Slope gradient) {
    gradient[0] = kInfinity;
    return 0.0;
  });
}

}  // namespace credo::testing
