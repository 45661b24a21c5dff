// credo smooth: where the state of a state-space model was at each time, given all outcomes, and paths of states.
#include <fmt/format.h>

#include "base/memory.hpp"
#include "cli/command.hpp"
#include "cli/fit/smooth_report.hpp"
#include "cli/fit/state_space_arguments.hpp"
#include "cli/options/field_options.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/term/stop.hpp"
#include "density/require.hpp"
#include "filters/smoother.hpp"
#include "infer/core/recorder.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/arrays/array_file.hpp"
#include "results/draws/work.hpp"

namespace credo::cli {
namespace {

constexpr double kFirstSeconds = 2.0, kSecondsBetween = 10.0;  // progress reports

class Smooth final : public Command {
 public:
  void describe(Arguments& arguments) override {
    asked_.model.describe(arguments);
    arguments.group("Smoother");
    asked_.describe_parameters(arguments);
    method_.describe(arguments);
    field_options(arguments, options_);
    arguments.option("--paths", num_paths_, "paths that are drawn in each run",
                     from_to(1, 10000000));
    asked_.describe_runs(arguments, {});
    method_.describe_options(arguments);
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const std::unique_ptr<filters::Smoother> smoother = method_.make();
    (void)place_of(asked_.model.discrete, {"auto", "sum", "gibbs"}, "--discrete");
    const auto [model, states] = asked_.load(output, json, "a smoother");
    density::require(smoother->can_follow(*states));
    const results::FitOutput to = asked_.place();
    results::SmoothRun run{.program = model->name(),
                           .method = method_.name(),
                           .state = states->state(),
                           .exact = smoother->is_exact(),
                           .options = options_,
                           .num_paths = num_paths_,
                           .repeats = {},
                           .times = {},
                           .likelihood = {}};
    asked_.settle(run.options);
    run.outcomes = asked_.outcomes(*model, *states);
    smoother->set(run.options);
    const Specification spec = with_inputs(asked, asked_.model.files.contents());
    std::unique_ptr<results::Work> work;  // null if the smoother is exact
    if (run.exact)
      run_exact(*smoother, *states, run);
    else
      work = run_particles(*smoother, *states, run, spec, output);
    const results::ArrayList answer = smooth_answer(run);
    if (!asked_.output.empty()) write_arrays(with_spec(answer, spec), to.path, to.readers);
    if (work != nullptr) work->end();
    output.print(json ? answer_json(answer) : smooth_text(run));
    return 0;
  }

 private:
  // Repeats come one after the other, each over all threads.
  std::unique_ptr<results::Work> run_particles(const filters::Smoother& smoother,
                                               const model::StateModel& states,
                                               results::SmoothRun& run, const Specification& spec,
                                               Output& output) const {
    static constexpr MemoryUse kUse{"the particles of all times",
                                    "take fewer --particles, or --method kalman where it can"};
    const MemoryScope memory(kUse);
    note_memory(states, output);
    double reported_at = infer::clock_seconds() + kFirstSeconds - kSecondsBetween;
    auto work =
        std::make_unique<results::Work>(results::WorkOptions{.file = asked_.output,
                                                             .spec = spec,
                                                             .what = "whole runs of the smoother",
                                                             .count = asked_.num_repeats,
                                                             .note = notes_of(output, false),
                                                             .reports_progress = false});
    if (work->num_done() > 0) infer::settle_model(states, run.options);
    run.repeats = work->run<infer::SmootherResult>(1, [&] {
      return [&](Index r) -> infer::SmootherResult {
        infer::FilterOptions options = run.options;
        options.on_time = [&](std::string_view what, Index time) {
          if (infer::clock_seconds() < reported_at + kSecondsBetween) return;
          reported_at = infer::clock_seconds();
          output.note(fmt::format("run {} of {}: {}, time {} of {}\n", r + 1, asked_.num_repeats,
                                  what, time + 1, states.num_times()));
        };
        return smoother.run(states, options, num_paths_, r);
      };
    });
    std::vector<double> all;
    for (const infer::SmootherResult& r : run.repeats) all.push_back(r.log_likelihood);
    run.times = infer::combined_times(run.repeats);
    if (!run.repeats.front().sums.states.empty()) run.sums = infer::combined_sums(run.repeats);
    run.likelihood = infer::combined_likelihood(all);
    return work;
  }

  // Notes how much memory a large run takes: it keeps states, weights and parents of all particles at all times.
  void note_memory(const model::StateModel& states, Output& output) const {
    constexpr double kMuch = 5e8;
    const double numbers = 8.0 * static_cast<double>(states.state().size()) + 8.0 + 4.0,
                 bytes = numbers * static_cast<double>(options_.num_particles) *
                         static_cast<double>(states.num_times());
    if (bytes > kMuch)
      output.note(fmt::format("smoothing keeps {} particles of {} times: {:.1f} GB\n",
                              options_.num_particles, states.num_times(), 1e-9 * bytes));
  }

  static void run_exact(const filters::Smoother& smoother, const model::StateModel& states,
                        results::SmoothRun& run) {
    filters::SmoothedStates exact = smoother.run(states, run.options, run.num_paths, 0);
    run.num_checked = exact.num_checked;
    for (infer::SmoothedTime& t : exact.times)
      run.times.push_back({std::move(t.mean), std::move(t.sd), std::move(t.quantiles), {}});
    exact.times.clear();
    run.likelihood = {.log_likelihood = exact.log_likelihood, .error = 0.0};
    run.repeats.push_back(std::move(exact));
  }

  StateSpaceArguments asked_;
  infer::FilterOptions options_;
  MethodArguments<filters::Smoother> method_{filters::smoother_methods(), "ffbs"};
  Index num_paths_ = 200;
};
}  // namespace

extern const CommandRow smooth_command{
    "smooth", "where the state of a state-space model was at each time, given all outcomes",
    "  credo smooth model.stan --data data.json --parameters at.json\n"
    "  credo smooth model.stan --data data.json --parameters at.json --paths 1000 -o smoothed.nc\n"
    "  credo smooth model.stan --data data.json --parameters at.json --method kalman\n",
    make_command<Smooth>,
    "Standard output: likelihood and a table of the state. With --output: all times and the paths, "
    "as one NetCDF-4 file (groups smoothed, posterior, smooth_stats, evidence)."};

}  // namespace credo::cli
