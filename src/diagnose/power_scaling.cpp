#include "diagnose/power_scaling.hpp"

#include "diagnose/psis.hpp"

namespace credo::diagnose {
namespace {

// P log2(P / M) + Q log2(Q / M) with M = (P + Q) / 2.
double divergence(double p, double q) {
  const double middle = 0.5 * (p + q);
  const auto part = [&](double x) { return x > 0.0 ? x * std::log2(x / middle) : 0.0; };
  return part(p) + part(q);
}

std::vector<std::size_t> order_of(std::span<const double> draws) {
  std::vector<std::size_t> order(draws.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return draws[a] < draws[b]; });
  return order;
}

struct Moments {
  double mean = 0.0, variance = 0.0;
};
Moments moments_of(std::span<const double> draws, std::span<const double> weights) {
  Moments m;
  for (std::size_t i = 0; i < draws.size(); ++i) m.mean += weights[i] * draws[i];
  for (std::size_t i = 0; i < draws.size(); ++i)
    m.variance += weights[i] * (draws[i] - m.mean) * (draws[i] - m.mean);
  return m;
}
}  // namespace

double cumulative_js_distance(std::span<const double> draws, std::span<const double> weights_a,
                              std::span<const double> weights_b) {
  const std::vector<std::size_t> order = order_of(draws);
  double below = 0.0, above = 0.0, below_bound = 0.0, above_bound = 0.0;
  double p = 0.0, q = 0.0;
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    p = std::min(1.0, p + weights_a[order[k]]);
    q = std::min(1.0, q + weights_b[order[k]]);
    const double width = draws[order[k + 1]] - draws[order[k]];
    below += width * divergence(p, q), below_bound += width * (p + q);
    above += width * divergence(1.0 - p, 1.0 - q), above_bound += width * (2.0 - p - q);
  }
  const auto share = [](double sum, double bound) {
    return bound > 0.0 ? std::sqrt(std::max(0.0, sum / bound)) : 0.0;
  };
  return std::max(share(below, below_bound), share(above, above_bound));
}

PowerScaling power_scaling(std::span<const double> log_part, double r_eff, double step) {
  PowerScaling scaling;
  const auto weights_at = [&](double power) {
    std::vector<double> log_weights;
    for (const double x : log_part) log_weights.push_back((power - 1.0) * x);
    const double k = smooth_weights(log_weights, r_eff);
    scaling.pareto_k = std::isnan(scaling.pareto_k) ? k : std::max(scaling.pareto_k, k);
    for (double& w : log_weights) w = std::exp(w);
    return log_weights;
  };
  scaling.lower = weights_at(1.0 / (1.0 + step));
  scaling.upper = weights_at(1.0 + step);
  scaling.doublings = 2.0 * std::log2(1.0 + step);
  return scaling;
}

Sensitivity sensitivity_of(std::span<const double> draws, const PowerScaling& scaling) {
  const std::vector<double> equal(draws.size(), 1.0 / static_cast<double>(draws.size()));
  const Moments lower = moments_of(draws, scaling.lower), upper = moments_of(draws, scaling.upper),
                base = moments_of(draws, equal);
  Sensitivity s;
  s.distance = (cumulative_js_distance(draws, equal, scaling.lower) +
                cumulative_js_distance(draws, equal, scaling.upper)) /
               scaling.doublings;
  s.mean = (upper.mean - lower.mean) / std::sqrt(base.variance) / scaling.doublings;
  s.sd = 0.5 * std::log(upper.variance / lower.variance) / scaling.doublings;
  return s;
}

}  // namespace credo::diagnose
