// SMC^2 [chopin2013; murphy2023, 13.6.6]: the parameters of a state-space model go from the prior to the posterior time by time,
// and the likelihood of each particle theta comes from a particle filter of its own. A time t, N_theta particles of weights W,
// each with a filter of N_x particles and its estimate Z = p(y_1, ..., y_t | theta):
//
//   1  each filter goes on to t:  w = its estimate of p(y_t | y_1, ..., y_{t-1}, theta);  evidence *= sum W w;  W ∝ W w;  Z *= w
//   2  where few are effective, and at the last time: resample theta with its filter; move each num_moves times:
//        theta' ~ N(theta, scale^2 covariance of the particles);  Z' of a new filter of times 1, ..., t at theta'
//        theta', with its filter, with probability min(1, Z' p(theta') / (Z p(theta)))
//
// Weights and moves are exact for every N_x: the filters' random numbers are a part of the drawn state, and the
// posterior of theta is the margin of it.
#include <fmt/format.h>

#include "base/stop.hpp"
#include "infer/core/job.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "infer/pmcmc/filter_moves.hpp"
#include "infer/smc/begin.hpp"
#include "infer/smc/move_crew.hpp"
#include "infer/smc/population_run.hpp"
#include "infer/smc/resampling_schemes.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {

struct Smc2Options {
  FilterMoves filters = {};
  Index num_moves = 3;
  double renew_below = 0.5;

  static void describe(auto& self, auto&& field) {
    FilterMoves::describe(self.filters, field);
    field(self.num_moves, kNumMovesField);
    field(self.renew_below,
          FieldSpec{.name = "renew_below",
                    .help = "resample and move the parameters where their effective particles are "
                            "below this share",
                    .range = {.lo = 0.0, .hi = 1.0}});
  }
};

struct Smc2Info {
  double log_density = 0.0, accept_stat = kNaN, log_likelihood = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.log_likelihood, kLogLikelihoodColumn);
  }
};

// A row of the table of stages.
struct Smc2Stage {
  Index num_times = 0;
  double log_increment = 0.0, log_evidence = 0.0, ess = 1.0;
  bool resampled = false;
  Index num_ancestors = 0, num_moves = 0;
  double accept_stat = kNaN, scale = 1.0;
  Index num_refused = 0;

  static void describe(auto& self, auto&& field) {
    field(self.num_times, FieldSpec{.name = "num_times", .help = "times of the outcomes so far"});
    field(self.log_increment,
          FieldSpec{.name = "log_increment",
                    .help = "log density of the outcome of this time, given those before"});
    field(self.log_evidence,
          FieldSpec{.name = "log_evidence", .help = "log evidence of the times so far"});
    describe_renewal(self, field);
    field(self.num_refused,
          FieldSpec{.name = "num_refused",
                    .help = "parameters that the program refused at this time: draws of the prior, "
                            "particles and proposals"});
  }
};

std::vector<RowGroup> smc2_stages() { return {{"stages", "stage", columns_of<Smc2Stage>()}}; }

// The filter of a particle: its state, and its estimate of the likelihood so far.
struct OwnFilter {
  double log_likelihood = 0.0;
  std::string state = {};

  static void saved(auto& self, auto&& field) {
    field(self.log_likelihood);
    field(self.state);
  }
};

class Smc2 final : public Job {
 public:
  Smc2(RunContext& run_context, Index number_, const Smc2Options& options,
       const density::LogDensity& prior)
      : Job(run_context, number_, columns_of<Smc2Info>()),
        options_(options),
        filter_(options.filters.options()),
        prior_(prior),
        space_(density::state_space_of(run_context.density, "smc2")),
        particles_(run_context.options.num_draws, prior.dimension()),
        filters_(static_cast<std::size_t>(run_context.options.num_draws)),
        acceptance_(filters_.size(), kNaN),
        centre_(static_cast<std::size_t>(prior.dimension()), 0.0),
        metric_(MetricKind::dense, prior.dimension()) {
    filter_.keep_ancestry = false;
  }

  Step<Nothing> begin() override;
  bool is_done() const override { return num_times_ > 0 && time_ == num_times_; }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.time_);
    field(self.num_times_);
    field(self.num_rounds_);
    field(self.particles_);
    field(self.filters_);
    field(self.acceptance_);
    field(self.scale_);
    field(self.centre_);
    field(self.metric_);
    field(self.error_);
    field(self.num_refused_);
    field(self.num_refused_before_);
  }
  Rng stream(std::uint32_t purpose, Index particle, Index iteration) const {
    return particle_stream(context.options, purpose, number, particle, iteration);
  }
  double advance_one(std::span<const double> position, std::uint64_t seed, std::string& state);
  Error none_inside() const;
  Error none_left() const;
  std::vector<double> go_on();
  void resample();
  Step<Nothing> move(Smc2Stage& stage);
  double move_one(Index i, std::span<const double> proposal, double log_prior, Rng& rng);
  void hand_out_all();

  const Smc2Options& options_;
  FilterOptions filter_;
  const density::LogDensity& prior_;
  std::unique_ptr<density::StateSpaceAt> space_;
  Index time_ = 0, num_times_ = 0, num_rounds_ = 0;  // rounds of moves so far
  Particles particles_;                              // whose log densities are those of the prior
  std::vector<OwnFilter> filters_;
  std::vector<double> acceptance_;  // acceptance of the last moves
  double scale_ = 1.0;  // scale of the moves, in units of the best walk on a normal target
  std::vector<double> centre_;
  Metric metric_;
  double error_ = kNaN;                             // error of the log evidence
  Index num_refused_ = 0, num_refused_before_ = 0;  // so far; at the last time
  std::string refusal_;  // the program's last reason for refusing a particle
};

Step<Nothing> Smc2::begin() {
  const StartDistribution distribution{prior_, context.options, number};
  co_await begin_at(distribution, 1.0, particles_.population);
  std::vector<double> inside(filters_.size(), 0.0);  // -infinity if the program refuses it
  for (Index i = 0; i < particles_.size(); ++i) {
    if (particles_.population.log_density(i) == -kInfinity) {
      inside[static_cast<std::size_t>(i)] = -kInfinity;
      ++num_refused_;
    } else if (num_times_ == 0) {
      num_times_ = space_->at(particles_.population.position(i)).num_times();
    }
  }
  if (!particles_.reweight(inside)) throw none_inside();
  co_return Nothing{};
}

// The filter at a point, from its state up to the present time. -infinity where it loses all its particles, or the model
// refuses the parameters.
double Smc2::advance_one(std::span<const double> position, std::uint64_t seed, std::string& state) {
  filter_.seed = seed;
  try {
    return advance_filter(space_->at(position), filter_, time_, state);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    refusal_ = error.what();
    ++num_refused_;
    return -kInfinity;
  }
}

Error Smc2::none_inside() const {
  return Error(ErrorCode::evaluation,
               fmt::format("the program refuses all {} draws from its prior", particles_.size()),
               fmt::format("sampler {}", context.options.sampler),
               "state priors that lie within what the program takes");
}

Error Smc2::none_left() const {
  return Error(ErrorCode::evaluation,
               fmt::format("at time {} no particle has a likelihood{}{}", time_,
                           refusal_.empty() ? "" : "; the last one that was refused: ", refusal_),
               fmt::format("sampler {}", context.options.sampler),
               "use a prior nearer to the data, more --draws, or more --particles");
}

// Advances all particles that have a weight.
std::vector<double> Smc2::go_on() {
  std::vector<double> increments(filters_.size(), -kInfinity);
  ++time_;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const auto k = static_cast<Index>(i);
    if (particles_.log_weights()[i] == -kInfinity) continue;
    const std::uint64_t seed = stream(purpose::kFilter, k, time_).bits();
    increments[i] = advance_one(particles_.population.position(k), seed, filters_[i].state);
    filters_[i].log_likelihood += increments[i];
  }
  return increments;
}

Step<Nothing> Smc2::advance() {
  const double before = particles_.log_evidence();
  if (!particles_.reweight(go_on())) throw none_left();
  Smc2Stage stage{.num_times = time_,
                  .log_increment = particles_.log_evidence() - before,
                  .log_evidence = particles_.log_evidence(),
                  .ess = particles_.ess(),
                  .scale = scale_};
  if (is_done()) error_ = particles_.log_evidence_error();
  stage.resampled = is_done() || stage.ess < options_.renew_below;
  if (stage.resampled) co_await move(stage);
  stage.num_ancestors = particles_.num_ancestors();
  stage.num_refused = num_refused_ - std::exchange(num_refused_before_, num_refused_);
  recorder.row(0, stage);
  if (is_done()) hand_out_all();
  const double share = static_cast<double>(time_) / static_cast<double>(num_times_);
  recorder.done_with(static_cast<Index>(share * static_cast<double>(particles_.size())));
  co_return Nothing{};
}

// Particles with their filters.
void Smc2::resample() {
  const double u = context.stream(purpose::kTransition, number, time_).uniform();
  const std::vector<OwnFilter> before = std::move(filters_);
  filters_.clear();
  for (const Index parent : systematic_parents(particles_.log_weights(), u))
    filters_.push_back(before[static_cast<std::size_t>(parent)]);
  particles_.resample(u);
}

Step<Nothing> Smc2::move(Smc2Stage& stage) {
  standardise(particles_, centre_, metric_);
  resample();
  const auto dimension = static_cast<Index>(centre_.size());
  std::vector<double> noise(centre_.size()), step(centre_.size()), ratios;
  acceptance_.assign(filters_.size(), 0.0);
  for (Index round = 0; round < options_.num_moves; ++round, ++num_rounds_) {
    PopulationState proposals = particles_.population;
    std::vector<Rng> streams;
    for (Index i = 0; i < particles_.size(); ++i) {
      Rng& rng = streams.emplace_back(stream(purpose::kWalker, i, num_rounds_));
      for (double& z : noise) z = scale_ * optimal_walk_scale(dimension) * rng.normal();
      metric_.shape_move(noise, step);
      const std::span<double> to = proposals.position(i);
      for (std::size_t d = 0; d < step.size(); ++d) to[d] += step[d];
    }
    co_await evaluate_along(proposals, 1.0, ratios);
    for (Index i = 0; i < particles_.size(); ++i)
      acceptance_[static_cast<std::size_t>(i)] +=
          move_one(i, proposals.position(i), proposals.log_density(i),
                   streams[static_cast<std::size_t>(i)]) /
          static_cast<double>(options_.num_moves);
  }
  double mean = 0.0;
  for (const double x : acceptance_) mean += x / static_cast<double>(acceptance_.size());
  constexpr double kGain = 2.0;
  scale_ *= numerics::exp(kGain * (mean - optimal_walk_acceptance(dimension)));
  stage.accept_stat = mean;
  stage.num_moves = options_.num_moves;
  co_return Nothing{};
}

// Particle marginal Metropolis-Hastings; returns its probability.
double Smc2::move_one(Index i, std::span<const double> proposal, double log_prior, Rng& rng) {
  const std::uint64_t seed = rng.bits();
  const double u = rng.uniform();
  if (log_prior == -kInfinity) {
    ++num_refused_;
    return 0.0;
  }
  OwnFilter& own = filters_[static_cast<std::size_t>(i)];
  OwnFilter other;
  other.log_likelihood = advance_one(proposal, seed, other.state);
  double& present = particles_.population.log_density(i);
  const double probability =
      metropolis_prob(log_prior + other.log_likelihood - present - own.log_likelihood);
  if (!(u < probability)) return probability;
  std::ranges::copy(proposal, particles_.population.position(i).begin());
  present = log_prior;
  own = std::move(other);
  return probability;
}

void Smc2::hand_out_all() {
  hand_out(particles_, recorder, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    return Smc2Info{.log_density = particles_.population.log_density(i),
                    .accept_stat = acceptance_[k],
                    .log_likelihood = filters_[k].log_likelihood};
  });
}

void Smc2::conclude() {
  recorder.result.tuned = evidence_settings(particles_, error_);
  recorder.result.tuned.push_back({"num_refused", {static_cast<double>(num_refused_)}});
}

void require_parameters_alone(const density::LogDensity& density) {
  if (density::state_space_of(density, "smc2")->state_coordinates().empty()) return;
  throw Error(ErrorCode::usage,
              "smc2 draws parameters, and the states are parameters of the program", "smc2",
              "leave the states and their terms out of the parameters and the model block: the "
              "functions state them (docs/algorithms/particle-mcmc.md)");
}

RunResult run_smc2(const density::LogDensity& density, const SampleOptions& options,
                   DrawSink& sink) {
  const auto own = options_for<Smc2Options>(options.kernel, options.sampler);
  validate(own);
  validate(own.filters.options());
  resampling_scheme(own.filters.resampling);
  require_parameters_alone(density);
  require_particles(density, options);
  const auto prior =
      prior_to_draw(density, options.sampler, "take pmmh, which needs no such prior");
  RunContext context(density, options, 1, sink);
  const auto make = [&](Index number) {
    return std::make_unique<Smc2>(context, number, own, *prior);
  };
  RunResult result = run_populations<Smc2Info>(context, smc2_stages(), make);
  result.evidence_is_normalised = true;
  return result;
}
}  // namespace

extern const SamplerSpec kSmc2;
const SamplerSpec kSmc2 = {
    .name = "smc2",
    .summary =
        "state-space models: parameters from the prior to the posterior time by time, "
        "likelihoods of particle filters; also the log evidence after each time",
    .needs_gradient = false,
    .reference = "chopin2013",
    .biased = false,
    .has_warmup = false,
    .columns = columns_of<Smc2Info>,
    .groups = smc2_stages,
    .options = [] { return KernelOptions(Smc2Options{}); },
    .make = nullptr,
    .run = run_smc2,
    .family = Family::particles,
    .fixed_length = "its draws are particles, which go from the prior to the posterior together",
    .needs_states = true};

}  // namespace credo::infer
