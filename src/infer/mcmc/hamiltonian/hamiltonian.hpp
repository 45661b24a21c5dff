// Phase space: points, their energy, the leapfrog integrator, and what every Hamiltonian kernel
// has.
//
//   H(position, momentum) = -log density(position) + ½ momentumᵀ M⁻¹ momentum       [neal2011, 2.2]
#pragma once
#include "infer/core/point.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"

namespace credo::infer {

// An energy error above it, or one that isn't a number, is a divergence [betancourt2017, sec. 6.2].
inline constexpr double kMaxEnergyError = 1000.0;

// State of a Hamiltonian kernel between transitions: a point with its gradient.
using HmcState = PointState;

// Settings tuned during warm-up.
struct HmcSettings {
  double step_size = 1.0;
  Metric metric;

  static void saved(auto& self, auto&& field) {
    field(self.step_size);
    field(self.metric);
  }
};

// One point of a trajectory; the spans have D values each. velocity = M⁻¹ momentum.
struct PhasePoint {
  std::span<double> position, momentum, velocity, gradient;
  double log_density = -kInfinity;
  double energy = kInfinity;
};

// Memory of `count` points, one block.
class PhasePoints {
 public:
  PhasePoints(Index count, Index dimension);
  PhasePoint& operator[](Index i) { return points_[static_cast<std::size_t>(i)]; }
  const PhasePoint& operator[](Index i) const { return points_[static_cast<std::size_t>(i)]; }
  Index size() const { return ssize(points_); }
  PhasePoints(PhasePoints&&) = default;

 private:
  std::vector<double> memory_;
  std::vector<PhasePoint> points_;
};

// Position, gradient and log density from the state, a fresh momentum from the stream, the energy.
void begin_at(PhasePoint& point, const HmcState& state, const Metric& metric, Rng& rng);
void copy_to(HmcState& state, const PhasePoint& point);

// The leapfrog step is first_half (half kick, drift), the gradient at the new position, second_half
// (half kick, velocity, energy). A negative step size goes back in time.
void first_half(const PhasePoint& from, PhasePoint& to, double step_size, const Metric& metric);
void second_half(PhasePoint& to, double step_size, const Metric& metric);

// A kick for the time `kick` and a drift for the time `drift`; then a kick that ends a
// step.
void kick_and_drift(const PhasePoint& from, PhasePoint& to, double kick, double drift,
                    const Metric& metric);
void last_kick(PhasePoint& to, double kick, const Metric& metric);

// min(1, exp(log_ratio)), and 0 for NaN, which std::fmin would turn into 1.
double metropolis_prob(double log_ratio);

// energy - start, and +infinity where it isn't a number.
double energy_error(double energy, double start);
inline bool is_divergent(double error) { return !(error <= kMaxEnergyError); }

}  // namespace credo::infer
