// Annealed importance sampling [neal2001]: particles that go from the prior to the posterior by themselves, on a
// ladder that is fixed before, 0 = β_0 < … < β_J = 1:
//
//   log w = Σ_j (β_{j+1} - β_j) log L(x_j),   x_{j+1} by a kernel that leaves prior · L^{β_{j+1}} invariant
//
// each factor at the point before its move. The mean of w is the evidence, and the draws are weighted by it. No
// particle is resampled, so that particles depend on each other through the scale of their moves alone. Backwards the
// same ladder goes from draws of the posterior down to the prior.
#include "infer/evidence/annealed_importance.hpp"

#include <fmt/format.h>

#include "density/path_density.hpp"
#include "infer/core/job.hpp"
#include "infer/core/table.hpp"
#include "infer/evidence/points.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "infer/smc/begin.hpp"
#include "infer/smc/move_crew.hpp"
#include "infer/smc/population_run.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {

struct AisOptions {
  Index num_rungs = 100;
  double ladder_power = 3.0;
  ChosenRow mover = {};
  Index num_moves = 1;
  double move_accept = 0.0;
  MetricKind move_metric = MetricKind::diagonal;
  PathStart from = PathStart::prior;
  double reference_sd = 5.0;

  static void describe(auto& self, auto&& field) {
    field(self.num_rungs, FieldSpec{.name = "num_rungs",
                                    .help = "temperatures, prior and posterior included",
                                    .range = {.lo = 2.0, .hi = 1e6}});
    field(self.ladder_power,
          FieldSpec{.name = "ladder_power",
                    .help = "powers of the likelihood are (j / J) to this: more is denser near "
                            "the prior",
                    .range = positive()});
    field(self.mover, kMoverField);
    field(self.num_moves, kNumMovesField);
    field(self.move_accept, kMoveAcceptField);
    field(self.move_metric, kMoveMetricField);
    field(self.from, kPathStartField);
    field(self.reference_sd, kReferenceSdField);
  }
  SmcOptions of_moves() const {
    return {.mover = mover,
            .num_moves = num_moves,
            .move_accept = move_accept,
            .move_metric = move_metric};
  }
};

struct AisInfo {
  double log_density = 0.0, log_weight = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.log_weight, kLogWeightColumn);
  }
};

// A row of the table `annealing`: a rung.
struct AisRung {
  double inverse_temperature = 0.0, log_evidence = 0.0, ess = 1.0, accept_stat = 1.0, scale = 1.0;

  static void describe(auto& self, auto&& field) {
    field(self.inverse_temperature,
          FieldSpec{.name = "inverse_temperature", .help = "power of the likelihood"});
    field(self.log_evidence, FieldSpec{.name = "log_evidence", .help = "so far"});
    field(self.ess, FieldSpec{.name = "ess", .help = "effective particles as a share of all"});
    field(self.accept_stat,
          FieldSpec{.name = "accept_stat", .help = "mean acceptance of the moves"});
    field(self.scale, FieldSpec{.name = "scale", .help = "scale of the moves"});
  }
};
std::vector<RowGroup> rungs() { return {{"annealing", "rung", columns_of<AisRung>()}}; }

class AnnealedImportance final : public Job {
 public:
  // `posterior`: draws to begin at, and to go back from; none: from the prior.
  AnnealedImportance(RunContext& run_context, Index number_, const AisOptions& options,
                     const density::LogDensity& from, const density::Draws* posterior = nullptr)
      : Job(run_context, number_, columns_of<AisInfo>()),
        options_(options),
        of_moves_(options.of_moves()),
        from_(from),
        posterior_(posterior),
        particles_(run_context.options.num_draws, from.dimension()),
        log_likelihoods_(static_cast<std::size_t>(run_context.options.num_draws), -kInfinity),
        crew_(run_context, of_moves_) {}

  Step<Nothing> begin() override;
  bool is_done() const override { return rung_ + 1 == options_.num_rungs; }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.rung_);
    field(self.particles_);
    field(self.log_likelihoods_);
    field(self.crew_);
  }
  double power_at(Index rung) const;

  const AisOptions& options_;
  const SmcOptions of_moves_;
  const density::LogDensity& from_;
  const density::Draws* posterior_;
  Index rung_ = 0;  // from where the ladder is begun
  Particles particles_;
  std::vector<double> log_likelihoods_;
  MoveCrew crew_;
};

Step<Nothing> AnnealedImportance::begin() {
  if (posterior_ != nullptr) {
    for (Index i = 0; i < particles_.size(); ++i)
      posterior_->get(i, number, particles_.population.position(i));
    co_await evaluate_along(particles_.population, power_at(0), log_likelihoods_);
    co_return Nothing{};
  }
  const StartDistribution distribution{from_, context.options, number};
  const Index num_without =
      co_await begin_with_likelihood(distribution, particles_.population, log_likelihoods_);
  particles_.begin_with(particles_.size() + num_without);
  co_return Nothing{};
}

double AnnealedImportance::power_at(Index rung) const {
  const Index last = options_.num_rungs - 1,
              above_prior = posterior_ == nullptr ? rung : last - rung;
  if (above_prior == last) return 1.0;
  return std::pow(static_cast<double>(above_prior) / static_cast<double>(last),
                  options_.ladder_power);
}

Step<Nothing> AnnealedImportance::advance() {
  const double power = power_at(rung_ + 1);
  std::vector<double> increments = log_likelihoods_;
  for (double& x : increments) x *= power - power_at(rung_);
  if (!particles_.reweight(increments)) throw no_likelihood(context.options, 1);
  crew_.standardise(particles_);
  co_await evaluate_along(particles_.population, power, log_likelihoods_);
  co_await crew_.move(particles_.population, number, rung_++, power);
  co_await evaluate_along(particles_.population, power, log_likelihoods_);
  recorder.row(0, AisRung{.inverse_temperature = power,
                          .log_evidence = particles_.log_evidence(),
                          .ess = particles_.ess(),
                          .accept_stat = crew_.mean_acceptance(),
                          .scale = crew_.scale()});
  crew_.tune_scale();
  if (is_done())
    hand_out(particles_, recorder, [&](Index i) {
      return AisInfo{.log_density = particles_.population.log_density(i),
                     .log_weight = particles_.log_weights()[static_cast<std::size_t>(i)]};
    });
  recorder.done_with(rung_ * particles_.size() / (options_.num_rungs - 1));
  co_return Nothing{};
}

void AnnealedImportance::conclude() {
  recorder.result.tuned = {{"log_evidence", {particles_.log_evidence()}},
                           {"log_evidence_error", {particles_.log_evidence_error()}}};
}

// The share of the prior that has a likelihood, which no particle that goes back ever leaves.
LogEvidence share_with_likelihood(const density::LogDensity& density,
                                  const density::LogDensity& prior, const SampleOptions& run) {
  constexpr Index kDraws = 4000, kBatch = 100;
  Rng rng({.seed = run.seed, .purpose = purpose::kPriorTrial});
  const auto draws = prior.make_exact_draws();
  const auto evaluator = density.make_evaluator();
  std::vector<density::Start> starts(static_cast<std::size_t>(kBatch));
  std::vector<density::Request> requests(starts.size());
  std::vector<density::Request*> batch;
  for (density::Request& request : requests) batch.push_back(&request);
  Index num_with = 0;
  for (Index first = 0; first < kDraws; first += kBatch) {
    for (std::size_t k = 0; k < starts.size(); ++k) {
      starts[k] = draw_exactly(*draws, rng);
      requests[k] = {.position = starts[k].position, .gradient = {}, .status = {}};
    }
    evaluator->evaluate(density::Want::value, batch);
    num_with += std::ranges::count_if(requests, [](const auto& r) { return r.status.ok(); });
  }
  if (num_with == 0) throw no_likelihood(run, kDraws);
  const double share = static_cast<double>(num_with) / static_cast<double>(kDraws);
  return {.value = numerics::log(share),
          .error = std::sqrt((1.0 - share) / static_cast<double>(num_with))};
}

// The log weights of all particles, draw by draw of each chain, which its table holds normalised.
std::vector<double> whole_log_weights(const StoredDraws& store, const RunResult& result) {
  const auto column = static_cast<Index>(1);  // log_weight of AisInfo
  std::vector<double> all;
  for (Index c = 0; c < store.info.num_chains(); ++c) {
    const double log_sum = log_evidence(result.chains[static_cast<std::size_t>(c)])->value +
                           numerics::log(static_cast<double>(store.info.num_draws()));
    for (const double w : store.info.chain(c, column)) all.push_back(w + log_sum);
  }
  return all;
}

RunResult run_ais(const density::LogDensity& density, const SampleOptions& options,
                  DrawSink& sink) {
  const auto own = options_for<AisOptions>(options.kernel, options.sampler);
  validate(own);
  require_particles(density, options);
  const auto from = start_of_path(density, own.from, own.reference_sd, options.sampler);
  const density::PathDensity path(*from, density);
  RunContext context(path, options, 1, sink);
  const auto make = [&](Index number) {
    return std::make_unique<AnnealedImportance>(context, number, own, *from);
  };
  RunResult result = run_populations<AisInfo>(context, rungs(), make);
  result.evidence_is_normalised = own.from == PathStart::prior;
  return result;
}
}  // namespace

BackwardAnnealing anneal_backwards(const density::LogDensity& density,
                                   const density::Draws& posterior, const SampleOptions& run) {
  SampleOptions options = run;
  options.sampler = "ais";
  options.num_warmup = 0;
  options.num_chains = posterior.num_chains();
  options.num_draws = posterior.num_draws();
  const auto own = options_for<AisOptions>(options.kernel, options.sampler);
  validate(own);
  require_particles(density, options);
  const auto from = start_of_path(density, own.from, own.reference_sd, options.sampler);
  const density::PathDensity path(*from, density);
  StoredDraws store;
  RunContext context(path, options, 1, store);
  const auto make = [&](Index number) {
    return std::make_unique<AnnealedImportance>(context, number, own, *from, &posterior);
  };
  const RunResult result = run_populations<AisInfo>(context, rungs(), make);
  BackwardAnnealing found{.upper = {}, .interrupted = result.interrupted};
  for (const ChainResult& chain : result.chains) found.num_evaluations += chain.num_evaluations;
  if (found.interrupted) return found;
  const LogEvidence share = share_with_likelihood(density, *from, options),
                    back = log_mean(whole_log_weights(store, result), options.num_draws,
                                    options.num_chains);
  found.upper = {.value = share.value - back.value, .error = std::hypot(share.error, back.error)};
  return found;
}

extern const SamplerSpec kAis;
const SamplerSpec kAis = {
    .name = "ais",
    .summary = "annealed importance sampling: weighted draws, and the log evidence",
    .needs_gradient = false,
    .reference = "neal2001",
    .biased = false,
    .has_warmup = false,
    .columns = columns_of<AisInfo>,
    .groups = rungs,
    .options = [] { return KernelOptions(AisOptions{}); },
    .make = nullptr,
    .run = run_ais,
    .family = Family::particles};

}  // namespace credo::infer
