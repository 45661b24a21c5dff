// The context that the chains of a run share, and the recorder of each chain's draws.
#pragma once
#include <mutex>

#include "infer/core/initialise.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {
class RankSink;

struct RunContext {
  // `walkers`: chains of draws that each chain yields.
  RunContext(const density::LogDensity&, const SampleOptions&, Index walkers, DrawSink&);
  ~RunContext();
  bool adapts() const;
  Index num_iterations() const { return options.num_warmup + options.num_draws; }
  // Options for point `point` of `num_points` of a chain.
  InitOptions init_of(Index chain, Index point = 0, Index num_points = 1) const;
  Rng stream(std::uint32_t purpose, Index chain, Index iteration) const;
  std::string_view state_of(Index chain) const;  // to resume from; empty: a new run
  void begin_sink(std::span<const FieldSpec> columns, std::span<const RowGroup> groups = {}) const;
  void report(const Progress& progress);

  const density::LogDensity& density;
  const SampleOptions& options;
  const Index num_walkers;
  std::unique_ptr<RankSink>
      rank_sink;  // on a rank other than 0, in place of the sink that is given
  DrawSink& sink;
  std::vector<std::string> rank_states;  // there: in place of the states of the options
  const double start_seconds;            // of a steady clock
  std::mutex reporting;
};

// Throws Error(usage) if a metric is given, for a sampler or a composition without one.
void require_no_metric(const SampleOptions& options);

double clock_seconds();

// Takes the output of one chain.
class ChainRecorder {
 public:
  ChainRecorder(RunContext& context, Index chain, std::span<const FieldSpec> columns);
  // The chain's number of evaluations so far, wherever it is counted.
  void watch(const Index& num_evaluations) { num_evaluations_ = &num_evaluations; }

  ChainResult& warmup_done();            // also without a warm-up; the settings go into the result
  void before(const PointState& state);  // each transition of a kernel that can diverge
  std::span<double> columns() { return columns_; }
  void count_divergence(Index iteration);  // if its end isn't known
  void divergence(Index iteration, std::span<const double> end, double energy_error);
  bool is_kept(Index iteration) const;
  // Hands the columns and a position to the sink if the transition is kept.
  void keep(Index iteration, Index walker, std::span<const double> position);
  // A row of a group of the run's own (DrawSink::Sizes::groups).
  void row(Index group, std::span<const double> values);
  template <Described Row>
  void row(Index group, const Row& values) {
    std::vector<double> numbers(columns_of<Row>().size());
    write_columns(values, numbers);
    row(group, std::span<const double>(numbers));
  }
  void done_with(Index num_done);  // out of num_iterations(), to report progress
  void done() { result.sampling_seconds = clock_seconds() - phase_start_; }

  // True if the sink requests the state after so many steps; state() hands it over.
  bool wants_state(Index num_steps, bool finished) const {
    return context_.sink.wants_state(chain_, num_steps, finished);
  }
  void state(Index num_steps, bool finished, std::string_view bytes,
             std::span<const Refusal> refusals);

  ChainResult result;
  std::vector<Divergence> divergences;

  // When a chain is resumed, the interrupted phase counts from there.
  static void saved(auto& self, auto&& field) {
    field(self.result);
    field(self.divergences);
  }

 private:
  bool report_is_due(Index num_done);

  RunContext& context_;
  Index chain_;
  double phase_start_, last_report_, last_look_;
  Index num_unseen_ = 0, look_every_ = 1;  // transitions since, and between, readings of the clock
  std::optional<std::size_t> step_size_column_;
  const Index* num_evaluations_ = nullptr;
  std::vector<double> start_, columns_;
};

// The options of a kernel: given ones or the defaults. Throws Error(usage) for those of another
// sampler.
Error wrong_kernel_options(std::string_view sampler);
template <Described Options>
Options options_for(const KernelOptions& options, std::string_view sampler) {
  if (options.empty()) return {};
  if (const Options* given = options.as<Options>()) return *given;
  throw wrong_kernel_options(sampler);
}

}  // namespace credo::infer
