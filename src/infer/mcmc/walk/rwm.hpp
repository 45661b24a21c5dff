// Random-walk Metropolis with normal steps [metropolis1953; roberts2001], and what tunes its steps:
// scale and variances, Haario's covariance, or the robust rule of Vihola. All adapt during warm-up
// and are frozen after it.
//
//   x' = x + scale · L z,   z ~ N(0, I),   L Lᵀ the covariance estimate
#pragma once
#include "infer/adapt/schedule.hpp"
#include "infer/adapt/welford.hpp"
#include "infer/core/sample.hpp"
#include "infer/mcmc/walk/metropolis.hpp"

namespace credo::infer {

// Settings that warm-up tunes. The step has covariance scale² M⁻¹.
struct WalkSettings {
  double scale = 1.0;
  Metric metric;

  static void saved(auto& self, auto&& field) {
    field(self.scale);
    field(self.metric);
  }
};
void report_settings(const WalkSettings& settings, ChainResult& result);

// 2.38 / sqrt(D): the scale that is best for a normal target of covariance M⁻¹ as D grows; the
// acceptance is 0.234 then, and 0.44 at its best in one dimension [roberts2001].
double optimal_walk_scale(Index dimension);
double optimal_walk_acceptance(Index dimension);

inline constexpr FieldSpec kWalkScaleField{
    .name = "scale",
    .help = "initial scale of the proposal; 0: 2.38 / sqrt(dimension)",
    .range = {.lo = 0.0, .hi_open = true}};
inline constexpr FieldSpec kWalkTargetField{
    .name = "target_accept",
    .help = "acceptance that warm-up aims at; 0: 0.234, more in few dimensions",
    .range = {.lo = 0.0, .hi = 1.0, .hi_open = true}};

struct RwmOptions {
  double scale = 0.0;
  MetricKind metric = MetricKind::diagonal;
  double target_accept = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.scale, kWalkScaleField);
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric that warm-up estimates",
                                 .stan_name = "metric"});
    field(self.target_accept, kWalkTargetField);
  }
};

struct HaarioOptions {
  double scale = 0.0;
  double jitter = 1e-6;
  Index num_before = 100;

  static void describe(auto& self, auto&& field) {
    field(self.scale, kWalkScaleField);
    field(self.jitter, kJitterField);
    field(self.num_before, kNumBeforeField);
  }
};

struct RamOptions {
  double scale = 0.0;
  double target_accept = 0.0;
  double decay = 0.66;

  static void describe(auto& self, auto&& field) {
    field(self.scale, kWalkScaleField);
    field(self.target_accept, kWalkTargetField);
    field(self.decay, FieldSpec{.name = "decay",
                                .help = "adaptation weakens with this power of the transition",
                                .range = {.lo = 0.5, .hi = 1.0, .lo_open = true}});
  }
};

// One kernel, three sets of options. Leaves the target invariant for every scale and metric.
template <class WalkOptions>
class GaussianWalk final : public PooledKernel {
 public:
  using Options = WalkOptions;
  using State = PointState;
  using Info = MetropolisInfo;
  static constexpr bool kNeedsGradient = false;

  GaussianWalk(const WalkOptions& options, Index dimension);
  Step<MetropolisInfo> step(PointState& current, Rng& rng);

  std::span<const double> noise() const { return noise_; }  // z of the last step

  WalkOptions options;
  WalkSettings settings;

 private:
  std::vector<double> noise_, candidate_;
};
extern template class GaussianWalk<RwmOptions>;
extern template class GaussianWalk<HaarioOptions>;
extern template class GaussianWalk<RamOptions>;

using Rwm = GaussianWalk<RwmOptions>;
using AdaptiveMetropolis = GaussianWalk<HaarioOptions>;
using RobustMetropolis = GaussianWalk<RamOptions>;

// Scale by stochastic approximation, log s += t^-0.6 (α - α*); variances or covariance from the
// windows of warm-up. Plain data.
class ScaleAdaptation {
 public:
  ScaleAdaptation(const SampleOptions& options, const Metric& metric, double target_accept);
  ScaleAdaptation(const SampleOptions& options, const auto& kernel)
      : ScaleAdaptation(options, kernel.settings.metric, kernel.options.target_accept) {}

  bool learn(Index iteration, const auto& info, const PointState& state, auto& kernel) {
    learn_from(iteration, info.accept_stat, state.position, kernel.settings);
    return false;
  }
  void finish(auto&) const {}
  static void saved(auto& self, auto&& field) {
    field(self.window_);
    field(self.count_);
    field(self.moments_);
  }

 private:
  void learn_from(Index iteration, double accept_stat, std::span<const double> position,
                  WalkSettings& settings);

  WarmupSchedule schedule_;
  std::size_t window_ = 0;
  double target_, count_ = 0.0;  // transitions since the scale last started anew
  Welford moments_;
};

// Covariance of the whole history times the scale squared, plus jitter [haario2001]. Plain data.
class HaarioAdaptation {
 public:
  HaarioAdaptation(const SampleOptions& options, const auto& kernel)
      : HaarioAdaptation(options, kernel.options, kernel.settings.metric.dimension()) {}

  bool learn(Index iteration, const auto&, const PointState& state, auto& kernel) {
    learn_from(iteration, state.position, kernel.settings);
    return false;
  }
  void finish(auto&) const {}
  static void saved(auto& self, auto&& field) { field(self.moments_); }

 private:
  HaarioAdaptation(const SampleOptions& options, const auto& kernel_options, Index dimension)
      : jitter_(kernel_options.jitter),
        num_before_(std::min(kernel_options.num_before, options.num_warmup / 2)),
        moments_(MetricKind::dense, dimension) {}
  void learn_from(Index iteration, std::span<const double> position, WalkSettings& settings);

  double jitter_;
  Index num_before_;
  Welford moments_;
};

// After each step its factor changes along the direction that was tried only, so that there the
// acceptance comes nearer the target [vihola2012]:
//   L Lᵀ ← L (I + η (α - α*) z zᵀ / |z|²) Lᵀ,   η = min(1, D t^-decay). Plain data.
class RobustAdaptation {
 public:
  RobustAdaptation(const SampleOptions& options, const RobustMetropolis& kernel);
  bool learn(Index iteration, const MetropolisInfo& info, const PointState& state,
             RobustMetropolis& kernel);
  void finish(RobustMetropolis&) const {}
  static void saved(auto&, auto&&) {}  // all it knows is in the metric

 private:
  double target_, decay_;
  std::vector<double> direction_;
};

}  // namespace credo::infer
