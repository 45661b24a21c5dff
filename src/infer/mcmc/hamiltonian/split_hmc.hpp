// Hamiltonian Monte Carlo whose quadratic part is solved exactly.
//
//   log density(x) = -½ Σ_d λ_d (x_d - μ_d)² + rest(x)
//
// A step of the integrator is half a kick by the gradient of the rest, the exact motion in the
// quadratic part, and the other half of the kick: a palindrome [albert2016; shahbaba2014]. The step
// size is limited by the rest alone, however many and however stiff the oscillators are.
#pragma once
#include "infer/adapt/warmup.hpp"
#include "infer/core/sample.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"

namespace credo::infer {

struct SplitHmcOptions {
  double step_size = 1.0;  // at most
  MetricKind metric = MetricKind::diagonal;
  double integration_time = 1.5707963267948966;  // π / 2, a quarter of an oscillation
  double time_jitter = 0.0;
  // The quadratic part. precision: λ, D values of at least 0, 0 for a coordinate without one; not
  // with a dense metric. centre: μ, D values, or none for 0. Without a precision it is the normal
  // that warm-up fits; until then, and with a unit metric, this is leapfrog.
  std::vector<double> precision = {}, centre = {};

  static void describe(auto& self, auto&& field) {
    field(self.step_size, FieldSpec{.name = "step_size",
                                    .help = "initial step size of the split integrator",
                                    .range = positive(),
                                    .stan_name = "stepsize"});
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric that warm-up estimates",
                                 .stan_name = "metric"});
    field(self.integration_time, FieldSpec{.name = "integration_time",
                                           .help = "length of a trajectory in time",
                                           .range = positive(),
                                           .stan_name = "int_time"});
    field(self.time_jitter,
          FieldSpec{.name = "time_jitter",
                    .help = "each trajectory's length is uniform within this fraction",
                    .range = {.lo = 0.0, .hi = 1.0, .hi_open = true}});
  }
};

struct SplitSettings : HmcSettings {
  std::vector<double> centre;
  bool fitted = false;  // the quadratic part is that of Normal(centre, inverse metric)

  static void saved(auto& self, auto&& field) {
    HmcSettings::saved(self, field);
    field(self.centre);
    field(self.fitted);
  }
};

// The exact motion of oscillators of unit or other frequency for a fixed time: with x the distance
// from the centre and v the velocity,
//   x' = x cos ωt + v sin ωt / ω,   v' = v cos ωt - x ω sin ωt,   and x' = x + v t for ω = 0.
class HarmonicFlow {
 public:
  explicit HarmonicFlow(Index dimension);
  void set(std::span<const double> frequency, double time);
  void apply(std::span<const double> centre, std::span<double> position,
             std::span<double> velocity) const;

 private:
  std::vector<double> cos_, sin_over_, sin_times_;
};

// A point of a split trajectory. force = M⁻¹ (gradient of the rest), so that a kick adds to the
// velocity; no product with M itself is needed.
struct SplitPoint {
  std::vector<double> position, velocity, gradient, force;
  double log_density = -kInfinity, energy = kInfinity;
};

// Leaves the target invariant for every step size, metric, time and quadratic part, right or wrong.
class SplitHmc final : public PooledKernel {
 public:
  using Options = SplitHmcOptions;
  using State = HmcState;
  using Info = HmcStaticInfo;
  static constexpr bool kNeedsGradient = true;

  SplitHmc(const SplitHmcOptions& options, Index dimension);
  Step<HmcStaticInfo> step(HmcState& current, Rng& rng);
  // The energy error of one step of settings.step_size with a fresh momentum.
  Step<double> try_step(const HmcState& state, Rng& rng);

  std::span<const double> divergence_end() const { return point_.position; }
  double divergence_error() const { return energy_error_; }
  bool hit_max_depth(const HmcStaticInfo&) const { return false; }

  SplitHmcOptions options;
  SplitSettings settings;

 private:
  void begin(const HmcState& state, Rng& rng);
  void prepare(double step_size);
  void update_frequency();
  void kick_and_flow(double step_size);
  void arrive(double step_size);
  void update_force();
  void update_energy();

  HarmonicFlow flow_;
  SplitPoint point_;
  std::vector<double> frequency_, scratch_;
  double flow_time_ = 0.0;            // time of flow_; 0: none yet
  std::vector<double> flow_inverse_;  // the inverse metric that frequency_ belongs to
  bool flow_fitted_ = false;
  double energy_error_ = 0.0;
};

// Warm-up: step size and metric as of other Hamiltonian kernels, and with each new metric, where no
// quadratic part is given, the centre.
class SplitAdaptation {
 public:
  SplitAdaptation(const SampleOptions& options, const SplitHmc& kernel);
  bool learn(Index iteration, const HmcStaticInfo& info, const HmcState& state, SplitHmc& kernel);
  // Doubles or halves the step size until the acceptance of one step crosses 0.8, or a step is as
  // long as a trajectory.
  Step<Nothing> search(SplitHmc& kernel, const HmcState& state, Rng rng);
  void finish(SplitHmc& kernel) const { warmup_.finish(kernel.settings); }
  static void saved(auto& self, auto&& field) {
    field(self.warmup_);
    field(self.mean_);
  }

 private:
  WarmupAdaptation warmup_;
  Index first_;  // start of the first window
  Welford mean_;
};

}  // namespace credo::infer
