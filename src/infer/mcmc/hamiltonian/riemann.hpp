// Hamiltonian Monte Carlo with a metric that varies with the position, on Riemannian manifolds
// [girolami2011; betancourt2013].
#pragma once
#include "infer/adapt/dual_averaging.hpp"
#include "infer/core/fields.hpp"
#include "infer/core/sample.hpp"
#include "infer/mcmc/hamiltonian/generalised_leapfrog.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

inline constexpr FieldSpec kLocalMetricField{
    .name = "local_metric",
    .help =
        "softabs: from the Hessian of the log density; fisher: expected information of the "
        "likelihood less the Hessian of the log prior"};
inline constexpr FieldSpec kSoftAbsField{
    .name = "softabs_alpha",
    .help = "sharpness of the soft absolute value; local scales are at most its square root",
    .range = positive()};

struct RiemannOptions {
  double step_size = 0.5;
  double integration_time =
      1.5707963267948966;  // π/2: from a point of a normal to an independent one
  Index max_leapfrog = 200;
  LocalMetricKind local_metric = LocalMetricKind::softabs;
  double softabs_alpha = 1.0;
  double tolerance = 1e-8;
  Index max_iterations = 50;
  bool check_reversal = true;
  double reversal_tolerance = 1e-5;

  ImplicitOptions implicit() const;
  static void describe(auto& self, auto&& field) {
    field(self.step_size, FieldSpec{.name = "step_size",
                                    .help = "initial step size; the metric makes all scales 1",
                                    .range = positive(),
                                    .stan_name = "stepsize"});
    field(self.integration_time, FieldSpec{.name = "integration_time",
                                           .help = "length of a trajectory in time",
                                           .range = positive(),
                                           .stan_name = "int_time"});
    field(self.max_leapfrog, FieldSpec{.name = "max_leapfrog",
                                       .help = "steps of a trajectory at most",
                                       .range = at_least(1)});
    field(self.local_metric, kLocalMetricField);
    field(self.softabs_alpha, kSoftAbsField);
    field(self.tolerance, FieldSpec{.name = "tolerance",
                                    .help = "last change of a fixed point, in the local metric",
                                    .range = positive()});
    field(self.max_iterations, FieldSpec{.name = "max_iterations",
                                         .help = "fixed point iterations; more are a divergence",
                                         .range = at_least(1)});
    field(self.check_reversal,
          FieldSpec{.name = "check_reversal",
                    .help = "undo each step; one that doesn't come back is a divergence"});
    field(self.reversal_tolerance,
          FieldSpec{.name = "reversal_tolerance",
                    .help = "how near a step has to come back, in the local metric",
                    .range = positive()});
  }
};

struct RiemannInfo {
  double log_density = 0.0;  // at the draw
  double accept_stat = 0.0;  // Metropolis probability of the end of the trajectory
  double step_size = 0.0;
  Index num_leapfrog = 0;
  Index num_iterations = 0;
  bool divergent = false;
  bool not_settled = false;
  bool not_reversible = false;
  double energy = 0.0;  // H at the draw, with its momentum

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.step_size, kStepSizeColumn);
    field(self.num_leapfrog, kLeapfrogColumn);
    field(self.num_iterations, FieldSpec{.name = "num_iterations",
                                         .help = "fixed point iterations, steps back included",
                                         .range = at_least(0),
                                         .stan_name = "n_iterations__"});
    field(self.divergent, kDivergentColumn);
    field(self.not_settled, FieldSpec{.name = "not_settled",
                                      .help = "1 if a fixed point iteration didn't settle",
                                      .stan_name = "not_settled__"});
    field(self.not_reversible, FieldSpec{.name = "not_reversible",
                                         .help = "1 if a step didn't come back when undone",
                                         .stan_name = "not_reversible__"});
    field(self.energy, kEnergyColumn);
  }
};

struct RiemannSettings {
  double step_size = 0.5;

  static void saved(auto& self, auto&& field) { field(self.step_size); }
};
void report_settings(const RiemannSettings& settings, ChainResult& result);

// Leaves the target invariant for every step size, integration time and metric, up to the
// tolerances of its fixed points. A trajectory with a step that fails is rejected whole.
class Riemann final : public PooledKernel {
 public:
  using Options = RiemannOptions;
  using State = PointState;
  using Info = RiemannInfo;
  static constexpr bool kNeedsGradient = true;
  static void check(const RiemannOptions& options, const density::LogDensity& density);

  Riemann(const RiemannOptions& options, Index dimension);
  Step<RiemannInfo> step(PointState& current, Rng& rng);

  std::span<const double> divergence_end() const { return end_->position; }
  double divergence_error() const { return energy_error_; }
  bool hit_max_depth(const RiemannInfo&) const { return false; }

  RiemannOptions options;
  RiemannSettings settings;

 private:
  Index num_steps_of_trajectory() const;
  void draw_momentum(RiemannPoint& point, Rng& rng);

  GeneralisedLeapfrog by_;
  std::array<RiemannPoint, 3> points_;
  RiemannPoint* end_;  // end of the last trajectory
  double energy_error_ = 0.0;
  std::vector<double> noise_;
};

// Dual averaging of the step size, towards the one it began with: the metric has made the scales 1.
class RiemannAdaptation {
 public:
  RiemannAdaptation(const SampleOptions& options, const auto& kernel)
      : averaging_(options.adapt.step_size) {
    averaging_.restart(0.1 * kernel.settings.step_size);
  }
  bool learn(Index, const auto& info, const PointState&, auto& kernel) {
    kernel.settings.step_size = averaging_.learn(info.accept_stat);
    return false;
  }
  void finish(auto& kernel) const { kernel.settings.step_size = averaging_.averaged_step_size(); }
  static void saved(auto& self, auto&& field) { field(self.averaging_); }

 private:
  DualAveraging averaging_;
};

}  // namespace credo::infer
