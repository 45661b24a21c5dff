// Particle Gibbs [andrieu2010, sec. 2.4.3; lindsten2014]: the states by conditional sequential Monte Carlo given the parameters,
// then the parameters by a kernel of the table given the states.
#pragma once
#include "infer/compose/movers.hpp"
#include "infer/core/transition_kernel.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/pmcmc/conditional_smc.hpp"

namespace credo::infer {

struct PgibbsOptions {
  Index particles = 50;
  bool ancestor_sampling = true;
  bool guided = false;
  ChosenRow mover = {};

  static void describe(auto& self, auto&& field) {
    field(self.particles, FieldSpec{.name = "particles",
                                    .help = "particles of each run of the filter",
                                    .range = {.lo = 2, .hi = 1e9}});
    field(self.ancestor_sampling,
          FieldSpec{.name = "ancestor_sampling",
                    .help = "draw the ancestors of the path that is kept anew at each time"});
    field(self.guided,
          FieldSpec{.name = "guided", .help = "particles move by the program's proposal"});
    field(self.mover, FieldSpec{.name = "mover",
                                .help = "the sampler that moves the parameters given the states; "
                                        "none: nuts, without a gradient ram",
                                .rows = &kMoversWithWarmup});
  }
  ConditionalOptions of_filter() const {
    return {.num_particles = particles, .ancestor_sampling = ancestor_sampling, .guided = guided};
  }
};

struct PgibbsInfo {
  double log_density = 0.0, accept_stat = kNaN;
  Index num_evaluations = 0;
  bool divergent = false;
  double renewed = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.num_evaluations, kEvaluationsColumn);
    field(self.divergent, kDivergentColumn);
    field(self.renewed, FieldSpec{.name = "renewed",
                                  .help = "share of the times at which the path is a new one",
                                  .range = {.lo = 0.0, .hi = 1.0}});
  }
};

// The states given the parameters, as a kernel. The density must live as long.
class StatesKernel final : public PooledKernel {
 public:
  StatesKernel(const density::LogDensity& density, const ConditionalOptions& options);
  std::span<const Index> coordinates() const { return space_->state_coordinates(); }
  // Returns the share of times at which the path changed.
  Step<double> step(PointState& state, Rng& rng);

  static void saved(auto& self, auto&& field) { field(self.checked_); }

 private:
  std::unique_ptr<density::StateSpaceAt> space_;
  ConditionalOptions options_;
  bool checked_ = false;
};

// Both in turn; `parameters` is null if the program has none.
struct ParticleGibbsOptions {
  PgibbsOptions own;
  SampleOptions run;

  static void describe(auto& self, auto&& field) { PgibbsOptions::describe(self.own, field); }
};

class ParticleGibbs final : public PooledKernel {
 public:
  using Options = ParticleGibbsOptions;
  using State = PointState;
  using Info = PgibbsInfo;
  static constexpr bool kNeedsGradient = false;  // the part asks for its own

  ParticleGibbs(const ParticleGibbsOptions& options, const density::LogDensity& density);
  static void check(const ParticleGibbsOptions& options, const density::LogDensity& density);
  Step<PgibbsInfo> step(PointState& current, Rng& rng);

  StatesKernel states;
  std::unique_ptr<TransitionKernel> parameters;
  struct Settings {
    const TransitionKernel* parameters;
    static void saved(auto&, auto&&) {}  // all is the kernel's
  } settings;
  static void saved(auto& self, auto&& field) {
    field(self.states);
    if (self.parameters != nullptr) field(self.parameters);
  }
};
void report_settings(const ParticleGibbs::Settings& settings, ChainResult& result);

}  // namespace credo::infer
