// Sampling: several chains of one sampler on one log density.
//
//   infer::StoredDraws store;
//   const infer::RunResult run = infer::run_chains(density, {.num_chains = 4, .seed = 1}, store);
//   store.draws(s, c, d);   run.chains[0].step_size;   run.divergences
//
// Same seed, same draws, for any number of threads.
#pragma once
#include <atomic>

#include "density/draws.hpp"
#include "density/log_density.hpp"
#include "infer/adapt/options.hpp"
#include "infer/core/kernel_options.hpp"
#include "infer/core/metric_kind.hpp"

namespace credo::infer {

struct Progress {
  Index chain;      // from 0
  Index iteration;  // done so far, warm-up included
  Index num_iterations;
  bool warmup;
  Index num_divergent = 0;  // after warm-up
  double step_size = kNaN;  // of the last transition, where the sampler reports one
};

// Work that is done once, before the chains begin: the fit of an approximation.
struct FitProgress {
  std::string_view unit;  // "iterations", "steps", "climbs"
  Index done = 0, most = 0;
  double bound = kNaN;  // NaN if the work has no bound
};

struct SampleOptions {
  std::string sampler = "nuts";  // a row of the table (infer/core/table.hpp)
  Index num_chains = 4;
  Index num_warmup = 1000;  // per chain, as are the draws
  Index num_draws = 1000;
  Index thin = 1;  // every thin-th transition is kept, the first of each phase included
  bool save_warmup = false;
  std::uint64_t seed = 1;
  Index first_chain = 0;     // number of the first chain: runs of one seed can be split
  Index num_threads = 0;     // 0: as many as the machine has
  double init_radius = 2.0;  // initial values are uniform on (-radius, radius)
  bool init_prior = false;   // drawn from the priors as far as the density has any
  // Unconstrained initial points: none, one for all chains, or one for each. A NaN is drawn.
  std::vector<std::vector<double>> init = {};
  double init_spread = 0.1;  // walkers of an ensemble start at most this far from a given point
  std::string marginal =
      {};  // parameters that are integrated out by Laplace's approximation; empty: none
  std::vector<double> inv_metric = {};  // to start from; empty: the identity. See Metric::inverse
  AdaptOptions adapt = {};
  KernelOptions kernel = {};  // the sampler's own; none: its defaults

  // To resume a run: for each chain the state that a sink received, or empty to begin.
  // Everything else must be as it was; the draws that follow are those of a run without a break.
  std::vector<std::string> states = {};

  const std::atomic<bool>* stop = nullptr;  // set it to end the run; seen inside evaluations, too
  std::function<void(const Progress&)> on_progress = nullptr;  // one call at a time, any thread
  std::function<void(const FitProgress&)> on_fit = nullptr;    // from the thread that began the run
  Index progress_every = 100;     // transitions; 0: only by time. The end of a phase always counts
  double progress_seconds = 0.0;  // of a chain since its last report; 0: only by transitions

  static void describe(auto& self, auto&& field) {
    const auto count = [](double lo, double hi = 1e9) { return Range{.lo = lo, .hi = hi}; };
    field(self.num_chains, FieldSpec{.name = "num_chains",
                                     .help = "chains, each from a point of its own",
                                     .range = count(1, 1e6),
                                     .stan_name = "num_chains",
                                     .option = "--chains"});
    field(self.num_warmup, FieldSpec{.name = "num_warmup",
                                     .help = "warm-up transitions per chain",
                                     .range = count(0),
                                     .stan_name = "num_warmup",
                                     .option = "--warmup"});
    field(self.num_draws, FieldSpec{.name = "num_draws",
                                    .help = "transitions per chain after warm-up",
                                    .range = count(0),
                                    .stan_name = "num_samples",
                                    .option = "--draws"});
    field(self.thin, FieldSpec{.name = "thin",
                               .help = "keep every n-th transition",
                               .range = count(1),
                               .stan_name = "thin",
                               .option = "--thin"});
    field(self.save_warmup, FieldSpec{.name = "save_warmup",
                                      .help = "keep warm-up transitions, too",
                                      .stan_name = "save_warmup",
                                      .option = "--save-warmup"});
    field(self.seed, FieldSpec{.name = "seed",
                               .help = "seed of all random numbers",
                               .range = at_least(0),
                               .stan_name = "seed"});
    field(self.first_chain, FieldSpec{.name = "first_chain",
                                      .help = "number of the first chain",
                                      .range = count(0),
                                      .stan_name = "id"});
    field(self.num_threads,
          FieldSpec{.name = "num_threads",
                    .help = "threads; 0: one for each processor. Never changes a draw or a mode",
                    .range = count(0, 4096),
                    .stan_name = "num_threads",
                    .option = "--threads"});
    field(self.init_radius, FieldSpec{.name = "init_radius",
                                      .help = "initial values are uniform on (-radius, radius)",
                                      .range = {.lo = 0.0, .hi_open = true},
                                      .stan_name = "init"});
    field(self.init_prior, FieldSpec{.name = "init_prior",
                                     .help = "initial values are drawn from the stated priors"});
    field(self.init_spread,
          FieldSpec{.name = "init_spread",
                    .help = "walkers of an ensemble start at most this far from given values",
                    .range = {.lo = 0.0, .hi_open = true}});
    field(self.marginal,
          FieldSpec{.name = "marginal",
                    .help = "parameters, joined by commas, that are integrated out by Laplace's "
                            "approximation with a sparse factor; auto: those that are stated as "
                            "normal effects",
                    .option = "--marginal"});
    field(self.adapt, FieldSpec{.name = "adapt", .help = "warm-up"});
  }
};

bool is_warmup_option(const SampleOptions& options, std::string_view name);
// Sets an option of the sampler, or else of its warm-up, from text. Throws Error(usage) where
// neither has it or can take the value.
void set_option(SampleOptions& options, std::string_view name, std::string_view text);

// One kept transition. The spans live until draw() returns. The walkers of an ensemble are chains
// of draws: walker w of chain c is chain c × num_walkers + w here.
struct DrawRecord {
  Index chain;      // from 0
  Index iteration;  // transition, from 0, warm-up included
  bool warmup;
  std::span<const double> position;  // D unconstrained values
  std::span<const double> info;      // one for each column of the sampler
};

struct Divergence {
  Index chain, iteration;  // as in DrawRecord
  bool warmup;
  std::vector<double> start, end;  // positions: the transition's, and the end of the trajectory
  double energy_error;

  static void saved(auto& self, auto&& field) {
    field(self.chain);
    field(self.iteration);
    field(self.warmup);
    field(self.start);
    field(self.end);
    field(self.energy_error);
  }
};

// Points that were refused, by reason.
struct Refusal {
  std::string reason;       // LogDensity::describe of the first one
  std::int32_t source = 0;  // its Status::source; 0 if loaded from a file
  Index count = 0;
  std::string kind = {};  // the reason, whatever the value was: equal for the same failure

  static void saved(auto& self, auto&& field) {
    field(self.reason);
    field(self.count);
    field(self.kind);
  }
};

// Rows of numbers that an algorithm reports beside its draws: a group of the result, whose
// rows have a name, as a stage of a ladder has.
struct RowGroup {
  std::string_view name, row;
  std::vector<FieldSpec> columns;
};
struct RowRecord {
  Index chain, group;  // chain of the run; group among DrawSink::Sizes::groups
  std::span<const double> values;
};

// A chain between two steps.
struct StateRecord {
  Index chain;      // chain of the run, from 0: not one of an ensemble's walkers
  Index iteration;  // steps done: transitions, of Markov chains
  bool finished;    // it was the last
  std::string_view bytes;
  const struct ChainResult& result;  // so far, as are these
  std::span<const Divergence> divergences;
  std::span<const Refusal> refusals;
};

// Takes the draws. draw() is called in order for each chain, at the same time for different ones.
class DrawSink {
 public:
  virtual ~DrawSink() = default;
  struct Sizes {
    Index num_chains, num_warmup_kept, num_draws_kept, dimension;
    std::span<const FieldSpec> columns;
    std::span<const RowGroup> groups = {};
  };
  virtual void begin(const Sizes&) {}  // once, before the first draw
  virtual void draw(const DrawRecord& record) = 0;
  virtual void row(const RowRecord&) {}  // called like draw()

  // Called after each step, its draws handed over: true if the sink requests the state here,
  // after so many steps of a chain. If so, state() comes next, with what SampleOptions::states takes.
  // Like draw(), in order for each chain, at the same time for different ones; after the last step
  // (`finished`), too.
  virtual bool wants_state(Index /*chain*/, Index /*num_steps*/, bool /*finished*/) {
    return false;
  }
  virtual void state(const StateRecord&) {}
};

// Keeps the draws after warm-up, and those of warm-up apart where they are saved, in memory.
class StoredDraws final : public DrawSink {
 public:
  void begin(const Sizes& sizes) override;
  void draw(const DrawRecord& record) override;

  density::Draws draws, info;                // S × C × D, S × C × number of columns
  density::Draws warmup_draws, warmup_info;  // without rows unless save_warmup
  std::vector<FieldSpec> columns;
  Index num_complete() const;  // draws that every chain has; less than S if interrupted

 private:
  std::vector<Index> num_kept_, num_warmup_kept_;  // by chain
};

// A setting that warm-up tuned, with the value it has for the draws.
struct TunedSetting {
  std::string name;
  std::vector<double> values;

  static void saved(auto& self, auto&& field) {
    field(self.name);
    field(self.values);
  }
};

struct ChainResult {
  double step_size = 0.0;  // Hamiltonian kernels only, after adaptation, like the metric
  MetricKind metric = MetricKind::unit;
  std::vector<double> inv_metric;
  std::vector<TunedSetting> tuned;  // settings of other kernels
  std::vector<double> initial_point;
  Index num_init_tries = 0;
  Index num_kept = 0;                // draws after warm-up, of all walkers
  Index num_divergent = 0;           // transitions after warm-up
  Index num_max_depth = 0;           // transitions after warm-up that used the whole budget
  Index num_evaluations = 0;         // initial points, warm-up, search and draws
  Index num_warmup_evaluations = 0;  // of them, before the first draw
  double warmup_seconds = 0.0, sampling_seconds = 0.0;  // wall time; chains of a group share it

  static void saved(auto& self, auto&& field) {
    field(self.step_size);
    field(self.metric);
    field(self.inv_metric);
    field(self.tuned);
    field(self.initial_point);
    field(self.num_init_tries);
    field(self.num_kept);
    field(self.num_divergent);
    field(self.num_max_depth);
    field(self.num_evaluations);
    field(self.num_warmup_evaluations);
    field(self.warmup_seconds);
  }
};

// For kernels without anything to tune.
struct NoSettings {
  static void saved(auto&, auto&&) {}
};
inline void report_settings(const NoSettings&, ChainResult&) {}

struct RunResult {
  std::string sampler;
  Index num_walkers = 1;  // chains of draws that each chain of the run yields, one after another
  std::vector<ChainResult> chains;
  std::vector<Divergence> divergences;  // the first ones of each chain; warm-up's too
  std::vector<Refusal> refusals;        // most frequent first; initial points included
  std::vector<std::string> warnings;    // of the sampler about its use here, plain sentences
  bool evidence_is_normalised = false;  // the reported log evidence has normalised priors
  bool interrupted = false;             // the stop flag was set before the end
  double seconds = 0.0;
};

// The log evidence that a sampler estimated: for one chain, and for all together, whose evidences are averaged.
// Empty if a chain lacks one.
struct LogEvidence {
  double value = kNaN, error = kNaN;  // standard error, to first order
};
std::optional<LogEvidence> log_evidence(const ChainResult& chain);
std::optional<LogEvidence> log_evidence(const RunResult& result);

// Adds to those of the same kind; the most frequent ones come first.
void add_refusal(RunResult& result, const Refusal& refusal);

// Limits for each chain: fewer if their positions would take more than 4 MiB.
inline constexpr Index kKeptDivergences = 1000, kKeptDivergenceValues = Index{1} << 19;

// Throws Error(usage) for options that make no sense, Error(evaluation) if a chain finds no initial
// point, can't be adapted or meets a fatal status, and what the density or the sink throws. If
// several chains fail, the failure of one of them, the first that is known, is thrown.
RunResult run_chains(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink);

}  // namespace credo::infer
