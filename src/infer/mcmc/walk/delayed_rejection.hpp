// Random-walk Metropolis with a second, smaller try after a rejection [tierney1999], and with the
// covariance of its warm-up: DRAM [haario2006].
#pragma once
#include "infer/mcmc/walk/rwm.hpp"

namespace credo::infer {

struct DelayedRejectionOptions {
  double scale = 0.0;
  double shrink = 0.25;
  double jitter = 1e-6;
  Index num_before = 100;

  static void describe(auto& self, auto&& field) {
    field(self.scale, kWalkScaleField);
    field(self.shrink, FieldSpec{.name = "shrink",
                                 .help = "scale of the second try, as a fraction of the first's",
                                 .range = between(0.0, 1.0)});
    field(self.jitter, kJitterField);
    field(self.num_before, kNumBeforeField);
  }
};

struct DelayedRejectionInfo {
  double log_density = 0.0;
  double accept_stat = 0.0;  // acceptance of the first try
  bool accepted = false;
  Index num_tries = 1;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.accepted, kAcceptedColumn);
    field(self.num_tries, FieldSpec{.name = "num_tries",
                                    .help = "1, or 2 after a first rejection",
                                    .range = {.lo = 1.0, .hi = 2.0}});
  }
};

// Leaves the target invariant for every scale, shrinkage and covariance.
class DelayedRejection final : public PooledKernel {
 public:
  using Options = DelayedRejectionOptions;
  using State = PointState;
  using Info = DelayedRejectionInfo;
  static constexpr bool kNeedsGradient = false;

  DelayedRejection(const DelayedRejectionOptions& options, Index dimension);
  Step<DelayedRejectionInfo> step(PointState& current, Rng& rng);

  DelayedRejectionOptions options;
  WalkSettings settings;

 private:
  void propose(const PointState& current, std::span<double> noise, double scale, Rng& rng);
  double log_ratio_of_first_steps() const;

  std::vector<double> first_noise_, second_noise_, candidate_;
};

}  // namespace credo::infer
