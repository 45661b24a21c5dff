// The Barker proposal [livingstone2022]: a gradient chooses the sign of each coordinate's step, not
// its size, so that a bad scale does little harm.
#pragma once
#include "infer/mcmc/walk/rwm.hpp"

namespace credo::infer {

struct BarkerOptions {
  double scale = 0.0;
  MetricKind metric = MetricKind::diagonal;
  double target_accept = 0.4;  // [livingstone2022, sec. 6] tune towards 0.4

  static void describe(auto& self, auto&& field) {
    field(self.scale, kWalkScaleField);
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric that warm-up estimates",
                                 .stan_name = "metric"});
    field(self.target_accept, kWalkTargetField);
  }
};

// Leaves the target invariant for every scale and metric. With a dense metric the factor's
// coordinates take the place of the target's.
class Barker final : public PooledKernel {
 public:
  using Options = BarkerOptions;
  using State = PointState;
  using Info = MetropolisInfo;
  static constexpr bool kNeedsGradient = true;

  Barker(const BarkerOptions& options, Index dimension);
  Step<MetropolisInfo> step(PointState& current, Rng& rng);

  BarkerOptions options;
  WalkSettings settings;

 private:
  void propose(const PointState& current, Rng& rng);
  double log_ratio() const;

  PointState candidate_;
  std::vector<double> move_, slope_, slope_there_;  // in the factor's coordinates
};

}  // namespace credo::infer
