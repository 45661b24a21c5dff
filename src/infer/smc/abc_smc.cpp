// Approximate Bayesian computation by sequential Monte Carlo: a likelihood that can't be computed is replaced by
// simulations that come near the data [delmoral2012; drovandi2011; murphy2023, 13.6.5]. Particles (theta, y) go through
//
//   pi_t(theta, y) ∝ prior(theta) p(y | theta) 1[d(y, y*) <= eps_t],   eps_1 > eps_2 > ...
//
//   1  eps_t: the distance below which a share `kept` of the particles is; the others die; resample
//   2  move all, until all but a share `unmoved` have moved:
//        theta' ~ N(theta, 2.38² / D covariance of the particles);  y' ~ p(y | theta')
//        (theta', y') with probability min(1, prior(theta') / prior(theta)) 1[d(y', y*) <= eps_t]
//
// The density of y' is in proposal and target, and cancels. Proposals that the prior ratio rejects aren't simulated.
#include <fmt/format.h>

#include "density/simulations.hpp"
#include "infer/core/job.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "infer/smc/begin.hpp"
#include "infer/smc/move_crew.hpp"
#include "infer/smc/population_run.hpp"
#include "infer/smc/resampling_schemes.hpp"
#include "numerics/elementary.hpp"
#include "numerics/order_statistics.hpp"

namespace credo::infer {
namespace {

struct AbcOptions {
  density::SimulatedNames names = {};
  double tolerance = 0.0;
  Index max_simulations = 100'000;
  double least_acceptance = 0.01;
  double kept = 0.5, unmoved = 0.1;
  Index most_moves = 50;

  static void describe(auto& self, auto&& field) {
    field(self.names.distance,
          FieldSpec{.name = "distance",
                    .help = "output of the program that is the distance between its simulation "
                            "and the data"});
    field(self.names.simulated,
          FieldSpec{.name = "simulated",
                    .help = "in the place of distance: outputs that are simulated, with commas "
                            "between them"});
    field(self.names.observed,
          FieldSpec{.name = "observed",
                    .help = "data variables, or outputs, that they are compared with, in the same "
                            "order"});
    field(self.tolerance, FieldSpec{.name = "tolerance",
                                    .help = "distance at which the run ends",
                                    .range = at_least(0.0)});
    field(self.max_simulations,
          FieldSpec{.name = "max_simulations",
                    .help = "the run ends with the stage in which a population has had so many",
                    .range = {.lo = 1.0, .hi = 1e12}});
    field(self.least_acceptance,
          FieldSpec{.name = "least_acceptance",
                    .help = "the run ends with the stage whose moves are accepted less often",
                    .range = {.lo = 0.0, .hi = 1.0}});
    field(self.kept, FieldSpec{.name = "kept",
                               .help = "share of the particles that a step of the distance keeps",
                               .range = between(0.0, 1.0)});
    field(self.unmoved,
          FieldSpec{.name = "unmoved",
                    .help = "share of the particles at which moves of a stage end: so many have "
                            "stayed where they were",
                    .range = {.lo = 0.0, .hi = 1.0, .hi_open = true}});
    field(self.most_moves, FieldSpec{.name = "most_moves",
                                     .help = "most moves of a stage",
                                     .range = {.lo = 1.0, .hi = 1e6}});
  }
};

// Columns of a draw: the prior's density and the distance of the simulation that it was kept for.
struct AbcInfo {
  double log_density = 0.0, accept_stat = kNaN, distance = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.distance,
          FieldSpec{.name = "distance",
                    .help = "between the data and the simulation that the draw was kept for",
                    .range = at_least(0.0)});
  }
};

// A row of the table of stages.
struct AbcStage {
  double epsilon = 0.0;
  Index num_simulations = 0;
  double log_probability = 0.0;
  Index num_ancestors = 0, num_moves = 0;
  double moved = 0.0, accept_stat = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.epsilon,
          FieldSpec{.name = "epsilon", .help = "distance up to which particles live"});
    field(self.num_simulations, FieldSpec{.name = "num_simulations", .help = "so far"});
    field(
        self.log_probability,
        FieldSpec{
            .name = "log_probability",
            .help = "log probability that a simulation at a draw of the prior is within epsilon"});
    field(self.num_ancestors,
          FieldSpec{.name = "num_ancestors", .help = "first particles that have offspring left"});
    field(self.num_moves, FieldSpec{.name = "num_moves", .help = "moves of each particle"});
    field(self.moved, FieldSpec{.name = "moved", .help = "share of the particles that moved"});
    field(self.accept_stat,
          FieldSpec{.name = "accept_stat", .help = "share of the moves that were accepted"});
  }
};

std::vector<RowGroup> abc_stages() { return {{"stages", "stage", columns_of<AbcStage>()}}; }

enum class AbcEnd : std::int32_t { none, tolerance, simulations, acceptance, ties };

double median_of(std::vector<double> x) {
  std::ranges::sort(x);
  return numerics::quantile_of_sorted(x, 0.5);
}

// The median absolute deviation; where more than half of the numbers are the same, the mean one; 1 where all are.
double spread_of(std::vector<double> x) {
  std::erase_if(x, [](double value) { return !std::isfinite(value); });
  if (x.empty()) return 1.0;
  const double middle = median_of(x);
  double mean = 0.0;
  for (double& value : x) {
    value = std::abs(value - middle);
    mean += value / static_cast<double>(x.size());
  }
  const double median = median_of(std::move(x));
  if (median > 0.0) return median;
  return mean > 0.0 ? mean : 1.0;
}

class AbcSmc final : public Job {
 public:
  AbcSmc(RunContext& run_context, Index number_, const AbcOptions& options,
         const density::LogDensity& prior, const density::Simulations& simulations)
      : Job(run_context, number_, columns_of<AbcInfo>()),
        options_(options),
        prior_(prior),
        simulations_(simulations),
        writer_(simulations.make_writer()),
        particles_(run_context.options.num_draws, prior.dimension()),
        distances_(static_cast<std::size_t>(run_context.options.num_draws), kInfinity),
        num_accepted_(distances_.size(), 0),
        centre_(static_cast<std::size_t>(prior.dimension()), 0.0),
        metric_(MetricKind::dense, prior.dimension()) {}

  Step<Nothing> begin() override;
  bool is_done() const override { return end_ != AbcEnd::none; }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.end_);
    field(self.epsilon_);
    field(self.num_simulations_);
    field(self.num_without_distance_);
    field(self.num_rounds_);
    field(self.particles_);
    field(self.distances_);
    field(self.num_accepted_);
    field(self.num_moves_);
    field(self.scales_);
    field(self.centre_);
    field(self.metric_);
  }
  std::vector<density::Simulation> simulate(const PopulationState& at,
                                            std::span<const Index> which);
  double distance_of(const density::Simulation& simulation);
  std::optional<double> next_epsilon() const;
  void keep_near();
  Step<Nothing> move();
  Step<Nothing> move_once();
  double share_moved() const;
  double acceptance() const;
  AbcEnd end_after_stage() const;
  void hand_out_all();

  const AbcOptions& options_;
  const density::LogDensity& prior_;
  const density::Simulations& simulations_;
  std::unique_ptr<density::Writer> writer_;
  AbcEnd end_ = AbcEnd::none;
  double epsilon_ = kInfinity;
  Index num_without_distance_ = 0;  // simulations that were refused, or whose distance is NaN
  Index num_simulations_ = 0, num_rounds_ = 0;  // rounds of simulations so far
  Particles particles_;                         // whose log densities are those of the prior
  std::vector<double> distances_;
  std::vector<Index> num_accepted_;  // moves of each particle in the last stage
  Index num_moves_ = 0;              // of each particle in the last stage
  std::vector<double> scales_;       // of the differences
  std::vector<double> centre_;
  Metric metric_;
};

Step<Nothing> AbcSmc::begin() {
  const StartDistribution distribution{prior_, context.options, number};
  co_await begin_at(distribution, 1.0, particles_.population);
  std::vector<Index> inside;
  for (Index i = 0; i < particles_.size(); ++i)
    if (particles_.population.log_density(i) > -kInfinity) inside.push_back(i);
  const std::vector<density::Simulation> first = simulate(particles_.population, inside);
  for (Index k = 0; k < simulations_.size(); ++k) {
    std::vector<double> differences;
    for (const density::Simulation& one : first)
      differences.push_back(one.differences[static_cast<std::size_t>(k)]);
    scales_.push_back(simulations_.are_distances() ? 1.0 : spread_of(std::move(differences)));
  }
  for (std::size_t k = 0; k < inside.size(); ++k)
    distances_[static_cast<std::size_t>(inside[k])] = distance_of(first[k]);
  co_return Nothing{};
}

// At some of the points, each by a stream of its own.
std::vector<density::Simulation> AbcSmc::simulate(const PopulationState& at,
                                                  std::span<const Index> which) {
  std::vector<density::Simulation> all;
  for (const Index i : which)
    all.push_back(
        {.position = at.position(i),
         .rng = particle_stream(context.options, purpose::kSimulation, number, i, num_rounds_)});
  simulations_.run(*writer_, all);
  ++num_rounds_;
  num_simulations_ += ssize(which);
  return all;
}

// Infinite if the program refused to simulate, or if a difference is NaN.
double AbcSmc::distance_of(const density::Simulation& simulation) {
  double squares = 0.0;
  for (std::size_t k = 0; k < scales_.size(); ++k)
    squares += std::pow(simulation.differences[k] / scales_[k], 2);
  if (std::isnan(squares)) {
    ++num_without_distance_;
    return kInfinity;
  }
  if (!simulations_.are_distances()) return std::sqrt(squares);
  const double found = simulation.differences[0];
  if (found >= 0.0) return found;
  throw Error(ErrorCode::evaluation,
              fmt::format("the distance is {}, and must be at least 0", found),
              simulations_.name_of(0), "let the program compute a distance, such as abs(a - b)");
}

// The distance up to which a share of the particles is, all that tie with it included; where that is no fall, the next one.
// Empty if none is lower.
std::optional<double> AbcSmc::next_epsilon() const {
  std::vector<double> rising = distances_;
  std::ranges::sort(rising);
  auto place =
      static_cast<std::size_t>(std::ceil(options_.kept * static_cast<double>(rising.size())));
  place = std::max<std::size_t>(place, 1) - 1;
  while (place > 0 && !(rising[place] < epsilon_)) --place;
  if (!(rising[place] < epsilon_)) return std::nullopt;
  return std::max(rising[place], options_.tolerance);
}

Step<Nothing> AbcSmc::advance() {
  const std::optional<double> next = next_epsilon();
  if (!next && epsilon_ == kInfinity)
    throw Error(
        ErrorCode::evaluation,
        fmt::format("of {} draws of the prior none could be simulated", particles_.size()),
        fmt::format("sampler {}", context.options.sampler),
        "check the reject statements of the generated quantities: credo sample --sampler exact");
  if (!next) {
    end_ = AbcEnd::ties;
    hand_out_all();
    co_return Nothing{};
  }
  epsilon_ = *next;
  keep_near();
  co_await move();
  recorder.row(0, AbcStage{.epsilon = epsilon_,
                           .num_simulations = num_simulations_,
                           .log_probability = particles_.log_evidence(),
                           .num_ancestors = particles_.num_ancestors(),
                           .num_moves = num_moves_,
                           .moved = share_moved(),
                           .accept_stat = acceptance()});
  end_ = end_after_stage();
  if (is_done()) hand_out_all();
  const double share = std::min(
      1.0, static_cast<double>(num_simulations_) / static_cast<double>(options_.max_simulations));
  recorder.done_with(is_done()
                         ? particles_.size()
                         : static_cast<Index>(share * static_cast<double>(particles_.size())));
  co_return Nothing{};
}

// Those within epsilon, resampled.
void AbcSmc::keep_near() {
  std::vector<double> lives;
  for (const double distance : distances_) lives.push_back(distance <= epsilon_ ? 0.0 : -kInfinity);
  const bool any = particles_.reweight(lives);
  CREDO_ASSERT(any, "a particle is at the distance that was chosen");
  standardise(particles_, centre_, metric_);
  const double u = context.stream(purpose::kTransition, number, num_rounds_).uniform();
  const std::vector<double> before = distances_;
  std::size_t i = 0;
  for (const Index parent : systematic_parents(particles_.log_weights(), u))
    distances_[i++] = before[static_cast<std::size_t>(parent)];
  particles_.resample(u);
}

Step<Nothing> AbcSmc::move() {
  num_accepted_.assign(distances_.size(), 0);
  for (num_moves_ = 0; num_moves_ < options_.most_moves && share_moved() < 1.0 - options_.unmoved;
       ++num_moves_)
    co_await move_once();
  co_return Nothing{};
}

Step<Nothing> AbcSmc::move_once() {
  PopulationState proposals = particles_.population;
  std::vector<double> noise(centre_.size()), step(centre_.size()), ratios, uniform;
  const double scale = optimal_walk_scale(ssize(centre_));
  for (Index i = 0; i < particles_.size(); ++i) {
    Rng rng = particle_stream(context.options, purpose::kWalker, number, i, num_rounds_);
    for (double& z : noise) z = scale * rng.normal();
    metric_.shape_move(noise, step);
    const std::span<double> to = proposals.position(i);
    for (std::size_t d = 0; d < step.size(); ++d) to[d] += step[d];
    uniform.push_back(rng.uniform());
  }
  co_await evaluate_along(proposals, 1.0, ratios);
  std::vector<Index> tried;  // the others are rejected by the prior
  for (Index i = 0; i < particles_.size(); ++i)
    if (uniform[static_cast<std::size_t>(i)] <
        metropolis_prob(proposals.log_density(i) - particles_.population.log_density(i)))
      tried.push_back(i);
  const std::vector<density::Simulation> simulated = simulate(proposals, tried);
  for (std::size_t k = 0; k < tried.size(); ++k) {
    const Index i = tried[k];
    const double distance = distance_of(simulated[k]);
    if (!(distance <= epsilon_)) continue;
    std::ranges::copy(proposals.position(i), particles_.population.position(i).begin());
    particles_.population.log_density(i) = proposals.log_density(i);
    distances_[static_cast<std::size_t>(i)] = distance;
    ++num_accepted_[static_cast<std::size_t>(i)];
  }
  co_return Nothing{};
}

double AbcSmc::share_moved() const {
  const auto moved = std::ranges::count_if(num_accepted_, [](Index count) { return count > 0; });
  return static_cast<double>(moved) / static_cast<double>(num_accepted_.size());
}

double AbcSmc::acceptance() const {
  const Index accepted = std::accumulate(num_accepted_.begin(), num_accepted_.end(), Index{0});
  return static_cast<double>(accepted) / static_cast<double>(num_moves_ * ssize(num_accepted_));
}

AbcEnd AbcSmc::end_after_stage() const {
  if (epsilon_ <= options_.tolerance) return AbcEnd::tolerance;
  if (num_simulations_ >= options_.max_simulations) return AbcEnd::simulations;
  if (acceptance() < options_.least_acceptance) return AbcEnd::acceptance;
  return AbcEnd::none;
}

void AbcSmc::hand_out_all() {
  hand_out(particles_, recorder, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    return AbcInfo{
        .log_density = particles_.population.log_density(i),
        .accept_stat = static_cast<double>(num_accepted_[k]) / static_cast<double>(num_moves_),
        .distance = distances_[k]};
  });
}

void AbcSmc::conclude() {
  recorder.result.tuned = {{"epsilon", {epsilon_}},
                           {"num_simulations", {static_cast<double>(num_simulations_)}},
                           {"log_probability", {particles_.log_evidence()}},
                           {"num_ancestors", {static_cast<double>(particles_.num_ancestors())}},
                           {"ended_by", {static_cast<double>(end_)}}};
  if (num_without_distance_ > 0)
    recorder.result.tuned.push_back(
        {"num_without_distance", {static_cast<double>(num_without_distance_)}});
}

// Sentences on the result, and on why populations ended at their epsilon.
std::vector<std::string> sentences_about(const RunResult& result) {
  constexpr std::array<std::string_view, 5> kReasons{
      "", "the tolerance", "the number of simulations (--max-simulations)",
      "too few accepted moves (--least-acceptance)",
      "distances that tie: none is below that of all particles"};
  double largest = 0.0, num_simulations = 0.0, num_without = 0.0;
  std::array<Index, kReasons.size()> ends{};
  for (const ChainResult& chain : result.chains)
    for (const TunedSetting& setting : chain.tuned) {
      if (setting.name == "epsilon") largest = std::max(largest, setting.values[0]);
      if (setting.name == "num_simulations") num_simulations += setting.values[0];
      if (setting.name == "num_without_distance") num_without += setting.values[0];
      if (setting.name == "ended_by") ++ends.at(static_cast<std::size_t>(setting.values[0]));
    }
  std::vector<std::string> all{fmt::format(
      "the draws are an approximation: they are of the parameters whose simulations come within "
      "epsilon = {:.4g} of the data, not of the posterior given the data; {:.0f} simulations",
      largest, num_simulations)};
  if (num_without > 0.0)
    all.push_back(
        fmt::format("{:.0f} of {:.0f} simulations have no distance: the program refuses them, or a "
                    "compared value is NaN; they count as infinitely far, so that their parameters "
                    "are left out",
                    num_without, num_simulations));
  for (std::size_t k = 1; k < ends.size(); ++k)
    if (ends[k] > 0)
      all.push_back(fmt::format("{} of {} populations ended by {}", ends[k], result.chains.size(),
                                kReasons[k]));
  return all;
}

void require_no_likelihood(const density::LogDensity& density) {
  if (density.num_rows() == 0) return;
  throw Error(ErrorCode::usage, "the model block has a likelihood, and abc_smc uses none",
              "abc_smc",
              "leave the prior alone in the model block, and simulate in the generated quantities "
              "(docs/algorithms/abc.md)");
}

RunResult run_abc_smc(const density::LogDensity& density, const SampleOptions& options,
                      DrawSink& sink) {
  const auto own = options_for<AbcOptions>(options.kernel, options.sampler);
  validate(own);
  require_particles(density, options);
  const density::Simulations simulations(density, own.names, options.sampler);
  require_no_likelihood(density);
  const auto prior = prior_to_draw(density, options.sampler,
                                   "state a prior in the model block that can be drawn from");
  RunContext context(density, options, 1, sink);
  const auto make = [&](Index number) {
    return std::make_unique<AbcSmc>(context, number, own, *prior, simulations);
  };
  RunResult result = run_populations<AbcInfo>(context, abc_stages(), make);
  if (!result.interrupted) result.warnings = sentences_about(result);
  return result;
}
}  // namespace

extern const SamplerSpec kAbcSmc;
const SamplerSpec kAbcSmc = {
    .name = "abc_smc",
    .summary =
        "without a likelihood: sequential Monte Carlo on simulations that come ever nearer to the "
        "data, from the prior",
    .needs_gradient = false,
    .reference = "delmoral2012",
    .biased = true,
    .has_warmup = false,
    .columns = columns_of<AbcInfo>,
    .groups = abc_stages,
    .options = [] { return KernelOptions(AbcOptions{}); },
    .make = nullptr,
    .run = run_abc_smc,
    .family = Family::particles,
    .fixed_length = "its draws are particles, which go from the prior towards the data together",
    .needs_simulations = true};

}  // namespace credo::infer
