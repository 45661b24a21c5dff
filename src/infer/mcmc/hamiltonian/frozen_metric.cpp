#include "infer/mcmc/hamiltonian/frozen_metric.hpp"

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {

Step<FrozenMetricInfo> FrozenMetric::step(PointState& current, Rng& rng) {
  const bool is_here = options.anchor == Anchor::current;
  bool possible = co_await measure_anchor(current, rng);
  begin(current, rng);
  Index num_done = 0;
  if (possible) num_done = co_await run_trajectory(settings.step_size);
  possible = possible && end_.log_density > -kInfinity;
  if (possible && is_here) possible = co_await measure(end_.position, end_metric_);
  double log_ratio = -kInfinity;
  if (possible) log_ratio = is_here ? log_ratio_of_proposals() : log_ratio_of_energies();
  const double accept_prob = metropolis_prob(log_ratio);
  if (rng.uniform() < accept_prob) end_.copy_to(current);
  co_return FrozenMetricInfo{.log_density = current.log_density,
                             .accept_stat = accept_prob,
                             .step_size = settings.step_size,
                             .num_leapfrog = num_done};
}

void FrozenMetric::check(const FrozenMetricOptions& options, const density::LogDensity& density) {
  check_has_matrix(options.metric(), density, "frozen_metric");
}

FrozenMetric::FrozenMetric(const FrozenMetricOptions& options_, Index dimension)
    : options(options_),
      settings{.step_size = options_.step_size, .anchors = {}},
      metric_(options_.metric(), dimension),
      end_metric_(metric_),
      start_(options_.metric(), dimension),
      end_(start_),
      velocity_(static_cast<std::size_t>(dimension)),
      noise_(velocity_.size()),
      matrix_(velocity_.size() * velocity_.size()) {}

Step<bool> FrozenMetric::measure(std::span<const double> position, LocalMetric& metric) {
  const density::Want want = options.metric().want();
  const bool answered = (co_await evaluate_matrix(want, position, matrix_)).status.ok();
  co_return answered&& metric.set(matrix_);
}

// The metric of this transition. Without anchors it stays the identity.
Step<bool> FrozenMetric::measure_anchor(const PointState& current, Rng& rng) {
  if (!has_anchor()) co_return true;
  std::span<const double> anchor = current.position;
  if (options.anchor == Anchor::history) {
    const std::size_t d = current.position.size(), count = settings.anchors.size() / d;
    const auto drawn = static_cast<std::size_t>(rng.uniform() * static_cast<double>(count));
    anchor = std::span(settings.anchors).subspan(std::min(drawn, count - 1) * d, d);
  }
  co_return co_await measure(anchor, metric_);
}

void FrozenMetric::begin(const PointState& current, Rng& rng) {
  start_.copy_from(current);
  for (double& z : noise_) z = rng.normal();
  metric_.shape_momentum(noise_, start_.momentum);
  end_.position = start_.position;
  end_.momentum = start_.momentum;
  end_.gradient = start_.gradient;
  end_.log_density = start_.log_density;
}

// Leapfrog steps of end_ with the frozen metric. Returns their number.
Step<Index> FrozenMetric::run_trajectory(double step_size) {
  const auto kick = [&] {
    for (std::size_t d = 0; d < end_.momentum.size(); ++d)
      end_.momentum[d] += 0.5 * step_size * end_.gradient[d];
  };
  const Index num_steps = num_steps_of_trajectory();
  for (Index i = 0; i < num_steps; ++i) {
    kick();
    metric_.velocity(end_.momentum, velocity_);
    for (std::size_t d = 0; d < velocity_.size(); ++d) end_.position[d] += step_size * velocity_[d];
    end_.log_density = (co_await evaluate(end_.position, end_.gradient)).log_density;
    if (end_.log_density == -kInfinity) co_return i + 1;  // no gradient to continue with
    kick();
  }
  co_return num_steps;
}

Index FrozenMetric::num_steps_of_trajectory() const {
  if (options.anchor == Anchor::current) return 1;
  const double steps = options.integration_time / settings.step_size;
  return static_cast<Index>(std::clamp(steps, 1.0, static_cast<double>(options.max_leapfrog)));
}

// One metric for both ends: its determinant cancels.
double FrozenMetric::log_ratio_of_energies() {
  const double kinetic = 0.5 * metric_.momentum_norm2(start_.momentum);
  const double kinetic_end = 0.5 * metric_.momentum_norm2(end_.momentum);
  return end_.log_density - start_.log_density + kinetic - kinetic_end;
}

// q(θ'|θ) = N(p; 0, G) |∂p/∂θ'| with p = G (θ' - θ) / h - h/2 ∇log π(θ), so
// log q(θ'|θ) = ½ log|G| - ½ pᵀ G⁻¹ p + const, and back with the metric and the gradient there.
double FrozenMetric::log_ratio_of_proposals() {
  const double h = settings.step_size;
  for (std::size_t d = 0; d < velocity_.size(); ++d)
    velocity_[d] = (start_.position[d] - end_.position[d]) / h;
  end_metric_.momentum(velocity_, noise_);
  for (std::size_t d = 0; d < velocity_.size(); ++d) noise_[d] -= 0.5 * h * end_.gradient[d];
  const double there =
      0.5 * metric_.log_determinant() - 0.5 * metric_.momentum_norm2(start_.momentum);
  const double back =
      0.5 * end_metric_.log_determinant() - 0.5 * end_metric_.momentum_norm2(noise_);
  return end_.log_density - start_.log_density + back - there;
}

FrozenMetricAdaptation::FrozenMetricAdaptation(const SampleOptions& options,
                                               const FrozenMetric& kernel)
    : averaging_(options.adapt.step_size), first_(options.num_warmup / 3) {
  averaging_.restart(0.1 * kernel.settings.step_size);
  every_ = std::max<Index>(1, (options.num_warmup - first_) / (2 * kernel.options.num_anchors));
}

// Anchors are written in turn: in the end they are draws of the last third of warm-up.
bool FrozenMetricAdaptation::learn(Index iteration, const FrozenMetricInfo& info,
                                   const PointState& state, FrozenMetric& kernel) {
  kernel.settings.step_size = averaging_.learn(info.accept_stat);
  if (kernel.options.anchor != Anchor::history) return false;
  if (iteration < first_ || (iteration - first_) % every_ != 0) return false;
  std::vector<double>& anchors = kernel.settings.anchors;
  if (num_kept_ < kernel.options.num_anchors) {
    anchors.insert(anchors.end(), state.position.begin(), state.position.end());
  } else {
    const auto place = static_cast<std::size_t>(num_kept_ % kernel.options.num_anchors);
    std::copy(state.position.begin(), state.position.end(),
              anchors.begin() + static_cast<std::ptrdiff_t>(place * state.position.size()));
  }
  ++num_kept_;
  return false;
}

void FrozenMetricAdaptation::finish(FrozenMetric& kernel) const {
  kernel.settings.step_size = averaging_.averaged_step_size();
}

void report_settings(const FrozenMetricSettings& settings, ChainResult& result) {
  result.step_size = settings.step_size;
}

extern const SamplerSpec kFrozenMetric;
const SamplerSpec kFrozenMetric = sampler_row<FrozenMetric, FrozenMetricAdaptation>(
    {.name = "frozen_metric",
     .summary = "Hamiltonian Monte Carlo with the metric of an earlier draw, frozen for each "
                "trajectory",
     .reference = "girolami2011"});

}  // namespace credo::infer
