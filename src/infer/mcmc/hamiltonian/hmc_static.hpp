// Hamiltonian Monte Carlo with a fixed integration time [neal2011].
#pragma once
#include "infer/core/step.hpp"
#include "infer/mcmc/hamiltonian/integrator.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

struct HmcStaticOptions {
  double step_size = 1.0;
  MetricKind metric = MetricKind::diagonal;
  double integration_time = 6.283185307179586;  // 2 π; steps = integration_time / step size
  IntegratorKind integrator = IntegratorKind::leapfrog;
  // If no step size makes a whole trajectory accepted, as at an edge of the support, warm-up would take ever
  // smaller steps and ever more of them; trajectories of at most so many end at shorter ones.
  Index max_steps = 1024;
  Index num_steps = 0;  // 0: by integration_time

  static void describe(auto& self, auto&& field) {
    field(self.step_size, FieldSpec{.name = "step_size",
                                    .help = "initial step size of the leapfrog integrator",
                                    .range = positive(),
                                    .stan_name = "stepsize"});
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric that warm-up estimates",
                                 .stan_name = "metric"});
    field(self.integration_time, FieldSpec{.name = "integration_time",
                                           .help = "length of a trajectory in time",
                                           .range = positive(),
                                           .stan_name = "int_time",
                                           .needs = "!num_steps"});
    field(self.integrator, FieldSpec{.name = "integrator", .help = "how trajectories are found"});
    field(self.max_steps,
          FieldSpec{.name = "max_steps",
                    .help = "most steps of a trajectory, which ends there before its time",
                    .range = {.lo = 1.0, .hi = 1048575.0},
                    .needs = "!num_steps"});
    field(self.num_steps,
          FieldSpec{.name = "num_steps",
                    .help = "steps of each trajectory, whatever the step size; 0: as many as "
                            "integration_time takes",
                    .range = {.lo = 0.0, .hi = 1048575.0}});
  }
};

struct HmcStaticInfo {
  double log_density = 0.0;  // at the draw
  double accept_stat = 0.0;  // Metropolis probability of the end of the trajectory
  double step_size = 0.0;
  Index num_leapfrog = 0;
  bool divergent = false;
  double energy = 0.0;  // H at the draw, with its momentum

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.step_size, kStepSizeColumn);
    field(self.num_leapfrog, kLeapfrogColumn);
    field(self.divergent, kDivergentColumn);
    field(self.energy, kEnergyColumn);
  }
};

// Leaves the target invariant for every step size, metric and integration time.
class HmcStatic final : public PooledKernel {
 public:
  using Options = HmcStaticOptions;
  using State = HmcState;
  using Info = HmcStaticInfo;
  static constexpr bool kNeedsGradient = true;

  HmcStatic(const HmcStaticOptions& options, Index dimension);
  Step<HmcStaticInfo> step(HmcState& current, Rng& rng);

  std::span<const double> divergence_end() const { return end_->position; }
  double divergence_error() const { return energy_error_; }
  bool hit_max_depth(const HmcStaticInfo& info) const {
    return info.num_leapfrog >= options.max_steps * by_.num_gradients() &&
           options.integration_time > static_cast<double>(options.max_steps) * info.step_size;
  }

  HmcStaticOptions options;
  HmcSettings settings;

 private:
  Index num_steps_of_trajectory() const;

  const Integrator& by_;
  PhasePoints points_;
  PhasePoint* end_;  // end of the last trajectory
  double energy_error_ = 0.0;
};

}  // namespace credo::infer
