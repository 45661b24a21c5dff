#include "infer/mcmc/hamiltonian/generalised_leapfrog.hpp"

namespace credo::infer {

RiemannPoint::RiemannPoint(const LocalMetricOptions& options, Index dimension)
    : position(static_cast<std::size_t>(dimension)),
      momentum(position.size()),
      gradient(position.size()),
      metric(options, dimension) {}

void RiemannPoint::copy_from(const PointState& state) {
  position = state.position;
  gradient = state.gradient;
  log_density = state.log_density;
}

void RiemannPoint::copy_to(PointState& state) const {
  state.position = position;
  state.gradient = gradient;
  state.log_density = log_density;
}

GeneralisedLeapfrog::GeneralisedLeapfrog(const ImplicitOptions& options_, Index dimension)
    : options(options_),
      back_(options_.metric, dimension),
      half_(static_cast<std::size_t>(dimension)),
      velocity_(half_.size()),
      other_velocity_(half_.size()),
      change_(half_.size()),
      force_(half_.size()),
      matrix_(half_.size() * half_.size()),
      weights_(matrix_.size()) {}

Step<StepOutcome> GeneralisedLeapfrog::leap(Leap leap) {
  const StepOutcome there = co_await leap_there(leap);
  if (there != StepOutcome::done || !options.check_reversal) co_return there;
  const StepOutcome back = co_await leap_there({leap.to, &back_, -leap.step_size});
  co_return back == StepOutcome::done&& is_back(*leap.from) ? StepOutcome::done
                                                            : StepOutcome::not_reversible;
}

Step<StepOutcome> GeneralisedLeapfrog::leap_there(Leap leap) {
  RiemannPoint& to = *leap.to;
  to.energy = kInfinity;
  if (const StepOutcome outcome = co_await kick(leap); outcome != StepOutcome::done)
    co_return outcome;
  if (const StepOutcome outcome = co_await drift(leap); outcome != StepOutcome::done)
    co_return outcome;
  to.log_density = (co_await evaluate(to.position, to.gradient)).log_density;
  if (to.log_density == -kInfinity) co_return StepOutcome::refused;
  if (const StepOutcome outcome = co_await push(to, half_); outcome != StepOutcome::done)
    co_return outcome;
  for (std::size_t d = 0; d < half_.size(); ++d)
    to.momentum[d] = half_[d] + 0.5 * leap.step_size * force_[d];
  to.set_energy();
  co_return StepOutcome::done;
}

Step<StepOutcome> GeneralisedLeapfrog::measure(RiemannPoint& point) {
  const density::Want want = options.metric.want();
  const bool answered = (co_await evaluate_matrix(want, point.position, matrix_)).status.ok();
  co_return answered&& point.metric.set(matrix_) ? StepOutcome::done : StepOutcome::refused;
}

Step<StepOutcome> GeneralisedLeapfrog::push(RiemannPoint& point, std::span<const double> momentum) {
  const density::Want want = slope_of(options.metric.want());
  point.metric.weights(momentum, weights_);
  if (!(co_await evaluate_slope(want, point.position, weights_, force_)).status.ok())
    co_return StepOutcome::refused;
  for (std::size_t d = 0; d < force_.size(); ++d) force_[d] = point.gradient[d] - 0.5 * force_[d];
  co_return StepOutcome::done;
}

// p½ from the momentum at the start.
Step<StepOutcome> GeneralisedLeapfrog::kick(Leap leap) {
  half_ = leap.from->momentum;
  for (Index i = 0; i < options.max_iterations; ++i) {
    ++num_iterations;
    if (co_await push(*leap.from, half_) != StepOutcome::done) co_return StepOutcome::refused;
    if (next_momentum(leap) <= options.tolerance) co_return StepOutcome::done;
  }
  co_return StepOutcome::not_settled;
}

// The change is measured in the metric where the momentum is.
double GeneralisedLeapfrog::next_momentum(Leap leap) {
  for (std::size_t d = 0; d < half_.size(); ++d) {
    const double next = leap.from->momentum[d] + 0.5 * leap.step_size * force_[d];
    change_[d] = next - half_[d];
    half_[d] = next;
  }
  return std::sqrt(leap.from->metric.momentum_norm2(change_));
}

// θ' with its metric. The last position tried is kept: its metric is known.
Step<StepOutcome> GeneralisedLeapfrog::drift(Leap leap) {
  leap.from->metric.velocity(half_, velocity_);
  for (std::size_t d = 0; d < half_.size(); ++d)
    leap.to->position[d] = leap.from->position[d] + leap.step_size * velocity_[d];
  for (Index i = 0; i < options.max_iterations; ++i) {
    ++num_iterations;
    if (co_await measure(*leap.to) != StepOutcome::done) co_return StepOutcome::refused;
    if (next_position(leap) <= options.tolerance) co_return StepOutcome::done;
    for (std::size_t d = 0; d < change_.size(); ++d) leap.to->position[d] += change_[d];
  }
  co_return StepOutcome::not_settled;
}

double GeneralisedLeapfrog::next_position(Leap leap) {
  leap.to->metric.velocity(half_, other_velocity_);
  for (std::size_t d = 0; d < half_.size(); ++d) {
    const double velocity = 0.5 * (velocity_[d] + other_velocity_[d]);
    change_[d] = leap.from->position[d] + leap.step_size * velocity - leap.to->position[d];
  }
  return std::sqrt(leap.from->metric.move_norm2(change_));
}

bool GeneralisedLeapfrog::is_back(RiemannPoint& start) {
  for (std::size_t d = 0; d < change_.size(); ++d)
    change_[d] = back_.position[d] - start.position[d];
  const double off = std::sqrt(start.metric.move_norm2(change_));
  for (std::size_t d = 0; d < change_.size(); ++d)
    change_[d] = back_.momentum[d] - start.momentum[d];
  const double off_momentum = std::sqrt(start.metric.momentum_norm2(change_));
  return off <= options.reversal_tolerance && off_momentum <= options.reversal_tolerance;
}

}  // namespace credo::infer
