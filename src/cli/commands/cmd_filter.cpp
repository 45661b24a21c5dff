// credo filter: where the state of a state-space model is at each time, given the outcomes up to then, and the likelihood.
#include <fmt/format.h>

#include "base/ranks.hpp"
#include "cli/command.hpp"
#include "cli/fit/filter_report.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/state_space_arguments.hpp"
#include "cli/options/field_options.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/term/stop.hpp"
#include "density/require.hpp"
#include "filters/filter.hpp"
#include "model/model.hpp"
#include "model/program_difference.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/arrays/array_file.hpp"
#include "results/draws/simulate.hpp"
#include "results/draws/work.hpp"
#include "results/estimates/filter_run.hpp"

namespace credo::cli {
namespace {

class FilterCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    asked_.model.describe(arguments);
    arguments.group("Filter");
    asked_.describe_parameters(arguments);
    method_.describe(arguments);
    arguments.option("--forecast", num_more_,
                     "so many times after the data, whose state and outcome are forecast; outcomes "
                     "of particles need the function observation_rng",
                     from_to(0, 1e6));
    field_options(arguments, options_);
    arguments.option(
        "--fit", fit_,
        "a fit of the program: run the filter once for each of several draws of this fit, "
        "and report the average of the runs; without --data its own data are "
        "read",
        needing("!--parameters", {.word = "FILE", .ending = "*"}));
    asked_.num_repeats = 0;
    asked_.describe_runs(
        arguments,
        {.least = 0,
         .help = "independent runs, from which errors are known, or with --fit draws; 0: 10, with "
                 "--fit 100"});
    method_.describe_options(arguments);
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    filter_ = method_.make();
    (void)place_of(asked_.model.discrete, {"auto", "sum", "gibbs"}, "--discrete");
    if (asked_.num_repeats == 0) asked_.num_repeats = fit_.empty() ? 10 : 100;
    StateSpaceArguments::PositionOf first_draw;
    const auto fit = fit_.empty() ? nullptr : open_draws(std::array{fit_}, output);
    if (fit != nullptr) {
      read_like_or_own(*fit, asked_.model);
      first_draw = [&](const model::Model& model) {
        require_program_of(*fit, model, output);
        draws_ = results::spread_draws(*fit, model, asked_.num_repeats, "--repeats");
        return draws_.front();
      };
    }
    const auto [model, states] = asked_.load(output, json, "a filter", first_draw, num_more_);
    density::require(filter_->can_follow(*states));
    const results::FitOutput to = asked_.place();
    results::FilterRun run{.program = model->name(),
                           .method = method_.name(),
                           .state = states->state(),
                           .outcome = states->outcome(),
                           .first_forecast = first_forecast(*states, output),
                           .exact = filter_->is_exact(),
                           .weighed = filter_->has_weights(),
                           .of_draws = !draws_.empty(),
                           .options = options_,
                           .repeats = {},
                           .likelihood = {}};
    asked_.settle(run.options);
    if (ranks != nullptr && asked_.num_threads == 0)
      run.options.num_threads = ranks->num_processors();
    if (run.of_draws) run.options.levels = results::mixture_levels();
    filter_->set(run.options);
    run.outcomes = asked_.outcomes(*model, *states);
    const Specification spec = with_inputs(asked, asked_.model.files.contents(), draws_);
    const auto work = run_repeats(*states, run, spec, output);
    const results::ArrayList answer = filter_answer(run);
    if (!asked_.output.empty()) write_arrays(with_spec(answer, spec), to.path, to.readers);
    work->end();
    output.print(json ? answer_json(answer) : filter_text(run, states->how_it_moves()));
    return 0;
  }

 private:
  // Forecasts of outcomes. If the program can't forecast them, a note gives the number of times and the reason.
  Index first_forecast(const model::StateModel& states, Output& output) const {
    const Index first = states.first_forecast();
    if (first == states.num_times()) return first;
    const density::Capability can = filter_->can_forecast_outcomes(states);
    if (can.can) return first;
    const Index count = states.num_times() - first;
    output.note(
        fmt::format("the outcome{} of the last {} {} not forecast, only the state: {}. {}\n",
                    count == 1 ? "" : "s", count == 1 ? "time" : fmt::format("{} times", count),
                    count == 1 ? "is" : "are", can.reason, can.hint));
    return states.num_times();
  }

  // The same names of parameters may mean anything in another program. Other data may be meant.
  void require_program_of(const Fit& fit, const model::Model& model, Output& output) const {
    const auto fitted =
        FittedModel().of(fit, output, json, "that it is of this program isn't checked");
    if (fitted == nullptr) return;
    const std::string difference = model::difference_of_programs(fitted->source(), model.source());
    if (!difference.empty())
      throw Error(ErrorCode::data,
                  fmt::format("the fit is of another program: {} isn't that of {}", difference,
                              asked_.model.model),
                  fit_,
                  "give the program that was fitted, to which functions may be added, or fit this "
                  "one");
  }

  void settle(model::StateModel& states, infer::FilterOptions options) const {
    options.checkpoints = nullptr;  // its results aren't kept
    options.quantiles = false;
    filter_->settle(states, options, draws_.empty());
  }

  // Ranks and threads share the runs; where there are more threads than runs, they share the particles of each. With --output,
  // finished work is kept beside it, until end() is called.
  std::unique_ptr<results::Work> run_repeats(model::StateModel& states, results::FilterRun& run,
                                             const Specification& spec, Output& output) {
    infer::FilterOptions& options = run.options;
    const Index count = run.exact && !run.of_draws ? 1 : asked_.num_repeats;
    const bool keeps = !run.exact && (ranks == nullptr || ranks->rank() == 0);
    auto work =
        std::make_unique<results::Work>(results::WorkOptions{.file = keeps ? asked_.output : "",
                                                             .spec = spec,
                                                             .what = "whole runs of the filter",
                                                             .count = count,
                                                             .note = notes_of(output, false),
                                                             .reports_progress = false});
    options.checkpoints = work->states();
    filter_->learn(states, options);
    if (count > 1) settle(states, options);
    const RanksScope over(ranks);
    const Index share = ranks == nullptr ? count : (count + ranks->size() - 1) / ranks->size();
    const Index at_once = std::min(options.num_threads, share);
    std::vector<infer::FilterAnswer> all = work->run<infer::FilterAnswer>(at_once, [&] {
      return [&](Index number) {
        infer::FilterOptions own = options;
        own.num_threads = std::max<Index>(options.num_threads / at_once, 1);
        own.quantiles = run.of_draws || number == 0;
        std::optional<model::StateModel> copy;
        model::StateModel& at = count == 1 ? states : copy.emplace(states);
        if (run.of_draws) at.move_to(draws_[static_cast<std::size_t>(number)]);
        std::unique_ptr<density::OutcomeDraws> draws;
        if (run.first_forecast < at.num_times() && !run.exact) draws = at.make_outcome_draws();
        own.outcomes = draws.get();
        return filter_->run(at, own, number);
      };
    });
    options.checkpoints = nullptr;
    take_repeats(run, std::move(all));
    return work;
  }

  StateSpaceArguments asked_;
  infer::FilterOptions options_;
  MethodArguments<filters::Filter> method_{filters::filter_methods(), "bootstrap"};
  std::unique_ptr<filters::Filter> filter_;
  std::string fit_;
  Index num_more_ = 0;                      // times after the data
  std::vector<std::vector<double>> draws_;  // positions of the fit's draws
};
}  // namespace

extern const CommandRow filter_command{
    "filter",
    "follow the state of a state-space model through its times, with the likelihood",
    "  credo filter model.stan --data data.json --parameters at.json\n"
    "  credo filter model.stan --data data.json --parameters at.json --particles 10000 -o "
    "filtered.nc\n"
    "  credo filter model.stan --data data.json --parameters at.json --method kalman\n"
    "  credo filter pendulum.stan --data data.json --method ukf\n"
    "  credo filter pendulum.stan --data data.json --method ensemble --particles 200\n"
    "  credo filter switching.stan --data data.json --method rao-blackwellised\n"
    "  credo filter model.stan --fit fit.nc -o filtered.nc\n",
    make_command<FilterCommand>,
    "Standard output: likelihood and a table of the state. With --output: all times, as one "
    "NetCDF-4 file (groups filtered, "
    "filter_stats, evidence); until it is complete OUTPUT.run, from which "
    "`credo resume` continues.",
    OverRanks::by_words};

}  // namespace credo::cli
