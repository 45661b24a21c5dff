// Hamiltonian Monte Carlo with a metric that is chosen anew for each trajectory and frozen during
// it, so that the plain leapfrog integrates it.
//
// Caution: a metric taken at the present point and used as if it were constant doesn't leave the
// target invariant: the way back would start with the metric at the other end. Two forms that do:
//   history   the metric at a point chosen among some of warm-up's draws, independent of the present
//             point: each metric's trajectories leave the target invariant, so does their
//             mixture, for trajectories of any length
//   current   the metric at the present point, one leapfrog step, and in the ratio the density of
//             the momentum that leads back under the metric at the end. With more steps the way
//             back has no closed form [girolami2011, sec. 4, simplified proposal]
#pragma once
#include "infer/adapt/dual_averaging.hpp"
#include "infer/core/fields.hpp"
#include "infer/mcmc/hamiltonian/generalised_leapfrog.hpp"
#include "infer/mcmc/hamiltonian/riemann.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

enum class Anchor { history, current };
inline constexpr std::array<std::string_view, 2> kAnchorNames = {"history", "current"};
inline constexpr std::span<const std::string_view> enum_names(Anchor) { return kAnchorNames; }

struct FrozenMetricOptions {
  double step_size = 0.5;
  double integration_time = 1.5707963267948966;
  Index max_leapfrog = 200;
  Anchor anchor = Anchor::history;
  Index num_anchors = 20;
  LocalMetricKind local_metric = LocalMetricKind::softabs;
  double softabs_alpha = 1.0;

  LocalMetricOptions metric() const {
    return {.kind = local_metric, .softabs_alpha = softabs_alpha};
  }
  static void describe(auto& self, auto&& field) {
    field(self.step_size, FieldSpec{.name = "step_size",
                                    .help = "initial step size; the metric makes all scales 1",
                                    .range = positive(),
                                    .stan_name = "stepsize"});
    field(self.integration_time,
          FieldSpec{.name = "integration_time",
                    .help = "length of a trajectory in time; one step with anchor current",
                    .range = positive(),
                    .stan_name = "int_time"});
    field(self.max_leapfrog, FieldSpec{.name = "max_leapfrog",
                                       .help = "steps of a trajectory at most",
                                       .range = at_least(1)});
    field(self.anchor, FieldSpec{.name = "anchor", .help = "point at which the metric is taken"});
    field(self.num_anchors, FieldSpec{.name = "num_anchors",
                                      .help = "draws of warm-up that are kept as anchors",
                                      .range = at_least(1)});
    field(self.local_metric, kLocalMetricField);
    field(self.softabs_alpha, kSoftAbsField);
  }
};

struct FrozenMetricInfo {
  double log_density = 0.0, accept_stat = 0.0, step_size = 0.0;
  Index num_leapfrog = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.step_size, kStepSizeColumn);
    field(self.num_leapfrog, kLeapfrogColumn);
  }
};

struct FrozenMetricSettings {
  double step_size = 0.5;
  std::vector<double> anchors;  // D values each; none: the metric is the identity

  static void saved(auto& self, auto&& field) {
    field(self.step_size);
    field(self.anchors);
  }
};
void report_settings(const FrozenMetricSettings& settings, ChainResult& result);

class FrozenMetric final : public PooledKernel {
 public:
  using Options = FrozenMetricOptions;
  using State = PointState;
  using Info = FrozenMetricInfo;
  static constexpr bool kNeedsGradient = true;
  static void check(const FrozenMetricOptions& options, const density::LogDensity& density);

  FrozenMetric(const FrozenMetricOptions& options, Index dimension);
  Step<FrozenMetricInfo> step(PointState& current, Rng& rng);

  FrozenMetricOptions options;
  FrozenMetricSettings settings;

 private:
  Step<bool> measure(std::span<const double> position, LocalMetric& metric);
  Step<bool> measure_anchor(const PointState& current, Rng& rng);
  Step<Index> run_trajectory(double step_size);
  Index num_steps_of_trajectory() const;
  void begin(const PointState& current, Rng& rng);
  bool has_anchor() const { return options.anchor == Anchor::current || !settings.anchors.empty(); }
  double log_ratio_of_energies();
  double log_ratio_of_proposals();

  LocalMetric metric_, end_metric_;
  RiemannPoint start_, end_;
  std::vector<double> velocity_, noise_, matrix_;
};

// Dual averaging of the step size; keeps draws of the last two thirds of warm-up as anchors.
class FrozenMetricAdaptation {
 public:
  FrozenMetricAdaptation(const SampleOptions& options, const FrozenMetric& kernel);
  bool learn(Index iteration, const FrozenMetricInfo& info, const PointState& state,
             FrozenMetric& kernel);
  void finish(FrozenMetric& kernel) const;
  static void saved(auto& self, auto&& field) {
    field(self.averaging_);
    field(self.num_kept_);
  }

 private:
  DualAveraging averaging_;
  Index first_ = 0, every_ = 1, num_kept_ = 0;
};

}  // namespace credo::infer
