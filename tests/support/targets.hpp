// Log densities written by hand, with gradients, exact moments and, where there is a way, exact
// draws; and hostile ones.
#pragma once
#include <stdexcept>

#include "base/rng.hpp"
#include "density/function_density.hpp"

namespace credo::testing {

using density::LogDensity;

// A function of the position whose expectation is known.
struct Moment {
  std::string name;
  std::function<double(std::span<const double>)> function;
  double expectation;
};

struct Target {
  std::string name;
  std::shared_ptr<const LogDensity> density;
  std::vector<Moment> moments;
  std::function<void(Rng&, std::span<double>)> draw;  // an exact one
};

using Point = std::span<const double>;
using Slope = std::span<double>;

template <class Function>
std::shared_ptr<const LogDensity> density_of(Index dimension, Function function) {
  return density::make_density(dimension, function);
}

inline Moment mean_of(std::size_t d, double value) {
  return {"mean " + std::to_string(d), [d](Point x) { return x[d]; }, value};
}
inline Moment square_of(std::size_t d, double value) {
  return {"square " + std::to_string(d), [d](Point x) { return x[d] * x[d]; }, value};
}

// Independent normals with the given standard deviations.
inline Target normal_with(const std::string& name, std::vector<double> sd) {
  Target target{.name = name, .density = nullptr, .moments = {}, .draw = nullptr};
  for (std::size_t d = 0; d < sd.size(); ++d) {
    target.moments.push_back(mean_of(d, 0.0));
    target.moments.push_back(square_of(d, sd[d] * sd[d]));
  }
  target.draw = [sd](Rng& rng, Slope x) {
    for (std::size_t d = 0; d < sd.size(); ++d) x[d] = sd[d] * rng.normal();
  };
  target.density = density_of(ssize(sd), [sd](Point x, Slope gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < sd.size(); ++d) {
      gradient[d] = -x[d] / (sd[d] * sd[d]);
      sum += 0.5 * x[d] * gradient[d];
    }
    return sum;
  });
  return target;
}

inline Target standard_normal(std::size_t dimension) {
  return normal_with("standard_normal", std::vector<double>(dimension, 1.0));
}
inline Target scaled_normal() {
  return normal_with("scaled_normal", {0.01, 0.1, 1.0, 10.0, 100.0});
}

// Two dimensions, standard deviations 1 and 3, correlation rho.
inline Target correlated_normal(double rho) {
  Target target{.name = "correlated_normal", .density = nullptr, .moments = {}, .draw = nullptr};
  target.moments = {mean_of(0, 0.0),
                    mean_of(1, 0.0),
                    square_of(0, 1.0),
                    square_of(1, 9.0),
                    {"product", [](Point x) { return x[0] * x[1]; }, 3.0 * rho}};
  target.draw = [rho](Rng& rng, Slope x) {
    x[0] = rng.normal();
    x[1] = 3.0 * (rho * x[0] + std::sqrt(1.0 - rho * rho) * rng.normal());
  };
  target.density = density_of(2, [rho](Point x, Slope gradient) {
    const double u = x[0], v = x[1] / 3.0, scale = 1.0 / (1.0 - rho * rho);
    gradient[0] = -scale * (u - rho * v);
    gradient[1] = -scale * (v - rho * u) / 3.0;
    return 0.5 * (x[0] * gradient[0] + x[1] * gradient[1]);
  });
  return target;
}

// x0 ~ N(0, sd), x1 … x3 ~ N(0, exp(x0 / 2)) [neal2003].
inline Target funnel(double sd) {
  Target target{.name = "funnel", .density = nullptr, .moments = {}, .draw = nullptr};
  target.moments = {mean_of(0, 0.0), square_of(0, sd * sd)};
  const auto scaled = [](Point x) { return x[1] * x[1] * std::exp(-x[0]); };
  target.moments.push_back({"scaled square 1", scaled, 1.0});
  target.moments.push_back({"sign 2", [](Point x) { return x[2] < 0.0 ? 1.0 : 0.0; }, 0.5});
  target.draw = [sd](Rng& rng, Slope x) {
    x[0] = sd * rng.normal();
    for (std::size_t d = 1; d < 4; ++d) x[d] = std::exp(0.5 * x[0]) * rng.normal();
  };
  target.density = density_of(4, [sd](Point x, Slope gradient) {
    const double precision = std::exp(-x[0]);
    double sum = 0.0;
    for (std::size_t d = 1; d < 4; ++d) {
      gradient[d] = -x[d] * precision;
      sum += x[d] * x[d] * precision;
    }
    gradient[0] = -x[0] / (sd * sd) - 1.5 + 0.5 * sum;
    return -0.5 * x[0] * x[0] / (sd * sd) - 1.5 * x[0] - 0.5 * sum;
  });
  return target;
}

// x0 ~ N(0, 1), x1 ~ N(x0² / 2, 1/2).
inline Target banana() {
  Target target{.name = "banana", .density = nullptr, .moments = {}, .draw = nullptr};
  target.moments = {mean_of(0, 0.0), square_of(0, 1.0), mean_of(1, 0.5), square_of(1, 1.0)};
  target.draw = [](Rng& rng, Slope x) {
    x[0] = rng.normal();
    x[1] = 0.5 * x[0] * x[0] + 0.5 * rng.normal();
  };
  target.density = density_of(2, [](Point x, Slope gradient) {
    const double off = x[1] - 0.5 * x[0] * x[0];
    gradient[0] = -x[0] + 4.0 * off * x[0];
    gradient[1] = -4.0 * off;
    return -0.5 * x[0] * x[0] - 2.0 * off * off;
  });
  return target;
}

// exp(x) ~ |N(0, 1)|, the density of x with its Jacobian.
inline Target half_normal_on_log_scale() {
  Target target{.name = "half_normal", .density = nullptr, .moments = {}, .draw = nullptr};
  const auto power = [](double k) { return [k](Point x) { return std::exp(k * x[0]); }; };
  target.moments = {{"mean of exp", power(1.0), std::sqrt(2.0 / 3.141592653589793)},
                    {"square of exp", power(2.0), 1.0}};
  target.draw = [](Rng& rng, Slope x) { x[0] = std::log(std::fabs(rng.normal())); };
  target.density = density_of(1, [](Point x, Slope gradient) {
    const double square = std::exp(2.0 * x[0]);
    gradient[0] = 1.0 - square;
    return x[0] - 0.5 * square;
  });
  return target;
}

// inv_logit(x) ~ Beta(2, 3), the density of x with its Jacobian.
inline Target beta_on_logit_scale() {
  Target target{.name = "beta", .density = nullptr, .moments = {}, .draw = nullptr};
  const auto inv_logit = [](Point x) { return 1.0 / (1.0 + std::exp(-x[0])); };
  target.moments = {{"mean", inv_logit, 0.4},
                    {"square", [=](Point x) { return inv_logit(x) * inv_logit(x); }, 0.2}};
  target.draw = [](Rng& rng, Slope x) {  // a ratio of sums of exponentials
    const double a = rng.exponential() + rng.exponential();
    const double b = rng.exponential() + rng.exponential() + rng.exponential();
    x[0] = std::log(a / b);
  };
  target.density = density_of(1, [](Point x, Slope gradient) {
    const double p = 1.0 / (1.0 + std::exp(-x[0]));
    gradient[0] = 2.0 - 5.0 * p;
    return 2.0 * std::log(p) + 3.0 * std::log1p(-p);
  });
  return target;
}

// 0.3 N(-2, 1) + 0.7 N(2, 1) in the first of two coordinates, N(0, 1) in the second.
inline Target two_modes() {
  Target target{.name = "two_modes", .density = nullptr, .moments = {}, .draw = nullptr};
  target.moments = {mean_of(0, 0.8), square_of(0, 5.0), mean_of(1, 0.0), square_of(1, 1.0)};
  target.moments.push_back({"side", [](Point x) { return x[0] < -2.0 ? 1.0 : 0.0; },
                            0.15 + 0.7 * 0.5 * std::erfc(4.0 / std::sqrt(2.0))});
  target.draw = [](Rng& rng, Slope x) {
    x[0] = (rng.uniform() < 0.3 ? -2.0 : 2.0) + rng.normal();
    x[1] = rng.normal();
  };
  target.density = density_of(2, [](Point x, Slope gradient) {
    const double low = 0.3 * std::exp(-0.5 * (x[0] + 2.0) * (x[0] + 2.0));
    const double high = 0.7 * std::exp(-0.5 * (x[0] - 2.0) * (x[0] - 2.0));
    gradient[0] = -((x[0] + 2.0) * low + (x[0] - 2.0) * high) / (low + high);
    gradient[1] = -x[1];
    return std::log(low + high) - 0.5 * x[1] * x[1];
  });
  return target;
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
