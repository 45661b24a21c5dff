#include "infer/core/recorder.hpp"

#include <chrono>

#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "infer/core/rank_sink.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"

namespace credo::infer {
namespace {
void check_init(const SampleOptions& options, Index dimension) {
  const Index count = ssize(options.init);
  if (count > 1 && count != options.num_chains)
    throw Error(ErrorCode::usage,
                fmt::format("{} initial points for {} chains", count, options.num_chains), "init",
                "give one for all chains or one for each");
  for (const std::vector<double>& point : options.init)
    if (ssize(point) != dimension)
      throw Error(
          ErrorCode::usage,
          fmt::format("an initial point has {} values, must have {}", point.size(), dimension),
          "init");
}

void check_states(const SampleOptions& options) {
  if (!options.states.empty() && ssize(options.states) != options.num_chains)
    throw Error(ErrorCode::usage,
                fmt::format("{} states for {} chains", options.states.size(), options.num_chains),
                "states", "give one for each chain, an empty one where it hasn't begun");
}

// Each has two positions.
Index num_divergences_kept(Index dimension) {
  return std::clamp(kKeptDivergenceValues / std::max<Index>(1, 2 * dimension), Index{1},
                    kKeptDivergences);
}

Index num_kept(Index num_iterations, Index thin) { return (num_iterations + thin - 1) / thin; }

std::unique_ptr<RankSink> sink_of_rank(const SampleOptions& options, Index walkers) {
  Ranks* const ranks = current_ranks();
  if (ranks == nullptr || ranks->rank() == 0) return nullptr;
  return std::make_unique<RankSink>(*ranks, options, walkers);
}
}  // namespace

RunContext::RunContext(const density::LogDensity& density_, const SampleOptions& options_,
                       Index walkers, DrawSink& sink_)
    : density(density_),
      options(options_),
      num_walkers(walkers),
      rank_sink(sink_of_rank(options_, walkers)),
      sink(rank_sink ? *rank_sink : sink_),
      start_seconds(clock_seconds()) {
  validate(options);
  check_init(options, density.dimension());
  check_states(options);
}

RunContext::~RunContext() = default;

// A density without parameters needs no adaptation.
bool RunContext::adapts() const {
  return options.adapt.engaged && options.num_warmup > 0 && density.dimension() > 0;
}

InitOptions RunContext::init_of(Index chain, Index point, Index num_points) const {
  InitOptions init{.radius = options.init_radius,
                   .from_prior = options.init_prior && options.init.empty(),
                   .given = {},
                   .discrete = density.discrete_block(),
                   .seed = options.seed,
                   .chain = (options.first_chain + chain) * num_points + point};
  if (num_points > 1) init.spread = options.init_spread;
  if (ssize(options.init) == 1) init.given = options.init.front();
  if (ssize(options.init) > 1) init.given = options.init[static_cast<std::size_t>(chain)];
  return init;
}

Rng RunContext::stream(std::uint32_t purpose, Index chain, Index iteration) const {
  return Rng({.seed = options.seed,
              .purpose = purpose,
              .chain = static_cast<std::uint32_t>(options.first_chain + chain),
              .iteration = static_cast<std::uint32_t>(iteration)});
}

std::string_view RunContext::state_of(Index chain) const {
  const std::vector<std::string>& states = rank_states.empty() ? options.states : rank_states;
  return states.empty() ? std::string_view{} : states[static_cast<std::size_t>(chain)];
}

void RunContext::begin_sink(std::span<const FieldSpec> columns,
                            std::span<const RowGroup> groups) const {
  const Index warmup = options.save_warmup ? num_kept(options.num_warmup, options.thin) : 0;
  sink.begin({.num_chains = options.num_chains * num_walkers,
              .num_warmup_kept = warmup,
              .num_draws_kept = num_kept(options.num_draws, options.thin),
              .dimension = density.dimension(),
              .columns = columns,
              .groups = groups});
}

void RunContext::report(const Progress& progress) {
  const std::lock_guard lock(reporting);
  if (rank_sink) return rank_sink->progress(progress);
  options.on_progress(progress);
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ChainRecorder::ChainRecorder(RunContext& context, Index chain, std::span<const FieldSpec> columns)
    : context_(context),
      chain_(chain),
      phase_start_(clock_seconds()),
      last_report_(phase_start_),
      last_look_(phase_start_),
      start_(static_cast<std::size_t>(context.density.dimension())),
      columns_(columns.size()) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].name == "step_size") step_size_column_ = k;
}

ChainResult& ChainRecorder::warmup_done() {
  const double now = clock_seconds();
  result.warmup_seconds = now - phase_start_;
  phase_start_ = now;
  if (num_evaluations_) result.num_warmup_evaluations = *num_evaluations_;
  return result;
}

void ChainRecorder::before(const PointState& state) {
  std::copy(state.position.begin(), state.position.end(), start_.begin());
}

void ChainRecorder::count_divergence(Index iteration) {
  if (iteration >= context_.options.num_warmup) ++result.num_divergent;
}

void ChainRecorder::divergence(Index iteration, std::span<const double> end, double energy_error) {
  const bool warmup = iteration < context_.options.num_warmup;
  count_divergence(iteration);
  if (ssize(divergences) >= num_divergences_kept(ssize(end))) return;
  divergences.push_back({.chain = chain_,
                         .iteration = iteration,
                         .warmup = warmup,
                         .start = start_,
                         .end = {end.begin(), end.end()},
                         .energy_error = energy_error});
}

void ChainRecorder::keep(Index iteration, Index walker, std::span<const double> position) {
  if (!is_kept(iteration)) return;
  const bool warmup = iteration < context_.options.num_warmup;
  context_.sink.draw({.chain = chain_ * context_.num_walkers + walker,
                      .iteration = iteration,
                      .warmup = warmup,
                      .position = position,
                      .info = columns_});
  if (!warmup) ++result.num_kept;
}

void ChainRecorder::row(Index group, std::span<const double> values) {
  context_.sink.row({.chain = chain_, .group = group, .values = values});
}

void ChainRecorder::state(Index num_steps, bool finished, std::string_view bytes,
                          std::span<const Refusal> refusals) {
  if (num_evaluations_) result.num_evaluations = *num_evaluations_;
  context_.sink.state({.chain = chain_,
                       .iteration = num_steps,
                       .finished = finished,
                       .bytes = bytes,
                       .result = result,
                       .divergences = divergences,
                       .refusals = refusals});
}

void ChainRecorder::done_with(Index num_done) {
  if (!context_.options.on_progress || !report_is_due(num_done)) return;
  context_.report({.chain = chain_,
                   .iteration = num_done,
                   .num_iterations = context_.num_iterations(),
                   .warmup = num_done <= context_.options.num_warmup,
                   .num_divergent = result.num_divergent,
                   .step_size = step_size_column_ ? columns_[*step_size_column_] : kNaN});
}

// The clock is read after every transition, or, if they are short, after a few together.
bool ChainRecorder::report_is_due(Index num_done) {
  constexpr double kShort = 1e-3;  // seconds between two looks
  constexpr Index kMost = 64;
  const SampleOptions& options = context_.options;
  if (num_done == context_.num_iterations() || num_done == options.num_warmup) return true;
  if (options.progress_every > 0 && num_done % options.progress_every == 0) return true;
  if (options.progress_seconds <= 0.0 || ++num_unseen_ < look_every_) return false;
  const double now = clock_seconds();
  look_every_ = now - last_look_ < kShort ? std::min(2 * look_every_, kMost) : 1;
  num_unseen_ = 0;
  last_look_ = now;
  if (now - last_report_ < options.progress_seconds) return false;
  last_report_ = now;
  return true;
}

bool ChainRecorder::is_kept(Index iteration) const {
  const SampleOptions& options = context_.options;
  if (iteration < options.num_warmup) return options.save_warmup && iteration % options.thin == 0;
  return (iteration - options.num_warmup) % options.thin == 0;
}

Error wrong_kernel_options(std::string_view sampler) {
  return Error(ErrorCode::usage, fmt::format("the options given are not those of '{}'", sampler),
               "kernel", "give the sampler's own, or none");
}

void start_metric(Metric& metric, const SampleOptions& options) {
  if (options.inv_metric.empty() || metric.set_inverse(options.inv_metric)) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("the inverse metric of {} values does not fit: {} takes {} finite values "
                  "that are positive (definite)",
                  options.inv_metric.size(), kMetricNames[static_cast<std::size_t>(metric.kind())],
                  metric.inverse().size()),
      "inv_metric");
}

void require_no_metric(const SampleOptions& options) {
  if (options.inv_metric.empty()) return;
  throw Error(ErrorCode::usage, "this run of " + options.sampler + " has no metric to start from",
              "inv_metric",
              "leave it out (beside --like: --inv-metric ''), or use a Hamiltonian sampler on "
              "parameters that are all continuous");
}

void add_refusal(RunResult& result, const Refusal& refusal) {
  std::vector<Refusal>& all = result.refusals;
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const Refusal& r) { return r.kind == refusal.kind; });
  if (known != all.end())
    known->count += refusal.count;
  else
    all.push_back(refusal);
  std::stable_sort(all.begin(), all.end(),
                   [](const Refusal& a, const Refusal& b) { return a.count > b.count; });
}

}  // namespace credo::infer
