#include "infer/anneal.hpp"

#include "infer/gibbs/site_sweep.hpp"
#include "infer/group.hpp"
#include "infer/initialise.hpp"
#include "infer/mcmc/hamiltonian.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr double kLastTemperature = 1e-4;  // as a fraction of the first, unless a rate is given

double cooling_rate(const AnnealOptions& options) {
  if (options.rate > 0.0) return options.rate;
  return numerics::pow(kLastTemperature, 1.0 / static_cast<double>(options.num_steps));
}

struct Annealing {
  const density::LogDensity& density;
  const AnnealOptions& options;
  Index number;
  AnnealRun result;
  PointState state;
  std::vector<double> candidate;
};

void keep_best(Annealing& run) {
  if (run.state.log_density <= run.result.best_log_density) return;
  run.result.best = run.state.position;
  run.result.best_log_density = run.state.log_density;
}

Step<Nothing> anneal_once(Annealing& run) {
  const AnnealOptions& options = run.options;
  const InitOptions init{.radius = options.init_radius, .seed = options.seed, .chain = run.number};
  co_await find_initial_point(run.state, init, run.density);
  keep_best(run);
  for (Index t = 0; t < options.num_steps; ++t) {
    Rng rng({.seed = options.seed,
             .purpose = purpose::kTransition,
             .chain = static_cast<std::uint32_t>(run.number),
             .iteration = static_cast<std::uint32_t>(t)});
    const double temperature = temperature_at(options, t);
    for (std::size_t d = 0; d < run.candidate.size(); ++d)
      run.candidate[d] = run.state.position[d] + options.scale * rng.normal();
    const double at = (co_await evaluate(run.candidate)).log_density;
    const double accept_prob = metropolis_prob((at - run.state.log_density) / temperature);
    if (rng.uniform() < accept_prob) {
      run.state.position = run.candidate;
      run.state.log_density = at;
      ++run.result.num_accepted;
      keep_best(run);
    }
    if (options.on_step) options.on_step(run.number, t, temperature, run.state.log_density);
  }
  run.result.last_log_density = run.state.log_density;
  co_return Nothing{};
}
}  // namespace

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
  std::vector<std::unique_ptr<Annealing>> runs;
  std::vector<ChainProgram> programs;
  for (Index r = 0; r < options.num_runs; ++r) {
    runs.push_back(std::make_unique<Annealing>(Annealing{
        .density = density,
        .options = options,
        .number = r,
        .result = {},
        .state = make_point(density.dimension(), false),
        .candidate = std::vector<double>(static_cast<std::size_t>(density.dimension()))}));
    programs.push_back({.program = anneal_once(*runs.back()), .refusals = {}});
  }
  run_groups(density, programs, {.num_threads = options.num_threads});
  AnnealResult result;
  for (const auto& run : runs) {
    result.runs.push_back(std::move(run->result));
    if (result.runs.back().best_log_density > result.best().best_log_density)
      result.best_run = result.runs.size() - 1;
  }
  return result;
}

}  // namespace credo::infer
