// The run of one chain, for every kernel: initial point, warm-up, draws.
//
// A Kernel is a value:
//   Options, State, Info         constants; what the next transition needs; facts of a transition.
//                                The first column of Info is the log density at the draw
//   kNeedsGradient               whether its questions ask for gradients
//   Kernel(options, dimension), or Kernel(options, density) where it asks more of the density than
//                                evaluations
//   settings                     what warm-up tunes; void tell(settings, ChainResult&) reports them
//   step(State&, Rng&)           → Step<Info>
// A State derives from PointState, or is a population: num_points(), set(i, point). A kernel may
// have more:
//   init(State&, Rng&)           after the initial point: fills what else the state has
//   divergence_end(), divergence_error(), hit_max_depth(info)      where Info has `divergent`
//   conclude(ChainResult&)       after the last transition: what it knows of the run as a whole
//   kIsIndependent               static: the next draw doesn't depend on the last one, so that there is
//                                no initial point to find and nothing to warm up
//   num_walkers(options, dimension)  static: how many draws a transition yields; then also
//   walker_position(state, w), walker_info(state, info, w)
//
//   warnings(options, dimension) static: sentences for the user
//   check(options, density)      static: throws Error(usage) for a density that lacks what the
//                                kernel asks for. Such a kernel is no part of compositions
//
// An Adaptation watches the transitions of warm-up and tunes the kernel, which stays as it is
// afterwards:
//   Adaptation(const SampleOptions&, const Kernel&)
//   bool learn(iteration, info, state, kernel)
//   Step<Nothing> search(kernel, state, rng)    if it has one: asked for at the start and after
//                                               each transition of which learn() says true
//   void finish(kernel)                         after the last
//
// Included by the kernels' source files, for their rows.
#pragma once
#include "base/archive.hpp"
#include "infer/group.hpp"
#include "infer/initialise.hpp"
#include "infer/part.hpp"
#include "infer/recorder.hpp"
#include "infer/table.hpp"

namespace credo::infer {

template <class Kernel>
concept Walking = requires(const typename Kernel::Options& options) {
  Kernel::num_walkers(options, Index{});
};

template <class Kernel>
concept Diverging = requires(const typename Kernel::Info& info) {
  info.divergent;
};

// It says where, too; a composition doesn't.
template <class Kernel>
concept Locating = Diverging<Kernel> && requires(const Kernel& kernel) {
  kernel.divergence_end();
};

template <class Kernel>
concept Demanding = requires(const typename Kernel::Options& options,
                             const density::LogDensity& density) {
  Kernel::check(options, density);
};

template <class Kernel>
concept Independent = requires {
  Kernel::kIsIndependent;
};

template <class Kernel>
Kernel make_kernel(const typename Kernel::Options& options, const density::LogDensity& density) {
  if constexpr (std::is_constructible_v<Kernel, const typename Kernel::Options&,
                                        const density::LogDensity&>)
    return Kernel(options, density);
  else
    return Kernel(options, density.dimension());
}

template <class Kernel>
concept PointKernel = std::is_base_of_v<PointState, typename Kernel::State>;

template <class Adaptation, class Kernel>
concept Searching = requires(Adaptation& adaptation, Kernel& kernel, typename Kernel::State& state,
                             Rng& rng) {
  adaptation.search(kernel, state, rng);
};

template <class Kernel>
Index num_walkers(const typename Kernel::Options& options, Index dimension) {
  if constexpr (Walking<Kernel>) return Kernel::num_walkers(options, dimension);
  return 1;
}

class NoAdaptation {
 public:
  NoAdaptation(const SampleOptions&, const auto&) {}
  bool learn(Index, const auto&, const auto&, auto&) { return false; }
  void finish(auto&) const {}
  static void saved(auto&, auto&&) {}
};

template <class Kernel, class Adaptation>
struct Chain {
  Chain(RunContext& run_context, Index number_, const typename Kernel::Options& kernel_options)
      : context(run_context),
        number(number_),
        kernel(make_kernel<Kernel>(kernel_options, run_context.density)),
        adaptation(run_context.options, kernel),
        recorder(run_context, number_, columns_of<typename Kernel::Info>()) {}

  RunContext& context;
  Index number;
  Kernel kernel;
  typename Kernel::State state;
  Adaptation adaptation;
  ChainRecorder recorder;
  ChainProgram* program = nullptr;  // that runs it

  // Everything that the next transition depends on, and what the run has counted.
  static void saved(auto& self, auto&& field) {
    field(self.state);
    field(self.kernel.settings);
    if constexpr (Saved<Kernel>) field(self.kernel);
    field(self.adaptation);
    field(self.recorder);
    field(*self.program);
  }
};

// Throws Error(usage) if the given inverse metric doesn't fit.
void start_metric(Metric& metric, const SampleOptions& options);
void require_no_metric(
    const SampleOptions& options);  // of a sampler, or a composition, that has none

RunResult collect(const RunContext& context, std::span<ChainProgram> programs,
                  std::span<ChainRecorder* const> recorders);

// ---- the initial point, or points ----

template <class Kernel, class Adaptation>
Step<Nothing> find_start(Chain<Kernel, Adaptation>& chain) {
  RunContext& context = chain.context;
  ChainResult& result = chain.recorder.result;
  PointState point = make_point(context.density.dimension(), Kernel::kNeedsGradient);
  if constexpr (Independent<Kernel>) {
    chain.state = point;
    co_return Nothing{};
  } else if constexpr (PointKernel<Kernel>) {
    result.num_init_tries =
        co_await find_initial_point(point, context.init_of(chain.number), context.density);
    static_cast<PointState&>(chain.state) = point;
  } else {
    chain.state = chain.kernel.make_state();
    for (Index i = 0; i < chain.state.num_points(); ++i) {
      result.num_init_tries += co_await find_initial_point(
          point, context.init_of(chain.number, i, chain.state.num_points()), context.density);
      chain.state.set(i, point);
    }
  }
  result.initial_point = point.position;
  if constexpr (requires(Rng & rng) { chain.kernel.init(chain.state, rng); }) {
    Rng rng = context.stream(purpose::kInitialState, chain.number, 0);
    chain.kernel.init(chain.state, rng);
  }
  co_return Nothing{};
}

// ---- warm-up ----

template <class Kernel, class Adaptation>
Step<Nothing> search_settings(Chain<Kernel, Adaptation>& chain, Index iteration) {
  if constexpr (Searching<Adaptation, Kernel>)
    co_await chain.adaptation.search(
        chain.kernel, chain.state,
        chain.context.stream(purpose::kStepSizeSearch, chain.number, iteration));
  co_return Nothing{};
}

// ---- draws ----

template <class Kernel, class Adaptation>
void note_divergence(Chain<Kernel, Adaptation>& chain, Index iteration,
                     const typename Kernel::Info& info) {
  ChainRecorder& recorder = chain.recorder;
  if constexpr (Locating<Kernel>) {
    if (info.divergent)
      recorder.divergence(iteration, chain.kernel.divergence_end(),
                          chain.kernel.divergence_error());
    if (iteration >= chain.context.options.num_warmup && chain.kernel.hit_max_depth(info))
      ++recorder.result.num_max_depth;
  } else if (info.divergent) {
    recorder.count_divergence(iteration);
  }
}

template <class Kernel, class Adaptation>
void record(Chain<Kernel, Adaptation>& chain, Index iteration, const typename Kernel::Info& info) {
  ChainRecorder& recorder = chain.recorder;
  if constexpr (Diverging<Kernel>) note_divergence(chain, iteration, info);
  if constexpr (!Walking<Kernel>) {
    write_columns(info, recorder.columns());
    recorder.keep(iteration, 0, chain.state.position);
  } else if (recorder.is_kept(iteration)) {
    for (Index w = 0; w < chain.context.num_walkers; ++w) {
      write_columns(chain.kernel.walker_info(chain.state, info, w), recorder.columns());
      recorder.keep(iteration, w, chain.kernel.walker_position(chain.state, w));
    }
  }
  recorder.done_with(iteration);
}

// ---- going on ----

template <class Kernel, class Adaptation>
void offer_state(Chain<Kernel, Adaptation>& chain, Index num_done) {
  if (!chain.recorder.wants_state(num_done)) return;
  ArchiveWriter writer;
  writer(num_done)(chain);
  chain.recorder.state(num_done, writer.bytes(), chain.program->refusals.entries());
}

// Returns the transitions that were done.
template <class Kernel, class Adaptation>
Index go_on(Chain<Kernel, Adaptation>& chain, std::string_view bytes) {
  ArchiveReader reader(bytes, "state of chain " + std::to_string(chain.number));
  Index num_done = 0;
  if constexpr (!PointKernel<Kernel>) chain.state = chain.kernel.make_state();
  reader(num_done)(chain).finish();
  return num_done;
}

// ---- all of it ----

template <class Kernel, class Adaptation>
Step<Index> begin_chain(Chain<Kernel, Adaptation>& chain) {
  RunContext& context = chain.context;
  if (const std::string_view state = context.state_of(chain.number); !state.empty())
    co_return go_on(chain, state);
  co_await find_start(chain);
  if (context.adapts()) co_await search_settings(chain, 0);
  co_return 0;
}

template <class Kernel, class Adaptation>
Step<Nothing> run_chain(Chain<Kernel, Adaptation>& chain) {
  RunContext& context = chain.context;
  const Index num_warmup = context.options.num_warmup;
  for (Index i = co_await begin_chain(chain); i < context.num_iterations(); ++i) {
    if (i == num_warmup) tell(chain.kernel.settings, chain.recorder.warmup_done());
    if constexpr (Diverging<Kernel>) chain.recorder.before(chain.state);
    Rng rng = context.stream(purpose::kTransition, chain.number, i);
    const typename Kernel::Info info = co_await chain.kernel.step(chain.state, rng);
    record(chain, i, info);
    if (i < num_warmup && context.adapts()) {
      if (chain.adaptation.learn(i, info, chain.state, chain.kernel))
        co_await search_settings(chain, i + 1);
      if (i + 1 == num_warmup) chain.adaptation.finish(chain.kernel);
    }
    offer_state(chain, i + 1);
  }
  if (context.options.num_draws == 0) tell(chain.kernel.settings, chain.recorder.warmup_done());
  if constexpr (requires { chain.kernel.conclude(chain.recorder.result); })
    chain.kernel.conclude(chain.recorder.result);
  chain.recorder.done();
  co_return Nothing{};
}

template <class Kernel, class Adaptation>
RunResult run_sampler(const density::LogDensity& density, const SampleOptions& options,
                      const typename Kernel::Options& kernel_options, DrawSink& sink) {
  validate(kernel_options);
  if constexpr (Demanding<Kernel>) Kernel::check(kernel_options, density);
  RunContext context(density, options, num_walkers<Kernel>(kernel_options, density.dimension()),
                     sink);
  std::vector<std::unique_ptr<Chain<Kernel, Adaptation>>> chains;
  std::vector<ChainRecorder*> recorders;
  std::vector<ChainProgram> programs;
  for (Index c = 0; c < options.num_chains; ++c) {
    chains.push_back(std::make_unique<Chain<Kernel, Adaptation>>(context, c, kernel_options));
    if constexpr (requires { chains.back()->kernel.settings.metric; })
      start_metric(chains.back()->kernel.settings.metric, options);
    else
      require_no_metric(options);
    recorders.push_back(&chains.back()->recorder);
    programs.push_back({.program = run_chain(*chains.back()), .refusals = {}});
  }
  for (std::size_t c = 0; c < chains.size(); ++c) {
    chains[c]->program = &programs[c];
    recorders[c]->watch(programs[c].num_evaluations);
  }
  context.begin_sink(columns_of<typename Kernel::Info>());
  const bool finished =
      run_groups(density, programs, {.num_threads = options.num_threads, .stop = options.stop});
  RunResult result = collect(context, programs, recorders);
  if constexpr (requires { Kernel::warnings(kernel_options, Index{}); })
    result.warnings = Kernel::warnings(kernel_options, density.dimension());
  result.interrupted = !finished;
  return result;
}

// The row of a kernel with its adaptation.
struct SamplerText {
  std::string_view name, summary, reference;
  bool biased = false;
};

template <class Kernel, class Adaptation>
std::unique_ptr<TransitionKernel> make_part(const KernelOptions& options, const PartSetup& setup) {
  const auto own = options_for<typename Kernel::Options>(options, "kernel");
  validate(own);
  return std::make_unique<Part<Kernel, Adaptation>>(own, setup);
}

template <class Kernel, class Adaptation>
constexpr SamplerSpec sampler_row(const SamplerText& text) {
  SamplerSpec row{
      .name = text.name,
      .summary = text.summary,
      .needs_gradient = Kernel::kNeedsGradient,
      .reference = text.reference,
      .biased = text.biased,
      .is_independent = Independent<Kernel>,
      .columns = columns_of<typename Kernel::Info>,
      .options = [] { return KernelOptions(typename Kernel::Options{}); },
      .make = nullptr,
      .run =
          [](const density::LogDensity& density, const SampleOptions& options, DrawSink& sink) {
            return run_sampler<Kernel, Adaptation>(
                density, options,
                options_for<typename Kernel::Options>(options.kernel, options.sampler), sink);
          }};
  if constexpr (PointKernel<Kernel> && !Demanding<Kernel> && !Independent<Kernel>)
    row.make = make_part<Kernel, Adaptation>;
  return row;
}

}  // namespace credo::infer
