// The run of one chain, for every Hamiltonian kernel: initial point, warm-up, draws.
//
// A kernel has Options, State, Info; settings (step size and metric); step(State&, Rng&) →
// Step<Info>; divergence_end(), divergence_error() of its last transition; hit_max_depth(Info).
// Included by the kernels' source files, for their rows.
#pragma once
#include <mutex>

#include "infer/adapt/step_size_search.hpp"
#include "infer/adapt/warmup.hpp"
#include "infer/group.hpp"
#include "infer/initialise.hpp"
#include "infer/sample.hpp"

namespace credo::infer {

// What the chains of a run share.
struct RunContext {
  RunContext(const density::LogDensity&, const SampleOptions&, DrawSink&);
  bool adapts() const;
  Index num_iterations() const { return options.num_warmup + options.num_draws; }
  InitOptions init_of(Index chain) const;
  Rng stream(std::uint32_t purpose, Index chain, Index iteration) const;
  void begin_sink(std::span<const FieldSpec> columns) const;
  void report(const Progress& progress);

  const density::LogDensity& density;
  const SampleOptions& options;
  DrawSink& sink;
  const double start_seconds;  // of a steady clock
  std::mutex reporting;
};

double clock_seconds();

// Takes what one chain produces.
class ChainRecorder {
 public:
  ChainRecorder(RunContext& context, Index chain, Index num_columns);

  void warmup_done(const HmcSettings& settings);  // also without a warm-up
  void before(const HmcState& state);             // each transition
  std::span<double> columns() { return columns_; }
  void divergence(Index iteration, std::span<const double> end, double energy_error);
  void after(Index iteration, const HmcState& state);
  void done() { result.sampling_seconds = clock_seconds() - phase_start_; }

  ChainResult result;
  std::vector<Divergence> divergences;

 private:
  bool is_kept(Index iteration) const;

  RunContext& context_;
  Index chain_;
  double phase_start_;
  std::vector<double> start_, columns_;
};

template <class Kernel>
struct Chain {
  Chain(RunContext& run_context, Index number_, const typename Kernel::Options& kernel_options);

  RunContext& context;
  Index number;
  Kernel kernel;
  typename Kernel::State state;
  WarmupAdaptation adaptation;
  PhasePoints scratch;
  ChainRecorder recorder;
};

// Throws Error(usage) if the given inverse metric doesn't fit.
void start_metric(HmcSettings& settings, const SampleOptions& options);

RunResult collect(const RunContext& context, std::span<ChainProgram> programs,
                  std::span<ChainRecorder* const> recorders);

template <class Kernel>
Chain<Kernel>::Chain(RunContext& run_context, Index number_,
                     const typename Kernel::Options& kernel_options)
    : context(run_context),
      number(number_),
      kernel(kernel_options, run_context.density.dimension()),
      adaptation(run_context.options.adapt, run_context.options.num_warmup, kernel_options.metric,
                 run_context.density.dimension()),
      scratch(2, run_context.density.dimension()),
      recorder(run_context, number_, ssize(columns_of<typename Kernel::Info>())) {
  const auto dimension = static_cast<std::size_t>(context.density.dimension());
  state.position.resize(dimension);
  state.gradient.resize(dimension);
  start_metric(kernel.settings, context.options);
}

template <class Kernel>
Step<Nothing> find_step_size(Chain<Kernel>& chain, Index iteration) {
  co_await search_step_size(
      chain.kernel.settings, chain.state, chain.scratch,
      chain.context.stream(purpose::kStepSizeSearch, chain.number, iteration));
  chain.adaptation.restart_step_size(chain.kernel.settings);
  co_return Nothing{};
}

template <class Kernel>
void record(Chain<Kernel>& chain, Index iteration, const typename Kernel::Info& info) {
  ChainRecorder& recorder = chain.recorder;
  write_columns(info, recorder.columns());
  if (info.divergent)
    recorder.divergence(iteration, chain.kernel.divergence_end(), chain.kernel.divergence_error());
  if (iteration >= chain.context.options.num_warmup && chain.kernel.hit_max_depth(info))
    ++recorder.result.num_max_depth;
  recorder.after(iteration, chain.state);
}

template <class Kernel>
Step<Nothing> run_chain(Chain<Kernel>& chain) {
  RunContext& context = chain.context;
  const InitOptions init = context.init_of(chain.number);
  chain.recorder.result.num_init_tries =
      co_await find_initial_point(chain.state, init, context.density);
  chain.recorder.result.initial_point = chain.state.position;

  const Index num_warmup = context.options.num_warmup;
  if (context.adapts()) co_await find_step_size(chain, 0);
  for (Index i = 0; i < context.num_iterations(); ++i) {
    if (i == num_warmup) chain.recorder.warmup_done(chain.kernel.settings);
    chain.recorder.before(chain.state);
    Rng rng = context.stream(purpose::kTransition, chain.number, i);
    const typename Kernel::Info info = co_await chain.kernel.step(chain.state, rng);
    record(chain, i, info);
    if (i >= num_warmup || !context.adapts()) continue;
    HmcSettings& settings = chain.kernel.settings;
    if (chain.adaptation.learn(i, info.accept_stat, chain.state, settings))
      co_await find_step_size(chain, i + 1);
    if (i + 1 == num_warmup) chain.adaptation.finish(settings);
  }
  if (context.options.num_draws == 0) chain.recorder.warmup_done(chain.kernel.settings);
  chain.recorder.done();
  co_return Nothing{};
}

template <class Kernel>
RunResult run_sampler(const density::LogDensity& density, const SampleOptions& options,
                      const typename Kernel::Options& kernel_options, DrawSink& sink) {
  RunContext context(density, options, sink);
  std::vector<std::unique_ptr<Chain<Kernel>>> chains;
  std::vector<ChainRecorder*> recorders;
  std::vector<ChainProgram> programs;
  for (Index c = 0; c < options.num_chains; ++c) {
    chains.push_back(std::make_unique<Chain<Kernel>>(context, c, kernel_options));
    recorders.push_back(&chains.back()->recorder);
    programs.push_back({.program = run_chain(*chains.back()), .refusals = {}});
  }
  context.begin_sink(columns_of<typename Kernel::Info>());
  const bool finished =
      run_groups(density, programs, {.num_threads = options.num_threads, .stop = options.stop});
  RunResult result = collect(context, programs, recorders);
  result.interrupted = !finished;
  return result;
}

}  // namespace credo::infer
