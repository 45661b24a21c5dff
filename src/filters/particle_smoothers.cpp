// Paths through the particles of a filter (infer/smc/smoother.hpp).
#include "filters/resampling_options.hpp"
#include "filters/smoother.hpp"

namespace credo::filters {
namespace {
using infer::SmoothMethod;
using model::StateModel;

struct ParticleSmootherOptions {
  infer::FilterMethod filter = infer::FilterMethod::bootstrap;
  ResamplingOptions resampling = {};

  static void describe(auto& self, auto&& field) {
    field(self.filter,
          infer::FieldSpec{.name = "filter",
                           .help = "the method of the filter whose particles are smoothed"});
    field(self.resampling, infer::FieldSpec{});
  }
};

struct ParisOptions : ParticleSmootherOptions {
  Index backward_draws = infer::SmootherOptions().num_backward_draws;

  static void describe(auto& self, auto&& field) {
    ParticleSmootherOptions::describe(self, field);
    field(self.backward_draws,
          infer::FieldSpec{.name = "backward_draws",
                           .help = "draws of ancestors at each time for each particle",
                           .range = {.lo = 1, .hi = 1000}});
  }
};

template <SmoothMethod method, class Options>
struct ParticleSmoother final : Method<Smoother, Options> {
  density::Capability can_follow(const StateModel& states) const override {
    density::Capability can;
    if (this->own.filter == infer::FilterMethod::guided) can = states.can(density::Kernel::guided);
    if (this->own.filter == infer::FilterMethod::auxiliary) can = states.can_look_ahead();
    return can.can && method != SmoothMethod::genealogy ? states.can_weigh_transitions() : can;
  }
  bool is_exact() const override { return false; }
  void set(infer::FilterOptions& run) const override {
    this->own.resampling.set(run);
    run.method = this->own.filter;
  }
  SmoothedStates run(const StateModel& states, const infer::FilterOptions& options, Index num_paths,
                     Index repeat) const override {
    infer::SmootherOptions how{.method = method, .num_paths = num_paths};
    if constexpr (std::is_same_v<Options, ParisOptions>)
      how.num_backward_draws = this->own.backward_draws;
    return {infer::run_smoother(states, options, how, repeat)};
  }
};
}  // namespace

extern const SmootherMethod ffbs_smoother =
    row_of<ParticleSmoother<SmoothMethod::ffbs, ParticleSmootherOptions>>(
        {.name = "ffbs",
         .summary = "paths of particles, simulated backwards by transition_lpdf",
         .reference = "godsill2004"});
extern const SmootherMethod genealogy_smoother =
    row_of<ParticleSmoother<SmoothMethod::genealogy, ParticleSmootherOptions>>(
        {.name = "genealogy",
         .summary = "lines of the filter's last particles",
         .reference = "kitagawa1996"});
extern const SmootherMethod paris_smoother =
    row_of<ParticleSmoother<SmoothMethod::paris, ParisOptions>>(
        {.name = "paris",
         .summary = "ancestors drawn backwards while the filter runs, with sums over times",
         .reference = "olsson2017"});

}  // namespace credo::filters
