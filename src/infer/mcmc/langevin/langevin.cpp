#include "infer/mcmc/langevin/langevin.hpp"

#include "infer/adapt/hmc_adaptation.hpp"
#include "infer/core/chain.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {

// Hamiltonian Monte Carlo with L = 1, step for step [neal2011, sec. 5.2].
Step<MalaInfo> Mala::step(PointState& current, Rng& rng) {
  PhasePoint &start = points_[0], &end = points_[1];
  begin_at(start, current, settings.metric, rng);
  first_half(start, end, settings.step_size, settings.metric);
  end.log_density = (co_await evaluate(end.position, end.gradient)).log_density;
  second_half(end, settings.step_size, settings.metric);
  const double accept_prob = metropolis_prob(-energy_error(end.energy, start.energy));
  const bool accepted = rng.uniform() < accept_prob;
  if (accepted) copy_to(current, end);
  co_return MalaInfo{.log_density = current.log_density,
                     .accept_stat = accept_prob,
                     .step_size = settings.step_size,
                     .accepted = accepted};
}

Mala::Mala(const MalaOptions& options_, Index dimension)
    : options(options_),
      settings{.step_size = options_.step_size, .metric = Metric(options_.metric, dimension)},
      points_(2, dimension) {}

// The end of MALA's leapfrog step, without its decision.
Step<UlaInfo> Ula::step(PointState& current, Rng& rng) {
  PhasePoint &start = points_[0], &end = points_[1];
  begin_at(start, current, settings.metric, rng);
  first_half(start, end, settings.step_size, settings.metric);
  end.log_density = (co_await evaluate(end.position, end.gradient)).log_density;
  const bool refused = end.log_density == -kInfinity;
  if (!refused) copy_to(current, end);
  co_return UlaInfo{
      .log_density = current.log_density, .step_size = settings.step_size, .refused = refused};
}

Ula::Ula(const UlaOptions& options_, Index dimension)
    : options(options_),
      settings{.step_size = options_.step_size, .metric = Metric(options_.metric, dimension)},
      points_(2, dimension) {}

// A step that leaves the support isn't taken; its velocity is reversed, as at a wall.
Step<UnderdampedInfo> Underdamped::step(UnderdampedState& current, Rng& rng) {
  start_ = current;
  bool has_gradient = true, refused = false;
  for (const char part : options.splitting) {
    const double time = share(part) * settings.step_size;
    if (part == 'A') drift(current, time), has_gradient = false;
    if (part == 'O') friction_step(current, time, rng);
    if (part == 'B' && !has_gradient) {
      current.log_density = (co_await evaluate(current.position, current.gradient)).log_density;
      has_gradient = true;
      if ((refused = current.log_density == -kInfinity)) break;
    }
    if (part == 'B') kick(current, time);
  }
  if (!has_gradient) {
    current.log_density = (co_await evaluate(current.position, current.gradient)).log_density;
    refused = current.log_density == -kInfinity;
  }
  if (refused) leave(current);
  settings.metric.velocity(current.momentum, scratch_);
  double twice_energy = 0.0;
  for (std::size_t d = 0; d < scratch_.size(); ++d)
    twice_energy += scratch_[d] * current.momentum[d];
  co_return UnderdampedInfo{
      .log_density = current.log_density,
      .step_size = settings.step_size,
      .refused = refused,
      .kinetic_temperature = twice_energy / static_cast<double>(scratch_.size())};
}

Underdamped::Underdamped(const UnderdampedOptions& options_, Index dimension)
    : options(options_),
      settings{.step_size = options_.step_size, .metric = Metric(options_.metric, dimension)},
      scratch_(static_cast<std::size_t>(dimension)) {
  const std::string_view parts = options.splitting;
  const auto has = [&](char part) { return parts.find(part) != std::string_view::npos; };
  if (parts.find_first_not_of("ABO") != std::string_view::npos || !has('A') || !has('B') ||
      !has('O'))
    throw Error(
        ErrorCode::usage,
        "splitting is made of A, B and O, each at least once, is '" + options.splitting + "'",
        "splitting", "BAOAB is a good choice");
}

void Underdamped::init(UnderdampedState& state, Rng& rng) const {
  state.momentum.resize(state.position.size());
  for (double& p : state.momentum) p = rng.normal();
  settings.metric.shape_momentum(state.momentum);
}

double Underdamped::share(char part) const {
  return 1.0 /
         static_cast<double>(std::count(options.splitting.begin(), options.splitting.end(), part));
}

void Underdamped::drift(UnderdampedState& state, double time) {
  settings.metric.velocity(state.momentum, scratch_);
  for (std::size_t d = 0; d < scratch_.size(); ++d) state.position[d] += time * scratch_[d];
}

void Underdamped::kick(UnderdampedState& state, double time) const {
  for (std::size_t d = 0; d < state.momentum.size(); ++d)
    state.momentum[d] += time * state.gradient[d];
}

// p ← Γ p + sqrt(1 - Γ²) M^(1/2) z with Γ = exp(-γ time): the exact solution.
void Underdamped::friction_step(UnderdampedState& state, double time, Rng& rng) {
  const double keep = numerics::exp(-options.friction * time);
  const double fresh = std::sqrt(-numerics::expm1(-2.0 * options.friction * time));
  for (double& z : scratch_) z = rng.normal();
  settings.metric.shape_momentum(scratch_);
  for (std::size_t d = 0; d < scratch_.size(); ++d)
    state.momentum[d] = keep * state.momentum[d] + fresh * scratch_[d];
}

void Underdamped::leave(UnderdampedState& state) const {
  state = start_;
  for (double& p : state.momentum) p = -p;
}

extern const SamplerSpec kMala;
const SamplerSpec kMala = sampler_row<Mala, HmcAdaptation>(
    {.name = "mala",
     .summary = "Langevin proposals with a Metropolis decision, adaptive step size and metric",
     .reference = "besag1994"});

extern const SamplerSpec kUla;
const SamplerSpec kUla =
    sampler_row<Ula, NoAdaptation>({.name = "ula",
                                    .summary = "unadjusted Langevin steps; biased by its step size",
                                    .reference = "roberts1996",
                                    .biased = true});

extern const SamplerSpec kUnderdamped;
const SamplerSpec kUnderdamped = sampler_row<Underdamped, NoAdaptation>(
    {.name = "underdamped",
     .summary = "underdamped Langevin dynamics by splitting (BAOAB); biased by its step size",
     .reference = "leimkuhler2013",
     .biased = true});

}  // namespace credo::infer
