// The implicit generalised leapfrog for Hamiltonians whose metric varies with the position
// [girolami2011, sec. 5; leimkuhler2004]:
//
//   H(θ, p) = -log density(θ) + ½ log|G(θ)| + ½ pᵀ G(θ)⁻¹ p
//   p½ = p - h/2 ∂H/∂θ(θ, p½)                               solved for p½ by fixed point iterations
//   θ' = θ + h/2 (∂H/∂p(θ, p½) + ∂H/∂p(θ', p½))             and this for θ'
//   p' = p½ - h/2 ∂H/∂θ(θ', p½)
//
// Reversible and volume preserving, of second order, where the equations are solved and have one
// solution nearby. Neither can be taken for granted: iterations may not settle, or settle on
// another solution on the way back. A step therefore says how it came out, and only `done` may
// propose.
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/step.hpp"
#include "infer/mcmc/hamiltonian/local_metric.hpp"

namespace credo::infer {

struct ImplicitOptions {
  LocalMetricOptions metric;
  double tolerance = 1e-8;     // tolerance of a fixed point: last change in the local metric's norm
  Index max_iterations = 50;   // for each equation
  bool check_reversal = true;  // each step is undone, and has to come back
  double reversal_tolerance = 1e-5;  // to within this distance, in the local metric's norm
};

// A point of phase space with the metric there.
struct RiemannPoint {
  RiemannPoint(const LocalMetricOptions& options, Index dimension);
  void copy_from(const PointState& state);
  void copy_to(PointState& state) const;
  double kinetic_energy() { return 0.5 * metric.momentum_norm2(momentum); }
  // With the position, its log density, the metric and the momentum there.
  void set_energy() { energy = kinetic_energy() + 0.5 * metric.log_determinant() - log_density; }

  std::vector<double> position, momentum, gradient;
  double log_density = -kInfinity, energy = kInfinity;
  LocalMetric metric;
};

enum class StepOutcome { done, refused, not_settled, not_reversible };

class GeneralisedLeapfrog final : public PooledKernel {
 public:
  GeneralisedLeapfrog(const ImplicitOptions& options, Index dimension);

  struct Leap {
    RiemannPoint* from;  // with gradient and metric
    RiemannPoint* to;    // everything of it is written; another point
    double step_size;    // a negative one goes back in time
  };
  // A step; with check_reversal also the step back.
  Step<StepOutcome> leap(Leap leap);
  // The metric at a point's position.
  Step<StepOutcome> measure(RiemannPoint& point);
  // -∂H/∂θ at a point for a momentum there, in force().
  Step<StepOutcome> push(RiemannPoint& point, std::span<const double> momentum);
  std::span<const double> force() const { return force_; }

  Index num_iterations = 0;  // iterations of fixed points, accumulated
  ImplicitOptions options;

 private:
  Step<StepOutcome> leap_there(Leap leap);
  Step<StepOutcome> kick(Leap leap);
  Step<StepOutcome> drift(Leap leap);
  double next_momentum(Leap leap);
  double next_position(Leap leap);
  bool is_back(RiemannPoint& start);

  RiemannPoint back_;
  std::vector<double> half_, velocity_, other_velocity_, change_, force_, matrix_, weights_;
};

}  // namespace credo::infer
