// One step of a population (a stage), as in [murphy2023, alg. 22]:
//
//   λ' > λ such that reweighting keeps a share of the effective particles
//   w_i = likelihood(x_i)^(λ' - λ);  W_i ∝ W_i w_i;  evidence *= Σ W_i w_i
//   resample where few particles are effective, and at λ' = 1
//   move each particle by a kernel that leaves prior · likelihood^λ' invariant
//
// The kernel sees a particle x as the origin of coordinates z in which the population is standardised,
// x' = x + s L z with L Lᵀ the particles' covariance, so that any kernel with its default settings fits; s
// follows the acceptance.
#include "infer/smc/tempered_smc.hpp"

#include "density/path_density.hpp"
#include "infer/job.hpp"
#include "infer/mcmc/exact.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/smc/move_crew.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/start.hpp"
#include "infer/table.hpp"

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
  Step<Nothing> look() { return evaluate_along(particles_.population, power_, log_likelihoods_); }
  void tell(const SmcStage& stage);
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

// A particle that the program refuses has no likelihood, and counts: the evidence is that of the priors as
// they are stated.
Step<Nothing> TemperedSmc::begin() {
  const auto draws = from_.make_exact_draws();
  std::vector<double> drawn_from;
  for (Index i = 0; i < particles_.size(); ++i) {
    Rng rng = crew_.stream(purpose::kInitialPoint, number, i, 0);
    const density::Start start = draw_exactly(*draws, rng);
    std::ranges::copy(start.position, particles_.population.position(i).begin());
    drawn_from.push_back(start.log_density);
  }
  co_await look();
  for (std::size_t i = 0; i < drawn_from.size(); ++i)
    if (particles_.population.log_densities[i] > -kInfinity)
      require_same_density(drawn_from[i], particles_.population.log_densities[i], "smc");
  co_return Nothing{};
}

Step<Nothing> TemperedSmc::advance() {
  SmcStage stage;
  const double power = next_power(stage);
  if (!particles_.reweight(to_the_power(power - power_))) throw no_likelihood();
  power_ = power;
  stage.ess = particles_.ess();
  if (is_done()) error_ = particles_.log_evidence_error();
  stage.resampled = is_done() || stage.ess < options_.resample_below;
  crew_.standardise(particles_);
  if (stage.resampled)
    particles_.resample(context.stream(purpose::kTransition, number, num_stages_).uniform());
  co_await look();
  co_await crew_.move(particles_.population, number, num_stages_++, power_);
  co_await look();
  tell(stage);
  crew_.tune_scale();
  if (is_done()) hand_out();
  recorder.done_with(static_cast<Index>(power_ * static_cast<double>(particles_.size())));
  co_return Nothing{};
}

// 0 stays 0.
std::vector<double> TemperedSmc::to_the_power(double power) const {
  std::vector<double> all = log_likelihoods_;
  for (double& x : all) x = x == -kInfinity ? x : power * x;
  return all;
}

// The furthest that keeps enough effective particles.
double TemperedSmc::next_power(SmcStage& stage) const {
  const auto kept = [&](double step) {
    return conditional_ess(particles_.log_weights(), to_the_power(step));
  };
  const double step = largest_step(1.0 - power_, options_.conditional_ess, kept);
  stage.conditional_ess = kept(step);
  if (stage.conditional_ess == 0.0) throw no_likelihood();
  const double next = step == 1.0 - power_ ? 1.0 : power_ + step;
  if (!(next > power_)) throw no_step(power_);
  return next;
}

void TemperedSmc::tell(const SmcStage& before_moves) {
  SmcStage stage = before_moves;
  stage.inverse_temperature = power_;
  stage.log_evidence = particles_.log_evidence();
  stage.num_ancestors = particles_.num_ancestors();
  stage.accept_stat = crew_.mean_acceptance();
  stage.scale = crew_.scale();
  stage.num_divergent = crew_.num_divergent();
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
                           {"log_evidence_error", {error_}}};
}

RunResult run_smc(const density::LogDensity& density, const SampleOptions& options,
                  DrawSink& sink) {
  const auto own = options_for<SmcOptions>(options.kernel, options.sampler);
  validate(own);
  require_particles(density, options);
  const auto from = start_of_path(density, own.from, own.reference_sd, "smc");
  const density::PathDensity path(*from, density);
  RunContext context(path, options, 1, sink);
  std::vector<std::unique_ptr<Job>> populations;
  for (Index c = 0; c < options.num_chains; ++c)
    populations.push_back(std::make_unique<TemperedSmc>(context, c, own, *from));
  const std::vector<RowGroup> groups = stages();
  context.begin_sink(columns_of<SmcInfo>(), groups);
  RunResult result = run_jobs(context, populations);
  result.evidence_is_normalised = own.from == PathStart::prior;
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
    .family = Family::particles};

}  // namespace credo::infer
