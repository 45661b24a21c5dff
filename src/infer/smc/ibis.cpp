// Iterated batch importance sampling: a population goes from the prior to the posterior row by row of the data
// [chopin2002; murphy2023, alg. 23]. A stage, n rows so far:
//
//   w_i = p(rows n + 1 ... n + block_rows | x_i);  W_i ∝ W_i w_i;  evidence *= Σ W_i w_i
//   where few particles are effective, and at the last row:
//     resample; move each particle by a kernel that leaves the posterior of the rows so far invariant
//
// With a core set of M rows, moves of stages with n > M leave another distribution invariant: prior · Π_j p(row_j |
// x)^v_j, whose M rows and weights v are chosen by the particles [murphy2023, 13.6.3; campbell2018]
// (infer/smc/core_set.hpp).
//
// Particles that don't move keep the log likelihoods of all rows, so that a row that nobody moves at costs nothing.
#include <fmt/format.h>

#include "density/rows_path.hpp"
#include "infer/core/job.hpp"
#include "infer/core/needs.hpp"
#include "infer/core/table.hpp"
#include "infer/smc/begin.hpp"
#include "infer/smc/core_set.hpp"
#include "infer/smc/move_crew.hpp"
#include "infer/smc/population_run.hpp"
#include "infer/smc/resampling_schemes.hpp"

namespace credo::infer {
namespace {

struct IbisOptions {
  Index block_rows = 1;
  ChosenRow mover = {};
  Index num_moves = 3;
  double resample_below = 0.5, move_accept = 0.0;
  MetricKind move_metric = MetricKind::diagonal;
  double move_until = 1.0;
  Index most_moves = 300;
  Index core_set = 0;

  static void describe(auto& self, auto&& field) {
    field(self.block_rows, FieldSpec{.name = "block_rows",
                                     .help = "rows of the likelihood that a stage adds",
                                     .range = {.lo = 1.0, .hi = 1e9}});
    field(self.mover, kMoverField);
    field(self.num_moves, kNumMovesField);
    field(self.resample_below,
          FieldSpec{.name = "resample_below",
                    .help = "resample and move where the effective particles are below this share",
                    .range = {.lo = 0.0, .hi = 1.0}});
    field(self.move_accept, kMoveAcceptField);
    field(self.move_metric, kMoveMetricField);
    field(self.move_until, kMoveUntilField);
    field(self.most_moves, kMostMovesField);
    field(self.core_set,
          FieldSpec{.name = "core_set",
                    .help = "moves know at most so many rows, chosen and weighted so that they "
                            "are near to all: an approximation; 0: moves know all rows",
                    .range = {.lo = 0.0, .hi = 1e6}});
  }
  SmcOptions of_moves() const {
    return {.mover = mover,
            .num_moves = num_moves,
            .move_accept = move_accept,
            .move_metric = move_metric,
            .move_until = move_until,
            .most_moves = most_moves};
  }
};

// A row of the table of stages.
struct IbisStage {
  Index num_rows = 0;
  double log_increment = 0.0, log_evidence = 0.0, ess = 1.0;
  bool resampled = false;
  Index num_ancestors = 0, num_moves = 0;
  double accept_stat = kNaN, scale = 1.0;
  Index num_core_rows = 0;

  static void describe(auto& self, auto&& field) {
    field(self.num_rows, FieldSpec{.name = "num_rows", .help = "rows of the likelihood so far"});
    field(self.log_increment,
          FieldSpec{.name = "log_increment",
                    .help = "log density of the rows of this stage, given those before"});
    field(self.log_evidence,
          FieldSpec{.name = "log_evidence", .help = "log evidence of the rows so far"});
    describe_renewal(self, field);
    field(self.num_core_rows,
          FieldSpec{.name = "num_core_rows",
                    .help = "rows of the core set that the moves knew; 0: they knew all rows"});
  }
};

std::vector<RowGroup> ibis_stages() { return {{"stages", "stage", columns_of<IbisStage>()}}; }

class Ibis final : public Job {
 public:
  Ibis(RunContext& run_context, Index number_, const IbisOptions& options,
       const density::LogDensity& prior)
      : Job(run_context, number_, columns_of<SmcInfo>()),
        options_(options),
        of_moves_(options.of_moves()),
        prior_(prior),
        total_rows_(run_context.density.num_rows()),
        particles_(run_context.options.num_draws, prior.dimension()),
        crew_(run_context, of_moves_) {}

  Step<Nothing> begin() override;
  bool is_done() const override { return num_rows_ == total_rows_; }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.num_rows_);
    field(self.num_stages_);
    field(self.particles_);
    field(self.rows_);
    field(self.error_);
    field(self.crew_);
  }
  Step<Nothing> ask_rows();
  Step<Nothing> add_constant();
  Step<Nothing> move(IbisStage& stage);
  CoreSet choose_core_set() const;
  std::vector<double> increments(Index last) const;
  std::span<double> rows_of(std::size_t particle) {
    const auto count = static_cast<std::size_t>(total_rows_);
    return std::span(rows_).subspan(particle * count, count);
  }

  const IbisOptions& options_;
  const SmcOptions of_moves_;
  const density::LogDensity& prior_;
  Index total_rows_, num_rows_ = 0, num_stages_ = 0;
  Particles particles_;
  std::vector<double> rows_;  // log likelihoods, particle by particle; empty until requested
  double error_ = kNaN;       // standard error of the log evidence
  MoveCrew crew_;
};

Step<Nothing> Ibis::begin() {
  const StartDistribution distribution{prior_, context.options, number};
  co_await begin_at(distribution, 0.0, particles_.population);
  co_await ask_rows();
  co_await add_constant();
  co_return Nothing{};
}

// Requests the rows of all particles; a point that the program refuses has no likelihood.
Step<Nothing> Ibis::ask_rows() {
  const auto count = static_cast<std::size_t>(particles_.size());
  rows_.assign(count * static_cast<std::size_t>(total_rows_), -kInfinity);
  std::vector<density::Request> requests(count);
  std::vector<density::Request*> batch;
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].position = particles_.population.position(static_cast<Index>(i));
    requests[i].pointwise = rows_of(i);
    batch.push_back(&requests[i]);
  }
  co_await evaluate_all(density::Want::pointwise, std::span<density::Request* const>(batch));
  for (std::size_t i = 0; i < count; ++i)
    for (double& row : rows_of(i))
      if (!requests[i].status.ok() || std::isnan(row)) row = -kInfinity;
  co_return Nothing{};
}

// Terms of the likelihood outside its rows belong to the evidence if they are constant. If they vary between points,
// the rows aren't those of the likelihood.
Step<Nothing> Ibis::add_constant() {
  PopulationState whole = particles_.population;
  std::vector<double> ratios;
  co_await evaluate_along(whole, static_cast<double>(total_rows_), ratios);
  constexpr double kSumRounding = 1e-8;  // rounding of sums of many rows, relative to their sizes
  double constant = kNaN;
  for (Index i = 0; i < particles_.size(); ++i) {
    double rows = 0.0, sizes = 1.0;
    for (const double row : rows_of(static_cast<std::size_t>(i)))
      rows += row, sizes += std::abs(row);
    const double prior = particles_.population.log_density(i), all = whole.log_density(i);
    if (!std::isfinite(rows) || !std::isfinite(all) || !std::isfinite(prior)) continue;
    const double rest = all - prior - rows;
    if (std::isnan(constant)) constant = rest;
    if (std::abs(rest - constant) <= kSumRounding * (sizes + std::abs(prior))) continue;
    throw Error(ErrorCode::program,
                fmt::format("the rows of the likelihood don't add up to it: it has {} more at one "
                            "draw of the prior, {} more at another",
                            constant, rest),
                fmt::format("sampler {}", context.options.sampler),
                "log_lik must have the log likelihood of each row, constants included");
  }
  if (std::abs(constant) > 0.0 && !particles_.reweight(std::vector<double>(
                                      static_cast<std::size_t>(particles_.size()), constant)))
    throw no_likelihood(context.options, 1);
  co_return Nothing{};
}

std::vector<double> Ibis::increments(Index last) const {
  std::vector<double> all(static_cast<std::size_t>(particles_.size()), 0.0);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (Index row = num_rows_; row < last; ++row)
      all[i] += rows_[i * static_cast<std::size_t>(total_rows_) + static_cast<std::size_t>(row)];
  return all;
}

Step<Nothing> Ibis::advance() {
  if (rows_.empty()) co_await ask_rows();
  const double before = particles_.log_evidence();
  const Index last = std::min(total_rows_, num_rows_ + options_.block_rows);
  if (!particles_.reweight(increments(last))) throw no_likelihood(context.options, 1);
  num_rows_ = last;
  IbisStage stage{.num_rows = num_rows_,
                  .log_increment = particles_.log_evidence() - before,
                  .log_evidence = particles_.log_evidence(),
                  .ess = particles_.ess(),
                  .scale = crew_.scale()};
  if (is_done()) error_ = particles_.log_evidence_error();
  stage.resampled = is_done() || stage.ess < options_.resample_below;
  if (stage.resampled) co_await move(stage);
  stage.num_ancestors = particles_.num_ancestors();
  recorder.row(0, stage);
  ++num_stages_;
  if (is_done())
    hand_out(particles_, recorder, [&](Index i) { return crew_.info_of(particles_, i); });
  const double share = static_cast<double>(num_rows_) / static_cast<double>(total_rows_);
  recorder.done_with(static_cast<Index>(share * static_cast<double>(particles_.size())));
  co_return Nothing{};
}

Step<Nothing> Ibis::move(IbisStage& stage) {
  const double place = static_cast<double>(num_rows_);
  std::vector<double> ratios, rows;
  if (options_.core_set > 0 && num_rows_ > options_.core_set) {
    const CoreSet chosen = choose_core_set();
    stage.num_core_rows = ssize(chosen.rows);
    rows = chosen.as_request();
  }
  crew_.standardise(particles_);
  particles_.resample(context.stream(purpose::kTransition, number, num_stages_).uniform());
  rows_.clear();
  co_await evaluate_along(particles_.population, place, ratios, {}, rows);
  co_await crew_.move(particles_.population, number, num_stages_, place, rows);
  co_await evaluate_along(particles_.population, place, ratios, {}, rows);
  stage.accept_stat = crew_.mean_acceptance();
  stage.num_moves = crew_.num_moves();
  crew_.tune_scale();
  co_return Nothing{};
}

// A core set of the rows so far, by some of the particles, which stand for all.
CoreSet Ibis::choose_core_set() const {
  constexpr Index kMostPoints = 200;
  constexpr double kMiddle = 0.5;
  const auto points = systematic_parents(particles_.log_weights(), kMiddle,
                                         std::min(kMostPoints, particles_.size()));
  std::vector<double> by_row;
  for (Index row = 0; row < num_rows_; ++row)
    for (const Index i : points)
      by_row.push_back(rows_[static_cast<std::size_t>(i * total_rows_ + row)]);
  return core_set_of(by_row, num_rows_, options_.core_set);
}

void Ibis::conclude() { recorder.result.tuned = evidence_settings(particles_, error_); }

RunResult run_ibis(const density::LogDensity& density, const SampleOptions& options,
                   DrawSink& sink) {
  constexpr const char* kWayOut =
      "--sampler smc --from normal goes from a normal reference to the posterior";
  const auto own = options_for<IbisOptions>(options.kernel, options.sampler);
  validate(own);
  require_needs(own);
  require_particles(density, options);
  if (const density::Capability can = density::can_leave_rows(density); !can.can)
    throw Error(ErrorCode::usage, "the rows of the likelihood aren't known: " + can.reason,
                can.where.empty() ? "sampler ibis" : can.where, can.hint);
  if (const density::Capability can =
          own.core_set > 0 ? density::can_weigh_rows(density) : density::Capability{};
      !can.can)
    throw Error(ErrorCode::usage, "the rows of the likelihood can't be weighted: " + can.reason,
                can.where.empty() ? "core_set" : can.where,
                can.hint.empty() ? "leave --core-set out" : can.hint);
  const auto prior = prior_to_draw(density, options.sampler, kWayOut);
  const density::RowsPath path(*prior, density);
  RunContext context(path, options, 1, sink);
  const auto make = [&](Index number) {
    return std::make_unique<Ibis>(context, number, own, *prior);
  };
  RunResult result = run_populations<SmcInfo>(context, ibis_stages(), make);
  result.evidence_is_normalised = true;
  if (auto biased = biased_mover(own.of_moves(), path.has_gradient()))
    result.warnings.push_back(*biased);
  if (own.core_set > 0 && own.core_set < density.num_rows())
    result.warnings.push_back(fmt::format(
        "the draws and the evidence are an approximation: moves know at most {} of {} rows, as a "
        "core set with weights",
        own.core_set, density.num_rows()));
  return result;
}
}  // namespace

extern const SamplerSpec kIbis;
const SamplerSpec kIbis = {
    .name = "ibis",
    .summary =
        "sequential Monte Carlo row by row of the data, from the prior; also the log evidence "
        "after each row",
    .needs_gradient = false,
    .reference = "chopin2002",
    .biased = false,
    .has_warmup = false,
    .columns = columns_of<SmcInfo>,
    .groups = ibis_stages,
    .options = [] { return KernelOptions(IbisOptions{}); },
    .make = nullptr,
    .run = run_ibis,
    .family = Family::particles,
    .fixed_length = "its draws are particles, which go from the prior to the posterior together",
    .needs_rows = true};

}  // namespace credo::infer
