#include "credo/trajectory.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "infer/mcmc/hamiltonian/integrator.hpp"

namespace credo {
namespace {
using LogDensity = std::function<double(std::span<const double>, std::span<double>)>;

struct Flow {
  const LogDensity& log_density;
  infer::Metric metric;
  infer::PhasePoints points;
  double step_size;

  infer::PhasePoint& at() { return points[0]; }
  void evaluate(infer::PhasePoint& point) const {
    point.log_density = log_density(point.position, point.gradient);
  }
  PhaseState state() {
    metric.velocity(at().momentum, at().velocity);
    return {.position = {at().position.begin(), at().position.end()},
            .momentum = {at().momentum.begin(), at().momentum.end()},
            .energy = 0.5 * std::inner_product(at().momentum.begin(), at().momentum.end(),
                                               at().velocity.begin(), 0.0) -
                      at().log_density};
  }
};

void split(Flow& flow, const infer::Integrator& by) {
  for (std::size_t stage = 0; stage < by.drifts.size(); ++stage) {
    infer::kick_and_drift(flow.at(), flow.points[1], by.kicks[stage] * flow.step_size,
                          by.drifts[stage] * flow.step_size, flow.metric);
    flow.evaluate(flow.points[1]);
    std::swap(flow.points[0], flow.points[1]);
  }
  infer::last_kick(flow.at(), by.kicks.back() * flow.step_size, flow.metric);
}
template <infer::IntegratorKind kind>
void split_by(Flow& flow) {
  split(flow, infer::integrator(kind));
}
void symplectic_euler(Flow& flow) { split(flow, infer::symplectic_euler()); }

void euler(Flow& flow) {
  infer::euler_step(flow.at(), flow.points[1], flow.step_size, flow.metric);
  flow.evaluate(flow.points[1]);
  std::swap(flow.points[0], flow.points[1]);
}

// Steps of v = L⁻¹ M⁻¹ momentum; momentum = L⁻ᵀ v.
void root_of_metric(Flow& flow) {
  infer::PhasePoint& at = flow.at();
  flow.metric.velocity(at.momentum, at.velocity);
  flow.metric.unshape_move(at.velocity);
  std::ranges::copy(at.velocity, at.momentum.begin());
  infer::sqrt_metric_first_half(at, flow.step_size, flow.metric);
  flow.evaluate(at);
  infer::sqrt_metric_second_half(at, flow.step_size, flow.metric);
  flow.metric.shape_momentum(at.momentum);
}

constexpr std::array<IntegratorRow, 7> kRows{{
    {"euler", "Euler's step: wrong as a sampler, the energy grows", "hairer2006", 1, false, false},
    {"forest_ruth", "three leapfrogs, one of them backwards", "yoshida1990", 4},
    {"leapfrog", "half kick, drift, half kick", "neal2011"},
    {"sqrt_metric", "leapfrog in units of the root of the metric", "neal2011"},
    {"symplectic_euler", "kick, then drift: not reversible", "hairer2006", 1, false},
    {"three_stage", "the least energy error of three gradients a step", "blanes2014"},
    {"two_stage", "the least energy error of two gradients a step", "blanes2014"},
}};
using enum infer::IntegratorKind;
constexpr std::array<void (*)(Flow&), kRows.size()> kSteps{// in the order of the rows
                                                           euler,
                                                           split_by<forest_ruth>,
                                                           split_by<leapfrog>,
                                                           root_of_metric,
                                                           symplectic_euler,
                                                           split_by<three_stage>,
                                                           split_by<two_stage>};

void (*step_named(std::string_view name))(Flow&) {
  const auto row = std::ranges::find(kRows, name, &IntegratorRow::name);
  if (row != kRows.end()) return kSteps[static_cast<std::size_t>(row - kRows.begin())];
  std::vector<std::string> names;
  for (const IntegratorRow& one : kRows) names.emplace_back(one.name);
  throw Error(ErrorCode::usage, fmt::format("there is no integrator {}", name), "trajectory",
              did_you_mean(name, names));
}

infer::Metric metric_of(const std::vector<double>& inverse, Index dimension) {
  const Index size = ssize(inverse);
  const infer::MetricKind kind = size == 0           ? infer::MetricKind::unit
                                 : size == dimension ? infer::MetricKind::diagonal
                                                     : infer::MetricKind::dense;
  infer::Metric metric(kind, dimension);
  if (kind == infer::MetricKind::dense && size != dimension * dimension)
    throw Error(ErrorCode::usage,
                fmt::format("inverse_metric has {} numbers, must have {} or {}", size, dimension,
                            dimension * dimension),
                "trajectory");
  if (size > 0 && !metric.set_inverse(inverse))
    throw Error(ErrorCode::usage, "inverse_metric must be positive definite", "trajectory");
  return metric;
}
}  // namespace

std::span<const IntegratorRow> integrators() { return kRows; }

std::vector<PhaseState> trajectory(const LogDensity& log_density,
                                   const std::vector<double>& position,
                                   const std::vector<double>& momentum,
                                   const TrajectoryOptions& options) {
  const Index dimension = ssize(position);
  if (ssize(momentum) != dimension)
    throw Error(ErrorCode::usage,
                fmt::format("momentum has {} numbers, position has {}", momentum.size(), dimension),
                "trajectory");
  auto* const step = step_named(options.integrator);
  Flow flow{log_density, metric_of(options.inverse_metric, dimension),
            infer::PhasePoints(2, dimension), options.step_size};
  std::ranges::copy(position, flow.at().position.begin());
  std::ranges::copy(momentum, flow.at().momentum.begin());
  flow.evaluate(flow.at());
  std::vector<PhaseState> path{flow.state()};
  for (Index t = 0; t < options.num_steps; ++t) {
    step(flow);
    path.push_back(flow.state());
  }
  return path;
}

}  // namespace credo
