// The run of one chain, for every kernel: initial point, warm-up, draws.
//
// A Kernel is a value:
//   Options, State, Info         constants; what the next transition needs; facts of a transition.
//                                The first column of Info is the log density at the draw
//   kNeedsGradient               whether its questions ask for gradients
//   Kernel(options, dimension), or Kernel(options, density) where it asks more of the density than
//                                evaluations
//   settings                     tuned by warm-up; void report_settings(settings, ChainResult&) reports them
//   step(State&, Rng&)           → Step<Info>
// A State derives from PointState, or is a population: num_points(), set(i, point). A kernel may
// have more:
//   init(State&, Rng&)           after the initial point: fills what else the state has
//   divergence_end(), divergence_error(), hit_max_depth(info)      where Info has `divergent`
//   conclude(ChainResult&)       after the last transition: its results on the run as a whole
//   groups(options), report_rows(ChainRecorder&, number)   static, and at the start of chain `number`: rows of groups
//                                beside the draws
//   kIsIndependent               static: the next draw doesn't depend on the last one, so that it needs
//                                neither a search for an initial point nor warm-up
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
//   Step<Nothing> search(kernel, state, rng)    if it has one: run at the start and after
//                                               each transition of which learn() says true
//   void finish(kernel)                         after the last
//
// Included by the kernels' source files, for their rows.
#pragma once
#include "infer/compose/part.hpp"
#include "infer/core/initialise.hpp"
#include "infer/core/job.hpp"
#include "infer/core/needs.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"

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

// Markov chains as jobs: a step is a transition.
template <class Kernel, class Adaptation>
class Chain final : public Job {
 public:
  Chain(RunContext& run_context, Index number_, const typename Kernel::Options& kernel_options)
      : Job(run_context, number_, columns_of<typename Kernel::Info>()),
        kernel(make_kernel<Kernel>(kernel_options, run_context.density)),
        adaptation(run_context.options, kernel) {}

  Step<Nothing> begin() override;
  bool is_done() const override { return iteration == context.num_iterations(); }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override {
    if constexpr (!PointKernel<Kernel>) state = kernel.make_state();
    saved(*this, from);
  }

  // Everything that the next transition depends on.
  static void saved(auto& self, auto&& field) {
    field(self.iteration);
    field(self.state);
    field(self.kernel.settings);
    if constexpr (Saved<Kernel>) field(self.kernel);
    field(self.adaptation);
  }

  Kernel kernel;
  typename Kernel::State state;
  Adaptation adaptation;
  Index iteration = 0;  // transitions done

 private:
  Step<Nothing> find_start();
  Step<Nothing> search_settings(Index transition);
};

// Throws Error(usage) if the given inverse metric doesn't fit.
void start_metric(Metric& metric, const SampleOptions& options);

// ---- the initial point, or points ----

template <class Kernel, class Adaptation>
Step<Nothing> Chain<Kernel, Adaptation>::find_start() {
  ChainResult& result = recorder.result;
  PointState point = make_point(context.density.dimension(), Kernel::kNeedsGradient);
  if constexpr (Independent<Kernel>) {
    state = point;
    co_return Nothing{};
  } else if constexpr (PointKernel<Kernel>) {
    result.num_init_tries =
        co_await find_initial_point(point, context.init_of(number), context.density);
    static_cast<PointState&>(state) = point;
  } else {
    state = kernel.make_state();
    for (Index i = 0; i < state.num_points(); ++i) {
      result.num_init_tries += co_await find_initial_point(
          point, context.init_of(number, i, state.num_points()), context.density);
      state.set(i, point);
    }
  }
  result.initial_point = point.position;
  if constexpr (requires(Rng & rng) { kernel.init(state, rng); }) {
    Rng rng = context.stream(purpose::kInitialState, number, 0);
    kernel.init(state, rng);
  }
  co_return Nothing{};
}

// ---- warm-up ----

template <class Kernel, class Adaptation>
Step<Nothing> Chain<Kernel, Adaptation>::search_settings(Index transition) {
  if constexpr (Searching<Adaptation, Kernel>)
    co_await adaptation.search(kernel, state,
                               context.stream(purpose::kStepSizeSearch, number, transition));
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
  recorder.done_with(iteration + 1);
}

// ---- all of it ----

template <class Kernel, class Adaptation>
Step<Nothing> Chain<Kernel, Adaptation>::begin() {
  co_await find_start();
  if constexpr (requires { kernel.report_rows(recorder, number); })
    kernel.report_rows(recorder, number);
  if (context.adapts()) co_await search_settings(0);
  co_return Nothing{};
}

template <class Kernel, class Adaptation>
Step<Nothing> Chain<Kernel, Adaptation>::advance() {
  const Index num_warmup = context.options.num_warmup, i = iteration++;
  if (i == num_warmup) report_settings(kernel.settings, recorder.warmup_done());
  if constexpr (Diverging<Kernel>) recorder.before(state);
  Rng rng = context.stream(purpose::kTransition, number, i);
  const typename Kernel::Info info = co_await kernel.step(state, rng);
  record(*this, i, info);
  if (i < num_warmup && context.adapts()) {
    if (adaptation.learn(i, info, state, kernel)) co_await search_settings(i + 1);
    if (i + 1 == num_warmup) adaptation.finish(kernel);
  }
  co_return Nothing{};
}

template <class Kernel, class Adaptation>
void Chain<Kernel, Adaptation>::conclude() {
  if (context.options.num_draws == 0) report_settings(kernel.settings, recorder.warmup_done());
  if constexpr (requires { kernel.conclude(recorder.result); }) kernel.conclude(recorder.result);
}

template <class Kernel, class Adaptation>
RunResult run_sampler(const density::LogDensity& density, const SampleOptions& options,
                      const typename Kernel::Options& kernel_options, DrawSink& sink) {
  validate(kernel_options);
  require_needs(kernel_options);
  if constexpr (Demanding<Kernel>) Kernel::check(kernel_options, density);
  RunContext context(density, options, num_walkers<Kernel>(kernel_options, density.dimension()),
                     sink);
  std::vector<std::unique_ptr<Job>> chains;
  for (Index c = 0; c < options.num_chains; ++c) {
    auto chain = std::make_unique<Chain<Kernel, Adaptation>>(context, c, kernel_options);
    if constexpr (requires { chain->kernel.settings.metric; })
      start_metric(chain->kernel.settings.metric, options);
    else
      require_no_metric(options);
    chains.push_back(std::move(chain));
  }
  std::vector<RowGroup> groups;
  if constexpr (requires { Kernel::groups(kernel_options); })
    groups = Kernel::groups(kernel_options);
  context.begin_sink(columns_of<typename Kernel::Info>(), groups);
  RunResult result = run_jobs(context, chains);
  if constexpr (requires { Kernel::warnings(kernel_options, Index{}); })
    result.warnings = Kernel::warnings(kernel_options, density.dimension());
  return result;
}

// The row of a kernel with its adaptation.
struct SamplerText {
  std::string_view name, summary, reference;
  bool biased = false;
  std::string_view fixed_length = {};
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
      .has_warmup = !Independent<Kernel>,
      .columns = columns_of<typename Kernel::Info>,
      .options = [] { return KernelOptions(typename Kernel::Options{}); },
      .make = nullptr,
      .run =
          [](const density::LogDensity& density, const SampleOptions& options, DrawSink& sink) {
            return run_sampler<Kernel, Adaptation>(
                density, options,
                options_for<typename Kernel::Options>(options.kernel, options.sampler), sink);
          },
      .fixed_length = text.fixed_length};
  if constexpr (PointKernel<Kernel> && !Demanding<Kernel> && !Independent<Kernel>)
    row.make = make_part<Kernel, Adaptation>;
  else if constexpr (Independent<Kernel>)
    row.no_part = "its draws don't depend on the point that it would move";
  else if constexpr (Demanding<Kernel>)
    row.no_part = "it asks more of a density than values and gradients at a point";
  return row;
}

}  // namespace credo::infer
