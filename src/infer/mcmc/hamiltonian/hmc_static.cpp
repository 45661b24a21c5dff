// Hamiltonian Monte Carlo [neal2011, fig. 2]: a fresh momentum, a trajectory of fixed length, and a
// Metropolis decision on its end. The momentum isn't kept, so its flip at the end is left out.
#include "infer/mcmc/hamiltonian/hmc_static.hpp"

#include "infer/adapt/hmc_adaptation.hpp"
#include "infer/core/chain.hpp"

namespace credo::infer {

Step<HmcStaticInfo> HmcStatic::step(HmcState& current, Rng& rng) {
  PhasePoint *start = &points_[0], *end = &points_[1], *other = &points_[2];
  begin_at(*start, current, settings.metric, rng);
  const PhasePoint* from = start;
  const double step_size = settings.step_size;
  const std::span<const double> kicks = by_.kicks, drifts = by_.drifts;
  bool divergent = false;
  Index num_done = 0;
  for (const Index num_steps = num_steps_of_trajectory(); num_done < num_steps && !divergent;
       ++num_done) {
    for (std::size_t stage = 0; stage < drifts.size(); ++stage) {
      kick_and_drift(*from, *end, kicks[stage] * step_size, drifts[stage] * step_size,
                     settings.metric);
      end->log_density = (co_await evaluate(end->position, end->gradient)).log_density;
      from = end_ = end;
      std::swap(end, other);
      if (end_->log_density == -kInfinity) break;  // no gradient to continue with
    }
    last_kick(*end_, kicks.back() * step_size, settings.metric);
    energy_error_ = energy_error(end_->energy, start->energy);
    divergent = is_divergent(energy_error_);
  }
  const double accept_prob = metropolis_prob(-energy_error_);
  const PhasePoint& draw = rng.uniform() < accept_prob ? *from : *start;
  copy_to(current, draw);
  co_return HmcStaticInfo{.log_density = draw.log_density,
                          .accept_stat = accept_prob,
                          .step_size = settings.step_size,
                          .num_leapfrog = num_done * by_.num_gradients(),
                          .divergent = divergent,
                          .energy = draw.energy};
}

HmcStatic::HmcStatic(const HmcStaticOptions& options_, Index dimension)
    : options(options_),
      settings{.step_size = options_.step_size, .metric = Metric(options_.metric, dimension)},
      by_(integrator(options_.integrator)),
      points_(3, dimension),
      end_(&points_[0]) {}

Index HmcStatic::num_steps_of_trajectory() const {
  if (options.num_steps > 0) return options.num_steps;
  const double steps = options.integration_time / settings.step_size;
  return static_cast<Index>(std::clamp(steps, 1.0, static_cast<double>(options.max_steps)));
}

extern const SamplerSpec kHmcStatic;
const SamplerSpec kHmcStatic = sampler_row<HmcStatic, HmcAdaptation>(
    {.name = "hmc_static",
     .summary = "Hamiltonian Monte Carlo with a fixed integration time",
     .reference = "neal2011"});

}  // namespace credo::infer
