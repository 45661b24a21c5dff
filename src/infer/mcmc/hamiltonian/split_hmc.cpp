// Trotter's formula with the quadratic part inside [albert2016]:
//
//   exp(-τL) ≈ (exp(-½h L') exp(-h L_N) exp(-½h L'))^P,   τ = P h
//
// L_N moves in ½ pᵀM⁻¹p + ½ Σ λ (x - μ)², which is solved exactly; L' kicks by the gradient of
// everything else, at the ends of a step, where the gradient is needed anyway: one gradient a step.
// The other palindrome, half a motion outside, would need one value more a trajectory.
//
// Kept are velocities v = M⁻¹p: kicks are v += h (M⁻¹ ∇log density + ω² (x - μ)), ω² = M⁻¹λ, and
// motions rotate (x - μ, v / ω). The energy is that of the whole target, so that a quadratic part
// that isn't the target's costs acceptance, never correctness.
#include "infer/mcmc/hamiltonian/split_hmc.hpp"

#include "base/error.hpp"
#include "infer/adapt/hmc_adaptation.hpp"
#include "infer/core/chain.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
// Steps of a trajectory, as many as in a tree of depth 10. Beyond, it is shorter: if no step size
// makes a whole one accepted, warm-up ends at shorter ones instead of ever smaller steps.
constexpr double kMostSteps = 1024.0;

void check_options(const SplitHmcOptions& options, Index dimension);
}  // namespace

Step<HmcStaticInfo> SplitHmc::step(HmcState& current, Rng& rng) {
  begin(current, rng);
  const double start_energy = point_.energy;
  const double time =
      options.integration_time * (1.0 + options.time_jitter * (2.0 * rng.uniform() - 1.0));
  const auto num_steps =
      static_cast<Index>(std::clamp(std::ceil(time / settings.step_size), 1.0, kMostSteps));
  const double step_size = std::min(time / static_cast<double>(num_steps), settings.step_size);
  prepare(step_size);
  bool divergent = false;
  Index num_done = 0;
  for (; num_done < num_steps && !divergent; ++num_done) {
    kick_and_flow(step_size);
    point_.log_density = (co_await evaluate(point_.position, point_.gradient)).log_density;
    arrive(step_size);
    energy_error_ = energy_error(point_.energy, start_energy);
    divergent = is_divergent(energy_error_);
  }
  const double accept_prob = metropolis_prob(-energy_error_);
  const bool accepted = rng.uniform() < accept_prob;
  if (accepted) {
    std::copy(point_.position.begin(), point_.position.end(), current.position.begin());
    std::copy(point_.gradient.begin(), point_.gradient.end(), current.gradient.begin());
    current.log_density = point_.log_density;
  }
  co_return HmcStaticInfo{.log_density = current.log_density,
                          .accept_stat = accept_prob,
                          .step_size = step_size,
                          .num_leapfrog = num_done,
                          .divergent = divergent,
                          .energy = accepted ? point_.energy : start_energy};
}

Step<double> SplitHmc::try_step(const HmcState& state, Rng& rng) {
  begin(state, rng);
  const double start_energy = point_.energy;
  prepare(settings.step_size);
  kick_and_flow(settings.step_size);
  point_.log_density = (co_await evaluate(point_.position, point_.gradient)).log_density;
  arrive(settings.step_size);
  co_return energy_error(point_.energy, start_energy);
}

SplitHmc::SplitHmc(const SplitHmcOptions& options_, Index dimension)
    : options(options_),
      settings{{.step_size = options_.step_size, .metric = Metric(options_.metric, dimension)},
               options_.centre,
               false},
      flow_(dimension) {
  check_options(options, dimension);
  const auto n = static_cast<std::size_t>(dimension);
  settings.centre.resize(n, 0.0);
  for (auto* values : {&point_.position, &point_.velocity, &point_.gradient, &point_.force,
                       &frequency_, &scratch_})
    values->assign(n, 0.0);
}

// ---- one step ----

void SplitHmc::begin(const HmcState& state, Rng& rng) {
  update_frequency();
  std::copy(state.position.begin(), state.position.end(), point_.position.begin());
  std::copy(state.gradient.begin(), state.gradient.end(), point_.gradient.begin());
  point_.log_density = state.log_density;
  for (double& z : scratch_) z = rng.normal();
  settings.metric.shape_move(scratch_, point_.velocity);
  update_force();
  update_energy();
}

void SplitHmc::update_frequency() {
  const std::span<const double> inverse = settings.metric.inverse();
  const bool same =
      flow_fitted_ == settings.fitted &&
      std::equal(inverse.begin(), inverse.end(), flow_inverse_.begin(), flow_inverse_.end());
  if (same) return;
  flow_inverse_.assign(inverse.begin(), inverse.end());
  flow_fitted_ = settings.fitted;
  flow_time_ = 0.0;
  std::fill(frequency_.begin(), frequency_.end(), settings.fitted ? 1.0 : 0.0);
  for (std::size_t d = 0; d < options.precision.size(); ++d)
    frequency_[d] = std::sqrt(inverse[d] * options.precision[d]);
}

void SplitHmc::prepare(double step_size) {
  if (flow_time_ == step_size) return;
  flow_.set(frequency_, step_size);
  flow_time_ = step_size;
}

void SplitHmc::kick_and_flow(double step_size) {
  for (std::size_t d = 0; d < point_.velocity.size(); ++d)
    point_.velocity[d] += 0.5 * step_size * point_.force[d];
  flow_.apply(settings.centre, point_.position, point_.velocity);
}

void SplitHmc::arrive(double step_size) {
  if (point_.log_density == -kInfinity) {  // the gradient means nothing there
    point_.energy = kInfinity;
    return;
  }
  update_force();
  for (std::size_t d = 0; d < point_.velocity.size(); ++d)
    point_.velocity[d] += 0.5 * step_size * point_.force[d];
  update_energy();
}

void SplitHmc::update_force() {
  settings.metric.velocity(point_.gradient, point_.force);
  for (std::size_t d = 0; d < frequency_.size(); ++d)
    point_.force[d] += frequency_[d] * frequency_[d] * (point_.position[d] - settings.centre[d]);
}

// ½ vᵀMv is half the square of the noise that v is made of.
void SplitHmc::update_energy() {
  std::copy(point_.velocity.begin(), point_.velocity.end(), scratch_.begin());
  settings.metric.unshape_move(scratch_);
  double sum = 0.0;
  for (const double z : scratch_) sum += z * z;
  point_.energy = 0.5 * sum - point_.log_density;
}

// ---- the flow ----

HarmonicFlow::HarmonicFlow(Index dimension)
    : cos_(static_cast<std::size_t>(dimension)), sin_over_(cos_.size()), sin_times_(cos_.size()) {}

void HarmonicFlow::set(std::span<const double> frequency, double time) {
  for (std::size_t d = 0; d < cos_.size(); ++d) {
    const double omega = frequency[d];
    const bool as_before = d > 0 && omega == frequency[d - 1];
    if (as_before) {
      cos_[d] = cos_[d - 1], sin_over_[d] = sin_over_[d - 1], sin_times_[d] = sin_times_[d - 1];
      continue;
    }
    const double sine = numerics::sin(omega * time);
    cos_[d] = numerics::cos(omega * time);
    sin_over_[d] = omega > 0.0 ? sine / omega : time;
    sin_times_[d] = sine * omega;
  }
}

void HarmonicFlow::apply(std::span<const double> centre, std::span<double> position,
                         std::span<double> velocity) const {
  for (std::size_t d = 0; d < position.size(); ++d) {
    const double off = position[d] - centre[d], v = velocity[d];
    position[d] = centre[d] + (cos_[d] * off + sin_over_[d] * v);
    velocity[d] = cos_[d] * v - sin_times_[d] * off;
  }
}

// ---- warm-up ----

SplitAdaptation::SplitAdaptation(const SampleOptions& options, const SplitHmc& kernel)
    : warmup_(options.adapt, options.num_warmup, kernel.settings.metric.kind(),
              kernel.settings.metric.dimension()),
      first_(warmup_schedule(options.num_warmup, options.adapt.schedule).metric_begin),
      mean_(MetricKind::unit, kernel.settings.metric.dimension()) {}

bool SplitAdaptation::learn(Index iteration, const HmcStaticInfo& info, const HmcState& state,
                            SplitHmc& kernel) {
  if (iteration >= first_) mean_.add(state.position);
  if (!warmup_.learn(iteration, info.accept_stat, state, kernel.settings)) return false;
  if (kernel.options.precision.empty()) {
    std::copy(mean_.mean().begin(), mean_.mean().end(), kernel.settings.centre.begin());
    kernel.settings.fitted = true;
  }
  mean_.restart();
  return true;
}

Step<Nothing> SplitAdaptation::search(SplitHmc& kernel, const HmcState& state, Rng rng) {
  double& step_size = kernel.settings.step_size;
  double factor = 0.0;  // 2 or 1/2 once the first trial has been judged
  for (;;) {
    const bool accepted = -(co_await kernel.try_step(state, rng)) > kLogAcceptedTrial;
    if (factor == 0.0) factor = accepted ? 2.0 : 0.5;
    const bool longest = factor > 1.0 && step_size >= kernel.options.integration_time;
    if (longest || accepted != (factor > 1.0)) break;
    step_size *= factor;
    if (step_size == 0.0) throw no_step_is_accepted();
  }
  warmup_.restart_step_size(kernel.settings);
  co_return Nothing{};
}

namespace {
void refuse(const std::string& message, const std::string& where, const std::string& hint) {
  throw Error(ErrorCode::usage, message, where, hint);
}

void check_options(const SplitHmcOptions& options, Index dimension) {
  const auto check_size = [&](const std::vector<double>& values, const std::string& name) {
    if (!values.empty() && ssize(values) != dimension)
      refuse(name + " has " + std::to_string(values.size()) + " values, the log density has " +
                 std::to_string(dimension),
             name, "give one value for each coordinate, or none");
  };
  check_size(options.precision, "precision");
  check_size(options.centre, "centre");
  for (const double value : options.precision)
    if (!(value >= 0.0 && std::isfinite(value)))
      refuse("a precision must be finite and at least 0, is " + std::to_string(value), "precision",
             "0 stands for a coordinate without a quadratic part");
  if (options.metric == MetricKind::lbfgs)
    refuse("the quadratic part is that of a metric of variances or covariances, metric is lbfgs",
           "metric", "take diag_e or dense_e");
  if (!options.precision.empty() && options.metric == MetricKind::dense)
    refuse("a given precision needs oscillators that the metric doesn't couple, metric is dense_e",
           "metric", "take diag_e, or no precision: then the quadratic part is fitted");
}
}  // namespace

extern const SamplerSpec kSplitHmc;
const SamplerSpec kSplitHmc = sampler_row<SplitHmc, SplitAdaptation>(
    {.name = "split_hmc",
     .summary = "Hamiltonian Monte Carlo with the quadratic part solved exactly",
     .reference = "albert2016"});

}  // namespace credo::infer
