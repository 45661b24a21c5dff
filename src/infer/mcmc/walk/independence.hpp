// The independence sampler [tierney1994]: proposals from one normal distribution, whatever the
// current point. Warm-up walks at random and fits mean and covariance.
#pragma once
#include "infer/mcmc/walk/rwm.hpp"

namespace credo::infer {

struct IndependenceOptions {
  double inflate = 1.2;
  double scale = 0.0;
  double jitter = 1e-6;
  Index num_before = 100;

  static void describe(auto& self, auto&& field) {
    field(self.inflate,
          FieldSpec{.name = "inflate",
                    .help = "standard deviations of the proposal, in fitted ones; the "
                            "proposal needs heavier tails than the target",
                    .range = positive()});
    field(self.scale, kWalkScaleField);
    field(self.jitter, kJitterField);
    field(self.num_before, kNumBeforeField);
  }
};

struct IndependenceSettings {
  double scale = 1.0;  // scale of the walk, then of the proposal once a mean is known
  Metric metric;
  std::vector<double> mean;
  bool walks = false;  // warm-up: a random walk, which needs no fit

  static void saved(auto& self, auto&& field) {
    field(self.scale);
    field(self.metric);
    field(self.mean);
    field(self.walks);
  }
};
void report_settings(const IndependenceSettings& settings, ChainResult& result);

// Leaves the target invariant for every mean and covariance.
class Independence final : public PooledKernel {
 public:
  using Options = IndependenceOptions;
  using State = PointState;
  using Info = MetropolisInfo;
  static constexpr bool kNeedsGradient = false;

  Independence(const IndependenceOptions& options, Index dimension);
  Step<MetropolisInfo> step(PointState& current, Rng& rng);

  IndependenceOptions options;
  IndependenceSettings settings;

 private:
  double log_ratio(std::span<const double> from);

  std::vector<double> noise_, candidate_, off_;
};

class IndependenceAdaptation {
 public:
  IndependenceAdaptation(const SampleOptions& options, Independence& kernel);
  bool learn(Index iteration, const MetropolisInfo&, const PointState& state, Independence& kernel);
  void finish(Independence& kernel);
  static void saved(auto& self, auto&& field) {
    field(self.moments_);
    field(self.late_);
  }

 private:
  Index num_warmup_, num_before_;
  Welford moments_, late_;  // moments of all draws and of the second half
};

}  // namespace credo::infer
