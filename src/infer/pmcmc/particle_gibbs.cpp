#include "infer/pmcmc/particle_gibbs.hpp"

#include "infer/compose/compose.hpp"
#include "infer/core/chain.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/pmcmc/particle_likelihood.hpp"
#include "infer/smc/matching_draws.hpp"

namespace credo::infer {
namespace {
std::vector<Index> not_among(std::span<const Index> states, Index dimension) {
  std::vector<Index> others;
  for (Index c = 0; c < dimension; ++c)
    if (std::find(states.begin(), states.end(), c) == states.end()) others.push_back(c);
  return others;
}

double share_of_changes(std::span<const double> before, std::span<const double> after,
                        Index elements) {
  Index num_changed = 0;
  const Index times = ssize(before) / elements;
  for (Index t = 0; t < times; ++t)
    num_changed += std::equal(before.begin() + t * elements, before.begin() + (t + 1) * elements,
                              after.begin() + t * elements)
                       ? 0
                       : 1;
  return static_cast<double>(num_changed) / static_cast<double>(times);
}
}  // namespace

StatesKernel::StatesKernel(const density::LogDensity& density, const ConditionalOptions& options)
    : space_(density::state_space_of(density, "pgibbs")), options_(options) {
  if (space_->state_coordinates().empty())
    throw Error(ErrorCode::program,
                "the states are no parameters of the program, so that the program has no "
                "distribution of the "
                "parameters given them",
                "pgibbs",
                "declare them as a parameter that has the name of the state in observation_lpdf, "
                "or take pmmh");
}

// The filter leaves the program's distribution of the states invariant only if the model block has the densities
// of the state functions: checked once, on the path before and the path after.
Step<double> StatesKernel::step(PointState& state, Rng& rng) {
  const density::StateSpace& model = space_->at(state.position);
  if (!checked_) require_matching_draws(model);
  const std::vector<double> before = states_of(state.position, coordinates());
  const double density_before = state.log_density;
  std::vector<double> path = before;
  conditional_smc(model, options_, path, rng);
  set_states(state.position, coordinates(), path);
  state.log_density = (co_await evaluate(std::span<const double>(state.position))).log_density;
  if (!checked_) {
    const double one = log_density_of_path(model, before), other = log_density_of_path(model, path);
    require_same_prior(density_before - one, state.log_density - other,
                       std::max({std::abs(one), std::abs(other), std::abs(density_before)}));
    checked_ = true;
  }
  co_return share_of_changes(before, path, model.state().size());
}

ParticleGibbs::ParticleGibbs(const ParticleGibbsOptions& options,
                             const density::LogDensity& density)
    : states(density, options.own.of_filter()),
      parameters(mover_of(not_among(states.coordinates(), density.dimension()), options.own.mover,
                          density, options.run)),
      settings{parameters.get()} {}

void ParticleGibbs::check(const ParticleGibbsOptions& options, const density::LogDensity& density) {
  require_continuous(density, "pgibbs");
  (void)ParticleGibbs(options, density);
}

Step<PgibbsInfo> ParticleGibbs::step(PointState& current, Rng& rng) {
  PgibbsInfo info{.num_evaluations = 1};
  info.renewed = co_await states.step(current, rng);
  if (parameters != nullptr) {
    const PartInfo part = co_await parameters->step(current, rng);
    info.accept_stat = part.acceptance();
    info.num_evaluations += part.num_evaluations;
    info.divergent = part.num_divergent > 0;
  }
  info.log_density = current.log_density;
  co_return info;
}

void report_settings(const ParticleGibbs::Settings& settings, ChainResult& result) {
  if (settings.parameters != nullptr) settings.parameters->report_tuned(result);
}

namespace {
RunResult run_pgibbs(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  return run_sampler<ParticleGibbs, MoverAdaptation>(
      density, options,
      {.own = options_for<PgibbsOptions>(options.kernel, options.sampler), .run = options}, sink);
}
}  // namespace

extern const SamplerSpec kPgibbs;
const SamplerSpec kPgibbs = {
    .name = "pgibbs",
    .summary = "state-space models: states by a conditional particle filter, then the parameters",
    .needs_gradient = false,
    .reference = "andrieu2010",
    .biased = false,
    .has_warmup = true,
    .columns = columns_of<PgibbsInfo>,
    .options = [] { return KernelOptions(PgibbsOptions{}); },
    .make = nullptr,
    .run = run_pgibbs,
    .needs_states = true};

}  // namespace credo::infer
