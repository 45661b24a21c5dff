// The No-U-Turn sampler [hoffman2014, alg. 3], as it is used today [betancourt2017, app. A].
//
//   From a point with a fresh momentum, double the trajectory forwards or backwards in time until
//   it turns; the draw is one of its points, weighted by exp(-H).
//
// Differs from [hoffman2014]: multinomial weights for the slice, the U-turn tested on momentum sums
// and across sub-trees (trajectory.cpp), a stack instead of recursion, so that this is one
// coroutine.
#include "infer/mcmc/hamiltonian/nuts.hpp"

#include "infer/adapt/hmc_adaptation.hpp"
#include "infer/core/chain.hpp"

namespace credo::infer {

Step<NutsInfo> Nuts::step(HmcState& current, Rng& rng) {
  step_size_ = draw_step_size(rng);
  trajectory_.begin(current, settings, step_size_, rng);
  bool go_on = true;
  while (go_on && trajectory_.depth() < options.max_tree_depth) {
    trajectory_.begin_half(rng.uniform() < 0.5);
    while (go_on && !trajectory_.half_is_complete()) {
      PhasePoint& next = trajectory_.advance();
      next.log_density = (co_await evaluate(next.position, next.gradient)).log_density;
      go_on = trajectory_.grow(rng);
    }
    go_on = go_on && trajectory_.join(rng);
  }
  copy_to(current, trajectory_.chosen());
  co_return info();
}

Nuts::Nuts(const NutsOptions& options_, Index dimension)
    : options(options_),
      settings{.step_size = options_.step_size, .metric = Metric(options_.metric, dimension)},
      trajectory_(options_.max_tree_depth, dimension) {}

double Nuts::draw_step_size(Rng& rng) const {
  if (options.step_size_jitter == 0.0) return settings.step_size;
  return settings.step_size * (1.0 + options.step_size_jitter * rng.uniform(-1.0, 1.0));
}

NutsInfo Nuts::info() const {
  return {.log_density = trajectory_.chosen().log_density,
          .accept_stat = trajectory_.mean_metropolis_prob(),
          .step_size = step_size_,
          .tree_depth = trajectory_.depth(),
          .num_leapfrog = trajectory_.num_leapfrog(),
          .divergent = trajectory_.diverged(),
          .energy = trajectory_.chosen().energy};
}

extern const SamplerSpec kNuts;
const SamplerSpec kNuts = sampler_row<Nuts, HmcAdaptation>(
    {.name = "nuts",
     .summary = "No-U-Turn sampler, multinomial, adaptive step size and metric",
     .reference = "hoffman2014"});

}  // namespace credo::infer
