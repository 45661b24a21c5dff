#include "infer/optimise/anneal.hpp"

#include "infer/core/group.hpp"
#include "infer/core/initialise.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr double kLastTemperature = 1e-4;  // fraction of the first, unless a rate is given

double cooling_rate(const AnnealOptions& options) {
  if (options.rate > 0.0) return options.rate;
  return numerics::pow(kLastTemperature, 1.0 / static_cast<double>(options.num_steps));
}

struct AnnealedWalk {
  const density::LogDensity& density;
  const AnnealOptions& options;
  Index number;
  AnnealState walk;
};

Step<Nothing> anneal_once(AnnealedWalk& run) {
  const AnnealOptions& options = run.options;
  const InitOptions init{.radius = options.init_radius, .seed = options.seed, .chain = run.number};
  PointState start = make_point(run.density.dimension(), false);
  co_await find_initial_point(start, init, run.density);
  run.walk.begin(start.position, start.log_density);
  for (Index t = 0; t < options.num_steps; ++t) {
    const Rng rng({.seed = options.seed,
                   .purpose = purpose::kTransition,
                   .chain = static_cast<std::uint32_t>(run.number),
                   .iteration = static_cast<std::uint32_t>(t)});
    co_await anneal_step(options, run.walk, rng);
    if (options.on_step)
      options.on_step(run.number, t, temperature_at(options, t), run.walk.log_density);
  }
  co_return Nothing{};
}
}  // namespace

void AnnealState::begin(std::span<const double> at, double log_density_there) {
  position.assign(at.begin(), at.end());
  best = position;
  log_density = best_log_density = log_density_there;
}

Step<Nothing> anneal_step(const AnnealOptions& options, AnnealState& state, Rng rng) {
  std::vector<double> candidate = state.position;
  const double temperature = temperature_at(options, state.num_steps++);
  for (double& x : candidate) x += options.scale * rng.normal();
  const double at = (co_await evaluate(candidate)).log_density;
  const double accept_prob = metropolis_prob((at - state.log_density) / temperature);
  if (!(rng.uniform() < accept_prob)) co_return Nothing{};
  state.position = std::move(candidate);
  state.log_density = at;
  ++state.num_accepted;
  if (at > state.best_log_density) {
    state.best = state.position;
    state.best_log_density = at;
  }
  co_return Nothing{};
}

double temperature_at(const AnnealOptions& options, Index step) {
  const auto t = static_cast<double>(step);
  if (options.cooling == Cooling::exponential)
    return options.temperature * numerics::pow(cooling_rate(options), t);
  if (options.cooling == Cooling::logarithmic)
    return options.temperature * numerics::log(2.0) / numerics::log(t + 2.0);
  return options.temperature;
}

AnnealResult anneal(const density::LogDensity& density, const AnnealOptions& options) {
  validate(options);
  require_continuous(density, "annealing");
  std::vector<std::unique_ptr<AnnealedWalk>> runs;
  std::vector<ChainProgram> programs;
  for (Index r = 0; r < options.num_runs; ++r) {
    runs.push_back(std::make_unique<AnnealedWalk>(
        AnnealedWalk{.density = density, .options = options, .number = r, .walk = {}}));
    programs.push_back({.program = anneal_once(*runs.back()), .refusals = {}});
  }
  run_groups(density, programs, {.num_threads = options.num_threads});
  AnnealResult result;
  for (const auto& run : runs) {
    AnnealState& walk = run->walk;
    result.runs.push_back({.best = std::move(walk.best),
                           .best_log_density = walk.best_log_density,
                           .last_log_density = walk.log_density,
                           .num_accepted = walk.num_accepted});
    if (result.runs.back().best_log_density > result.best().best_log_density)
      result.best_run = result.runs.size() - 1;
  }
  return result;
}

}  // namespace credo::infer
