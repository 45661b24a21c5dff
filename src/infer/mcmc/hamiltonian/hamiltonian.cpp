#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

#include "base/error.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
double kinetic_energy(const PhasePoint& point) {
  double sum = 0.0;
  for (std::size_t d = 0; d < point.momentum.size(); ++d)
    sum += point.momentum[d] * point.velocity[d];
  return 0.5 * sum;
}

void add_scaled(std::span<double> y, double a, std::span<const double> x) {
  for (std::size_t d = 0; d < y.size(); ++d) y[d] += a * x[d];
}
}  // namespace

PhasePoints::PhasePoints(Index count, Index dimension)
    : memory_(static_cast<std::size_t>(4 * count * dimension)),
      points_(static_cast<std::size_t>(count)) {
  const auto n = static_cast<std::size_t>(dimension);
  std::span<double> rest(memory_);
  const auto take = [&] {
    const std::span<double> part = rest.first(n);
    rest = rest.subspan(n);
    return part;
  };
  for (PhasePoint& point : points_)
    point.position = take(), point.momentum = take(), point.velocity = take(),
    point.gradient = take();
}

void begin_at(PhasePoint& point, const HmcState& state, const Metric& metric, Rng& rng) {
  std::copy(state.position.begin(), state.position.end(), point.position.begin());
  std::copy(state.gradient.begin(), state.gradient.end(), point.gradient.begin());
  point.log_density = state.log_density;
  for (double& p : point.momentum) p = rng.normal();
  metric.shape_momentum(point.momentum);
  metric.velocity(point.momentum, point.velocity);
  point.energy = kinetic_energy(point) - point.log_density;
}

void copy_to(HmcState& state, const PhasePoint& point) {
  std::copy(point.position.begin(), point.position.end(), state.position.begin());
  std::copy(point.gradient.begin(), point.gradient.end(), state.gradient.begin());
  state.log_density = point.log_density;
}

void first_half(const PhasePoint& from, PhasePoint& to, double step_size, const Metric& metric) {
  kick_and_drift(from, to, 0.5 * step_size, step_size, metric);
}

void second_half(PhasePoint& to, double step_size, const Metric& metric) {
  last_kick(to, 0.5 * step_size, metric);
}

void kick_and_drift(const PhasePoint& from, PhasePoint& to, double kick, double drift,
                    const Metric& metric) {
  for (std::size_t d = 0; d < from.momentum.size(); ++d)
    to.momentum[d] = from.momentum[d] + kick * from.gradient[d];
  metric.velocity(to.momentum, to.velocity);
  for (std::size_t d = 0; d < from.position.size(); ++d)
    to.position[d] = from.position[d] + drift * to.velocity[d];
}

void last_kick(PhasePoint& to, double kick, const Metric& metric) {
  if (to.log_density == -kInfinity) {  // the gradient means nothing there
    to.energy = kInfinity;
    return;
  }
  add_scaled(to.momentum, kick, to.gradient);
  metric.velocity(to.momentum, to.velocity);
  to.energy = kinetic_energy(to) - to.log_density;
}

double metropolis_prob(double log_ratio) {
  if (std::isnan(log_ratio)) return 0.0;
  return log_ratio >= 0.0 ? 1.0 : numerics::exp(log_ratio);
}

double energy_error(double energy, double start) {
  const double error = energy - start;
  return std::isnan(error) ? kInfinity : error;
}

}  // namespace credo::infer
