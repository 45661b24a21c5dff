#include "infer/invariance/targets.hpp"

#include "density/function_density.hpp"

namespace credo::infer::invariance {
namespace {
using Point = std::span<const double>;
using Slope = std::span<double>;

template <class Function>
std::shared_ptr<const density::LogDensity> density_of(Index dimension, Function function) {
  return density::make_density(dimension, function);
}
}  // namespace

Moment mean_of(std::size_t d, double value) {
  return {"mean " + std::to_string(d), [d](Point x) { return x[d]; }, value};
}
Moment square_of(std::size_t d, double value) {
  return {"square " + std::to_string(d), [d](Point x) { return x[d] * x[d]; }, value};
}

Target normal_with(const std::string& name, std::vector<double> sd) {
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

Target standard_normal(std::size_t dimension) {
  return normal_with("standard_normal", std::vector<double>(dimension, 1.0));
}

Target correlated_normal(double rho) {
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

Target funnel(double sd) {
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

Target banana() {
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

Target half_normal_on_log_scale() {
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

Target beta_on_logit_scale() {
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

Target two_modes() {
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

std::vector<Target> all_targets() {
  return {standard_normal(3),         correlated_normal(0.8), funnel(1.0), banana(),
          half_normal_on_log_scale(), beta_on_logit_scale(),  two_modes()};
}

}  // namespace credo::infer::invariance
