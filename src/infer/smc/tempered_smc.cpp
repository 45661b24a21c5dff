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
#include "infer/core/table.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "infer/smc/move_crew.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/start.hpp"

namespace credo::infer {
namespace {
std::vector<RowGroup> stages() { return {{"stages", "stage", columns_of<SmcStage>()}}; }

constexpr Index kMostAttempts = 10'000;

class TemperedSmc final : public Job {
 public:
  TemperedSmc(RunContext& run_context, Index number_, const SmcOptions& options,
              const density::LogDensity& from)
      : Job(run_context, number_, columns_of<SmcInfo>()),
        options_(options),
        from_(from),
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
  void tell(SmcStage stage);
  void hand_out();

  const SmcOptions& options_;
  const density::LogDensity& from_;
  double power_ = 0.0;  // of the likelihood: the inverse temperature
  Index num_stages_ = 0;
  Particles particles_;
  std::vector<double> log_likelihoods_;
  double error_ = kNaN;  // of the log evidence
  MoveCrew crew_;
};

// Particles begin where the density isn't 0; how many draws that took enters the evidence.
Step<Nothing> TemperedSmc::begin() {
  const auto draws = from_.make_exact_draws();
  PopulationState& population = particles_.population;
  std::vector<Index> open(log_likelihoods_.size());  // particles that are to be drawn
  std::iota(open.begin(), open.end(), Index{0});
  std::vector<double> drawn_from(open.size());
  Index num_drawn = 0;
  for (Index attempt = 0; !open.empty(); ++attempt, num_drawn += ssize(open)) {
    if (attempt == kMostAttempts) throw no_likelihood(context.options, attempt);
    for (const Index i : open) {
      Rng rng = crew_.stream(purpose::kInitialPoint, number, i, attempt);
      const density::Start start = draw_exactly(*draws, rng);
      std::ranges::copy(start.position, population.position(i).begin());
      drawn_from[static_cast<std::size_t>(i)] = start.log_density;
    }
    co_await evaluate_along(population, power_, log_likelihoods_, open);
    std::erase_if(open, [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      if (log_likelihoods_[k] == -kInfinity) return false;
      require_same_density(drawn_from[k], population.log_density(i), context.options.sampler);
      return true;
    });
  }
  particles_.begin_with(particles_.size() + num_drawn);
  co_return Nothing{};
}

Step<Nothing> TemperedSmc::advance() {
  SmcStage stage;
  const double power = next_power(stage);
  if (!particles_.reweight(to_the_power(power - power_))) throw no_likelihood(context.options, 1);
  power_ = power;
  stage.ess = particles_.ess();
  if (is_done()) error_ = particles_.log_evidence_error();
  stage.resampled = is_done() || stage.ess < options_.resample_below;
  crew_.standardise(particles_);
  if (stage.resampled)
    particles_.resample(context.stream(purpose::kTransition, number, num_stages_).uniform());
  co_await evaluate_along(particles_.population, power_, log_likelihoods_);
  co_await crew_.move(particles_.population, number, num_stages_++, power_);
  co_await evaluate_along(particles_.population, power_, log_likelihoods_);
  tell(stage);
  crew_.tune_scale();
  if (is_done()) hand_out();
  recorder.done_with(static_cast<Index>(power_ * static_cast<double>(particles_.size())));
  co_return Nothing{};
}

std::vector<double> TemperedSmc::to_the_power(double power) const {
  std::vector<double> all = log_likelihoods_;
  for (double& x : all) x *= power;
  return all;
}

// The furthest that keeps enough effective particles.
double TemperedSmc::next_power(SmcStage& stage) const {
  const auto kept = [&](double step) {
    return conditional_ess(particles_.log_weights(), to_the_power(step));
  };
  const double step = largest_step(1.0 - power_, options_.conditional_ess, kept);
  stage.conditional_ess = kept(step);
  const double next = step == 1.0 - power_ ? 1.0 : power_ + step;
  if (!(next > power_)) throw no_step(context.options, power_);
  return next;
}

void TemperedSmc::tell(SmcStage stage) {
  stage.inverse_temperature = power_;
  stage.log_evidence = particles_.log_evidence();
  stage.num_ancestors = particles_.num_ancestors();
  stage.accept_stat = crew_.mean_acceptance();
  stage.scale = crew_.scale();
  stage.num_divergent = crew_.num_divergent();
  stage.num_moves = crew_.num_moves();
  recorder.row(0, stage);
}

void TemperedSmc::hand_out() {
  for (Index i = 0; i < particles_.size(); ++i) {
    write_columns(SmcInfo{.log_density = particles_.population.log_density(i),
                          .accept_stat = crew_.of_particle(i).acceptance()},
                  recorder.columns());
    recorder.keep(i, 0, particles_.population.position(i));
  }
}

void TemperedSmc::conclude() {
  recorder.result.tuned = {{"log_evidence", {particles_.log_evidence()}},
                           {"log_evidence_error", {error_}},
                           {"num_ancestors", {static_cast<double>(particles_.num_ancestors())}}};
}

RunResult run_smc(const density::LogDensity& density, const SampleOptions& options,
                  DrawSink& sink) {
  const auto own = options_for<SmcOptions>(options.kernel, options.sampler);
  validate(own);
  require_particles(density, options);
  const auto from = start_of_path(density, own.from, own.reference_sd, options.sampler);
  const density::PathDensity path(*from, density);
  RunContext context(path, options, 1, sink);
  std::vector<std::unique_ptr<Job>> populations;
  for (Index c = 0; c < options.num_chains; ++c)
    populations.push_back(std::make_unique<TemperedSmc>(context, c, own, *from));
  const std::vector<RowGroup> groups = stages();
  context.begin_sink(columns_of<SmcInfo>(), groups);
  RunResult result = run_jobs(context, populations);
  result.evidence_is_normalised = own.from == PathStart::prior;
  if (const auto biased = biased_mover(own, path.has_gradient()))
    result.warnings.push_back(*biased);
  return result;
}
}  // namespace

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
