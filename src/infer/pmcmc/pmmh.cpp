// One transition, at theta with the estimate Z of its likelihood and the path x:
//
//   theta' ~ the walk,   (Z', x') ~ the filter at theta'
//   (theta', Z', x') with probability min(1, Z' p(theta') / (Z p(theta))),   else (theta, Z, x) again
//
// With a correlation the filter's random numbers U are a part of the state: for each time they are those of the present
// U with that probability, else new, so that U -> U' leaves their distribution as it is and is as likely as U' -> U.
#include "infer/pmcmc/pmmh.hpp"

#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {
namespace {
// Checks the filter's requirements of the model once, before the run.
void check_moves(const FilterMoves& moves, const density::LogDensity& density,
                 std::string_view algorithm) {
  validate(moves.options());
  resampling_scheme(moves.resampling);
  (void)ParticleLikelihood(density, moves, algorithm);
}

// Runs that measure how much the estimate varies; and by how much it may [doucet2015].
constexpr Index kSpreadRuns = 20;
constexpr double kMostSpread = 2.5, kBestSpread = 1.3;

class WalkAdaptation {
 public:
  WalkAdaptation(const SampleOptions& options, const ParticleMarginal& kernel)
      : walk_(options, kernel.settings.walk) {}
  bool learn(Index iteration, const PmmhInfo& info, const EstimatedPoint& state,
             ParticleMarginal& kernel) {
    return walk_.learn(iteration, info, kernel.parameters_of(state), kernel.settings.walk);
  }
  void finish(ParticleMarginal& kernel) const { kernel.measure_next(); }
  static void saved(auto& self, auto&& field) { field(self.walk_); }

 private:
  ScaleAdaptation walk_;
};
}  // namespace

ParticleMarginal::ParticleMarginal(const PmmhOptions& options_, const density::LogDensity& density)
    : options(options_),
      likelihood_(density, options_.moves, "pmmh", options_.correlation),
      parameters_(make_point(ssize(likelihood_.parameters()), false)),
      settings{Rwm(options_.of_walk(), ssize(likelihood_.parameters()))} {}

void ParticleMarginal::check(const PmmhOptions& options, const density::LogDensity& density) {
  check_moves(options.moves, density, "pmmh");
  if (!ParticleLikelihood(density, options.moves, "pmmh").parameters().empty()) return;
  throw Error(ErrorCode::usage, "the program has no parameters beside the states", "pmmh",
              "take pimh or pgibbs, which draw the states alone");
}

const PointState& ParticleMarginal::parameters_of(const EstimatedPoint& point) {
  parameters_.position = states_of(point.position, likelihood_.parameters());
  parameters_.log_density = point.log_prior + point.log_likelihood;
  return parameters_;
}

Step<PmmhInfo> ParticleMarginal::step(EstimatedPoint& current, Rng& rng) {
  if (std::isnan(current.log_likelihood)) co_await likelihood_.start(current, rng);
  if (std::exchange(measures_, false)) {
    spread_ = likelihood_.spread(current.position, kSpreadRuns, rng);
    if (options.correlation > 0.0)
      ratio_spread_ = likelihood_.spread_of_ratio(current.position, kSpreadRuns, rng);
  }
  parameters_of(current);
  candidate_ = current;
  Step<MetropolisInfo> walk = settings.walk.step(parameters_, rng);
  for (walk.resume(); !walk.done(); walk.resume()) {
    density::Request& asked = walk.pending()->request;
    set_states(candidate_.position, likelihood_.parameters(), asked.position);
    co_await likelihood_.visit(candidate_, rng);
    asked.log_density = candidate_.log_prior + candidate_.log_likelihood;
  }
  const MetropolisInfo info = walk.result();
  if (info.accepted) current = candidate_;
  co_return PmmhInfo{.log_density = current.log_density,
                     .accept_stat = info.accept_stat,
                     .accepted = info.accepted,
                     .log_likelihood = current.log_likelihood};
}

void ParticleMarginal::conclude(ChainResult& result) const {
  result.tuned.push_back(
      {"num_without_likelihood", {static_cast<double>(likelihood_.num_refused())}});
  result.tuned.push_back({"log_likelihood_sd", {spread_}});
  if (options.correlation > 0.0) result.tuned.push_back({"log_ratio_sd", {ratio_spread_}});
}

void report_settings(const ParticleMarginal::Settings& settings, ChainResult& result) {
  report_settings(settings.walk.settings, result);
}

ParticleIndependent::ParticleIndependent(const PimhOptions& options_,
                                         const density::LogDensity& density)
    : options(options_), likelihood_(density, options_.moves, "pimh") {}

void ParticleIndependent::check(const PimhOptions& options, const density::LogDensity& density) {
  check_moves(options.moves, density, "pimh");
  const ParticleLikelihood likelihood(density, options.moves, "pimh");
  if (likelihood.parameters().empty()) return;
  throw Error(ErrorCode::usage,
              fmt::format("pimh draws the states alone, and the program has parameters beside them "
                          "({} numbers)",
                          likelihood.parameters().size()),
              "pimh", "make them data, or take pmmh or pgibbs");
}

Step<PmmhInfo> ParticleIndependent::step(EstimatedPoint& current, Rng& rng) {
  if (std::isnan(current.log_likelihood)) co_await likelihood_.start(current, rng);
  candidate_ = current;
  co_await likelihood_.visit(candidate_, rng);
  const double accept_prob = metropolis_prob(candidate_.log_prior + candidate_.log_likelihood -
                                             current.log_prior - current.log_likelihood);
  const bool accepted = rng.uniform() < accept_prob;
  if (accepted) current = candidate_;
  co_return PmmhInfo{.log_density = current.log_density,
                     .accept_stat = accept_prob,
                     .accepted = accepted,
                     .log_likelihood = current.log_likelihood};
}

namespace {
// With correlated estimates only their ratio matters to the chain: the difference of two independent ones has sqrt(2)
// times their standard deviation.
void warn_of_ratio(RunResult& result, double correlation) {
  for (std::size_t c = 0; c < result.chains.size(); ++c)
    for (const TunedSetting& setting : result.chains[c].tuned)
      if (setting.name == "log_ratio_sd" && setting.values[0] > kMostSpread * std::sqrt(2.0))
        result.warnings.push_back(
            fmt::format("chain {}: the log ratio of two estimates at a draw has a standard "
                        "deviation of {:.1f}, so that the chain stands still: take more particles, "
                        "or a correlation nearer to 1 than {}",
                        c + 1, setting.values[0], correlation));
}

void warn_of_spread(RunResult& result, Index particles) {
  for (std::size_t c = 0; c < result.chains.size(); ++c)
    for (const TunedSetting& setting : result.chains[c].tuned) {
      if (setting.name != "log_likelihood_sd" || !(setting.values[0] > kMostSpread)) continue;
      const double share = setting.values[0] / kBestSpread;
      result.warnings.push_back(
          std::isfinite(share)
              ? fmt::format("chain {}: the log likelihood at a draw has a standard deviation of "
                            "{:.1f} from run to run of the filter, so that the chain stands still "
                            "at lucky ones: take about {:.0f} particles",
                            c + 1, setting.values[0],
                            std::ceil(static_cast<double>(particles) * share * share))
              : fmt::format("chain {}: some runs of the filter at a draw have no likelihood, so "
                            "that the chain stands still: take more particles",
                            c + 1));
    }
}

RunResult run_pmmh(const density::LogDensity& density, const SampleOptions& options,
                   DrawSink& sink) {
  const auto own = options_for<PmmhOptions>(options.kernel, options.sampler);
  RunResult result = run_sampler<ParticleMarginal, WalkAdaptation>(density, options, own, sink);
  if (result.interrupted) return result;
  if (own.correlation > 0.0)
    warn_of_ratio(result, own.correlation);
  else
    warn_of_spread(result, own.moves.particles);
  return result;
}

constexpr SamplerSpec with_states(SamplerSpec row) {
  row.needs_states = true;
  return row;
}
constexpr SamplerSpec pmmh_row() {
  SamplerSpec row = with_states(sampler_row<ParticleMarginal, WalkAdaptation>(
      {.name = "pmmh",
       .summary = "state-space models: a walk on the parameters, likelihoods of a particle filter",
       .reference = "andrieu2010"}));
  row.run = run_pmmh;
  return row;
}
}  // namespace

extern const SamplerSpec kPmmh;
const SamplerSpec kPmmh = pmmh_row();

extern const SamplerSpec kPimh;
const SamplerSpec kPimh = with_states(sampler_row<ParticleIndependent, NoAdaptation>(
    {.name = "pimh",
     .summary = "state-space models: paths of the states, proposed by a particle filter",
     .reference = "andrieu2010"}));

}  // namespace credo::infer
