// The No-U-Turn sampler with multinomial choice [hoffman2014; betancourt2017, app. A].
#pragma once
#include "infer/core/step.hpp"
#include "infer/mcmc/hamiltonian/trajectory.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

struct NutsOptions {
  double step_size = 1.0;                    // to start the search for a good one from
  double step_size_jitter = 0.0;             // each transition's step size is within this factor
  MetricKind metric = MetricKind::diagonal;  // which metric warm-up estimates
  Index max_tree_depth = 10;                 // at most 2^depth - 1 leapfrog steps

  static void describe(auto& self, auto&& field) {
    field(self.step_size, FieldSpec{.name = "step_size",
                                    .help = "initial step size of the leapfrog integrator",
                                    .range = positive(),
                                    .stan_name = "stepsize"});
    field(self.step_size_jitter, FieldSpec{.name = "step_size_jitter",
                                           .help = "uniform jitter of the step size, as a fraction",
                                           .range = {.lo = 0.0, .hi = 1.0},
                                           .stan_name = "stepsize_jitter"});
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric that warm-up estimates",
                                 .stan_name = "metric"});
    field(self.max_tree_depth, FieldSpec{.name = "max_tree_depth",
                                         .help = "doublings of the trajectory at most",
                                         .range = {.lo = 1.0, .hi = 30.0},
                                         .stan_name = "max_depth"});
  }
};

struct NutsInfo {
  double log_density = 0.0;  // at the draw
  double accept_stat = 0.0;  // mean Metropolis probability over the trajectory
  double step_size = 0.0;
  Index tree_depth = 0;
  Index num_leapfrog = 0;
  bool divergent = false;
  double energy = 0.0;  // H at the draw, with its momentum

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.step_size, kStepSizeColumn);
    field(self.tree_depth, FieldSpec{.name = "tree_depth",
                                     .help = "doublings of the trajectory",
                                     .range = at_least(0),
                                     .stan_name = "treedepth__"});
    field(self.num_leapfrog, kLeapfrogColumn);
    field(self.divergent, kDivergentColumn);
    field(self.energy, kEnergyColumn);
  }
};

// Leaves the target invariant for every step size and metric. Moves, does not copy.
class Nuts final : public PooledKernel {
 public:
  using Options = NutsOptions;
  using State = HmcState;
  using Info = NutsInfo;
  static constexpr bool kNeedsGradient = true;

  Nuts(const NutsOptions& options, Index dimension);
  Step<NutsInfo> step(HmcState& current, Rng& rng);

  // If the last transition diverged: the end of its trajectory, and the energy error there.
  std::span<const double> divergence_end() const { return trajectory_.frontier().position; }
  double divergence_error() const { return trajectory_.last_energy_error(); }
  bool hit_max_depth(const NutsInfo& info) const {
    return info.tree_depth >= options.max_tree_depth;
  }

  NutsOptions options;
  HmcSettings settings;

 private:
  double draw_step_size(Rng& rng) const;
  NutsInfo info() const;

  Trajectory trajectory_;
  double step_size_ = 0.0;  // step size of this transition
};

}  // namespace credo::infer
