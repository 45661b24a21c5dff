// credo smooth: where the state of a state-space model was at each time, given all outcomes, and paths of states.
#include <fmt/format.h>

#include "base/memory.hpp"
#include "cli/command.hpp"
#include "cli/fit/smooth_report.hpp"
#include "cli/fit/state_space_arguments.hpp"
#include "cli/options/field_options.hpp"
#include "cli/term/stop.hpp"
#include "infer/core/recorder.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/arrays/array_file.hpp"

namespace credo::cli {
namespace {

constexpr double kFirstSeconds = 2.0, kSecondsBetween = 10.0;  // progress reports

class Smooth final : public Command {
 public:
  void describe(Arguments& arguments) override {
    asked_.model.describe(arguments);
    arguments.group("Smoother");
    asked_.describe_parameters(arguments);
    arguments.option(
        "--method", method_,
        "ffbs: paths of particles, simulated backwards by transition_lpdf; genealogy: lines of the "
        "filter's last particles; paris: ancestors drawn backwards while the filter goes on, with "
        "sums "
        "over times; kalman: exact, of linear-Gaussian models; two-filter: the same, "
        "of "
        "starts without any information, too; ekf, ukf: extended and unscented Kalman smoothers",
        one_of({"ffbs", "genealogy", "paris", "kalman", "two-filter", "ekf", "ukf"}));
    arguments.option("--filter", filter_,
                     "bootstrap, guided, auxiliary: the method of the filter whose particles are "
                     "smoothed",
                     one_of({"bootstrap", "guided", "auxiliary"}));
    field_options(arguments, options_);
    arguments.option("--paths", num_paths_, "paths that are drawn in each run",
                     from_to(1, 10000000));
    arguments.option("--backward-draws", num_backward_draws_,
                     "draws of ancestors at each time for each particle",
                     needing("--method=paris", from_to(1, 1000)));
    asked_.describe_gaussian(arguments);
    asked_.describe_runs(arguments, {});
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    (void)place_of(method_, {"ffbs", "genealogy", "paris", "kalman", "two-filter", "ekf", "ukf"},
                   "--method");
    (void)place_of(asked_.model.discrete, {"auto", "sum", "gibbs"}, "--discrete");
    (void)place_of(filter_, {"bootstrap", "guided", "auxiliary"}, "--filter");
    const auto [model, states] = asked_.load(output, json, "a smoother");
    const results::FitOutput to = asked_.place();
    results::SmoothRun run{.program = model->name(),
                           .method = method_,
                           .state = states->state(),
                           .options = options_,
                           .num_paths = num_paths_,
                           .repeats = {},
                           .times = {},
                           .likelihood = {}};
    asked_.settle(run.options);
    run.outcomes = asked_.outcomes(*model, *states);
    if (method_ == "two-filter")
      take_gaussian(model::two_filter_run(*states, run.num_paths, run.options.seed), run);
    else if (const auto track = asked_.gaussian_track(*states, method_))
      take_gaussian(model::smoothed_run(*track, run.num_paths, run.options.seed), run);
    else
      run_particles(*states, run, output);
    const results::ArrayList answer = smooth_answer(run);
    if (!asked_.output.empty()) write_arrays(answer, to);
    output.print(json ? answer_json(answer) : smooth_text(run));
    return 0;
  }

 private:
  void run_particles(const model::StateModel& states, results::SmoothRun& run,
                     Output& output) const {
    run.options.method = static_cast<infer::FilterMethod>(
        place_of(filter_, {"bootstrap", "guided", "auxiliary"}, "--filter"));
    const infer::SmootherOptions how{.method = static_cast<infer::SmoothMethod>(place_of(
                                         method_, {"ffbs", "genealogy", "paris"}, "--method")),
                                     .num_paths = num_paths_,
                                     .num_backward_draws = num_backward_draws_};
    std::vector<double> all;
    static constexpr MemoryUse kUse{"the particles of all times",
                                    "take fewer --particles, or --method kalman where it can"};
    const MemoryScope memory(kUse);
    tell_memory(states, output);
    double told = infer::clock_seconds() + kFirstSeconds - kSecondsBetween;
    for (Index r = 0; r < asked_.num_repeats; ++r) {
      infer::FilterOptions options = run.options;
      options.on_time = [&](std::string_view what, Index time) {
        if (infer::clock_seconds() < told + kSecondsBetween) return;
        told = infer::clock_seconds();
        output.note(fmt::format("run {} of {}: {}, time {} of {}\n", r + 1, asked_.num_repeats,
                                what, time + 1, states.num_times()));
      };
      run.repeats.push_back(infer::run_smoother(states, options, how, r));
      all.push_back(run.repeats.back().log_likelihood);
    }
    run.times = infer::combined_times(run.repeats);
    if (how.method == infer::SmoothMethod::paris) run.sums = infer::combined_sums(run.repeats);
    run.likelihood = infer::combined_likelihood(all);
  }

  // Notes how much memory a large run takes: it keeps states, weights and parents of all particles at all times.
  void tell_memory(const model::StateModel& states, Output& output) const {
    constexpr double kMuch = 5e8;
    const double numbers = 8.0 * static_cast<double>(states.state().size()) + 8.0 + 4.0,
                 bytes = numbers * static_cast<double>(options_.num_particles) *
                         static_cast<double>(states.num_times());
    if (bytes > kMuch)
      output.note(fmt::format("smoothing keeps {} particles of {} times: {:.1f} GB\n",
                              options_.num_particles, states.num_times(), 1e-9 * bytes));
  }

  static void take_gaussian(model::KalmanSmoothing exact, results::SmoothRun& run) {
    run.exact = true;
    run.num_checked = exact.num_checked;
    for (const model::KalmanTime& t : exact.run.times)
      run.times.push_back({.mean = t.mean,
                           .sd = t.sd,
                           .quantiles = t.quantiles(infer::kFilterLevels),
                           .error = {}});
    run.repeats.push_back(
        {.log_likelihood = exact.run.log_likelihood, .times = {}, .paths = std::move(exact.paths)});
    run.likelihood = {.log_likelihood = exact.run.log_likelihood, .error = 0.0};
  }

  StateSpaceArguments asked_;
  infer::FilterOptions options_;
  std::string method_ = "ffbs", filter_ = "bootstrap";
  Index num_paths_ = 200, num_backward_draws_ = infer::SmootherOptions().num_backward_draws;
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
