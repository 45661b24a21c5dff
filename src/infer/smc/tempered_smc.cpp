// One step of a population (a stage), as in [murphy2023, alg. 22]:
//
//   λ' > λ such that reweighting keeps a share of the effective particles
//   w_i = likelihood(x_i)^(λ' - λ);  W_i ∝ W_i w_i;  evidence *= Σ W_i w_i
//   resample where few particles are effective, and at λ' = 1
//   move each particle by a kernel that leaves prior · likelihood^λ' invariant
//
// The kernel moves in coordinates in which the population is standardised (infer/smc/move_crew.hpp).
#include "infer/smc/tempered_smc.hpp"

#include <fmt/format.h>

#include "density/path_density.hpp"
#include "infer/core/job.hpp"
#include "infer/core/needs.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/smc/begin.hpp"
#include "infer/smc/move_crew.hpp"
#include "infer/smc/population_run.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/start.hpp"
#include "io/number_text.hpp"

namespace credo::infer {
namespace {
std::vector<RowGroup> stages() { return {{"stages", "stage", columns_of<SmcStage>()}}; }

class TemperedSmc final : public Job {
 public:
  TemperedSmc(RunContext& run_context, Index number_, const SmcOptions& options,
              const density::LogDensity& from)
      : Job(run_context, number_, columns_of<SmcInfo>()),
        options_(options),
        from_(from),
        schedule_(powers_of(options.powers)),
        particles_(run_context.options.num_draws, from.dimension()),
        log_likelihoods_(static_cast<std::size_t>(run_context.options.num_draws), -kInfinity),
        crew_(run_context, options) {}

  Step<Nothing> begin() override;
  bool is_done() const override { return power_ == 1.0; }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.power_);
    field(self.num_stages_);
    field(self.particles_);
    field(self.log_likelihoods_);
    field(self.error_);
    field(self.crew_);
  }
  std::vector<double> to_the_power(double power) const;
  double next_power(SmcStage& stage) const;
  void resample();
  // Groups of first particles, whose offspring give the error of the evidence: in waste-free populations each has some
  // chains, so that how many of them it gets, to a whole number, doesn't count.
  Index most_groups() const {
    constexpr Index kMost = 50, kFewest = 10, kChainsEach = 4;
    if (options_.waste_free == 0) return kMost;
    const Index chains = particles_.size() / options_.waste_free;
    return std::clamp(chains / kChainsEach, kFewest, kMost);
  }
  void report_stage(SmcStage stage);

  const SmcOptions& options_;
  const density::LogDensity& from_;
  const std::vector<double> schedule_;  // powers; empty: by conditional_ess
  double power_ = 0.0;                  // of the likelihood: the inverse temperature
  Index num_stages_ = 0;
  Particles particles_;
  std::vector<double> log_likelihoods_;
  double error_ = kNaN;  // error of the log evidence
  MoveCrew crew_;
};

// Particles begin where the density isn't 0; how many draws that took enters the evidence.
Step<Nothing> TemperedSmc::begin() {
  const StartDistribution distribution{from_, context.options, number};
  const Index num_without =
      co_await begin_with_likelihood(distribution, particles_.population, log_likelihoods_);
  particles_.begin_with(particles_.size() + num_without);
  co_return Nothing{};
}

Step<Nothing> TemperedSmc::advance() {
  SmcStage stage;
  const double power = next_power(stage);
  if (!particles_.reweight(to_the_power(power - power_))) throw no_likelihood(context.options, 1);
  power_ = power;
  stage.ess = particles_.ess();
  if (is_done()) error_ = particles_.log_evidence_error(most_groups());
  stage.resampled = is_done() || options_.waste_free > 0 || stage.ess < options_.resample_below;
  crew_.standardise(particles_);
  if (stage.resampled) resample();
  co_await evaluate_along(particles_.population, power_, log_likelihoods_);
  if (options_.waste_free > 0)
    co_await crew_.walk_chains(particles_.population, number, num_stages_++, power_,
                               options_.waste_free);
  else
    co_await crew_.move(particles_.population, number, num_stages_++, power_);
  co_await evaluate_along(particles_.population, power_, log_likelihoods_);
  report_stage(stage);
  crew_.tune_scale();
  if (is_done())
    hand_out(particles_, recorder, [&](Index i) { return crew_.info_of(particles_, i); });
  recorder.done_with(static_cast<Index>(power_ * static_cast<double>(particles_.size())));
  co_return Nothing{};
}

std::vector<double> TemperedSmc::to_the_power(double power) const {
  std::vector<double> all = log_likelihoods_;
  for (double& x : all) x *= power;
  return all;
}

void TemperedSmc::resample() {
  const double u = context.stream(purpose::kTransition, number, num_stages_).uniform();
  if (options_.waste_free > 0) return particles_.resample_chains(u, options_.waste_free);
  particles_.resample(u);
}

// By the schedule, or the furthest that keeps enough effective particles.
double TemperedSmc::next_power(SmcStage& stage) const {
  ConditionalEss remaining(particles_.log_weights(), log_likelihoods_);
  const auto kept = [&](double step) { return remaining.after(step); };
  if (!schedule_.empty()) {
    const double next = schedule_[static_cast<std::size_t>(num_stages_)];
    stage.conditional_ess = kept(next - power_);
    return next;
  }
  const double step = largest_step(1.0 - power_, options_.conditional_ess, kept);
  stage.conditional_ess = kept(step);
  const double next = step == 1.0 - power_ ? 1.0 : power_ + step;
  if (!(next > power_)) throw no_step(context.options, power_);
  return next;
}

void TemperedSmc::report_stage(SmcStage stage) {
  stage.inverse_temperature = power_;
  stage.log_evidence = particles_.log_evidence();
  stage.num_ancestors = particles_.num_ancestors();
  stage.accept_stat = crew_.mean_acceptance();
  stage.scale = crew_.scale();
  stage.num_divergent = crew_.num_divergent();
  stage.num_moves = crew_.num_moves();
  recorder.row(0, stage);
}

void TemperedSmc::conclude() { recorder.result.tuned = evidence_settings(particles_, error_); }

// Chains of waste-free populations are as many as make the particles.
void require_chains(const SmcOptions& own, Index num_particles) {
  if (own.waste_free == 0) return;
  constexpr Index kFewestChains = 10;  // from whose spread the error is known
  if (own.waste_free == 1)
    throw Error(ErrorCode::usage, "a chain of one state doesn't move", "waste_free",
                "ask for 2 states or more, or 0");
  if (own.move_until < 1.0)
    throw Error(ErrorCode::usage, "chains of waste-free populations have a given length",
                "move_until", "leave it out, or leave out waste_free");
  if (num_particles % own.waste_free == 0 && num_particles / own.waste_free >= kFewestChains)
    return;
  throw Error(
      ErrorCode::usage,
      fmt::format("{} particles aren't {} chains or more of {} states", num_particles,
                  kFewestChains, own.waste_free),
      "waste_free",
      fmt::format("ask for {} draws",
                  std::max(kFewestChains, num_particles / own.waste_free + 1) * own.waste_free));
}

RunResult run_smc(const density::LogDensity& density, const SampleOptions& options,
                  DrawSink& sink) {
  const auto own = options_for<SmcOptions>(options.kernel, options.sampler);
  validate(own);
  require_particles(density, options);
  require_chains(own, options.num_draws);
  require_needs(own);
  (void)powers_of(own.powers);
  const auto from = start_of_path(density, own.from, own.reference_sd, options.sampler);
  const density::PathDensity path(*from, density);
  RunContext context(path, options, 1, sink);
  const auto make = [&](Index number) {
    return std::make_unique<TemperedSmc>(context, number, own, *from);
  };
  RunResult result = run_populations<SmcInfo>(context, stages(), make);
  result.evidence_is_normalised = own.from == PathStart::prior;
  if (const auto biased = biased_mover(own, path.has_gradient()))
    result.warnings.push_back(*biased);
  return result;
}
}  // namespace

std::vector<double> powers_of(const std::string& text) {
  constexpr std::string_view kGeometric = "geometric:";
  constexpr Index kMostStages = 1'000'000;
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorCode::usage, fmt::format("'{}': {}", text, why), "powers",
                 "ascending powers up to 1, as 0.01,0.1,0.4,1; or geometric:0.1");
  };
  std::vector<double> powers;
  if (text.starts_with(kGeometric)) {
    const auto growth = io::parse_number(text.substr(kGeometric.size()));
    if (!growth || !(*growth > 0.0 && *growth < kInfinity))
      throw refuse("the growth is a number above 0");
    for (double factor = 1.0 + *growth; powers.empty() || powers.back() < 1.0;
         factor *= 1.0 + *growth) {
      if (ssize(powers) == kMostStages) throw refuse("there are more than a million stages");
      powers.push_back(std::min(1.0, factor - 1.0));
    }
    return powers;
  }
  if (text.ends_with(',')) throw refuse("a power is missing at the end");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto power = io::parse_number(text.substr(at, end - at));
    if (!power) throw refuse(fmt::format("'{}' isn't a number", text.substr(at, end - at)));
    if (!(*power > (powers.empty() ? 0.0 : powers.back()) && *power <= 1.0))
      throw refuse("powers ascend, above 0 and up to 1");
    powers.push_back(*power);
    at = end + 1;
  }
  if (!powers.empty() && powers.back() != 1.0) throw refuse("the last power is 1");
  return powers;
}

extern const SamplerSpec kSmc;
const SamplerSpec kSmc = {
    .name = "smc",
    .summary =
        "sequential Monte Carlo by tempering, from the prior; also estimates the log evidence",
    .needs_gradient = false,
    .reference = "delmoral2006",
    .biased = false,
    .has_warmup = false,
    .columns = columns_of<SmcInfo>,
    .groups = stages,
    .options = [] { return KernelOptions(SmcOptions{}); },
    .make = nullptr,
    .run = run_smc,
    .family = Family::particles,
    .fixed_length = "its draws are particles, which go from the prior to the posterior together"};

}  // namespace credo::infer
