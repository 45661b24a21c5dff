// credo filter: where the state of a state-space model is at each time, given the outcomes up to then, and the likelihood.
#include <fmt/format.h>

#include "base/ranks.hpp"
#include "cli/command.hpp"
#include "cli/fit/filter_report.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/state_space_arguments.hpp"
#include "cli/options/field_options.hpp"
#include "cli/run/kept_work.hpp"
#include "cli/term/stop.hpp"
#include "infer/smc/ensemble_filter.hpp"
#include "infer/smc/learn_proposal.hpp"
#include "model/model.hpp"
#include "model/program_difference.hpp"
#include "model/states/gaussian_proposal.hpp"
#include "model/states/learned_proposal.hpp"
#include "model/states/normal_reader.hpp"
#include "model/states/uniform_map.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/arrays/array_file.hpp"
#include "results/draws/share_out.hpp"
#include "results/draws/simulate.hpp"
#include "results/estimates/filter_log.hpp"
#include "results/estimates/filter_run.hpp"
#include "results/files/facts.hpp"

namespace credo::cli {
namespace {

// Outcomes that are normal given the state, as an ensemble asks for them.
class ReadOutcomes final : public infer::OutcomeDistributions {
 public:
  explicit ReadOutcomes(const model::StateModel& states)
      : reader_(states, "--method ensemble", model::NormalReads::outcomes) {}
  std::vector<numerics::NormalMoments> given(Index time,
                                             std::span<const std::vector<double>> states) override {
    return reader_.observation(time, states);
  }
  std::vector<double> outcome(Index time) const override { return reader_.outcome(time); }

 private:
  model::NormalReader reader_;
};

class Filter final : public Command {
 public:
  void describe(Arguments& arguments) override {
    asked_.model.describe(arguments);
    arguments.group("Filter");
    asked_.describe_parameters(arguments);
    arguments.option(
        "--method", method_,
        "bootstrap: particles that move by the transition; guided: by the program's proposal; "
        "auxiliary: parents chosen by lookahead_lpdf; kalman: exact, of linear-Gaussian models; "
        "information: the same in information form; ekf, ukf: extended and unscented Kalman "
        "filters, "
        "of normal densities whose means aren't linear; "
        "rao-blackwellised: a Kalman filter a particle, of programs that switch between regimes; "
        "ensemble: an ensemble Kalman filter, of outcomes that are normal given the state; "
        "sqmc: sequential quasi-Monte Carlo, particles made of scrambled Sobol points",
        one_of({"bootstrap", "guided", "auxiliary", "kalman", "information", "ekf", "ukf",
                "rao-blackwellised", "ensemble", "sqmc"}));
    arguments.option("--regimes", regimes_,
                     "prior, each particle draws its next regime; optimal, all "
                     "regimes of all particles are weighed and the best kept",
                     needing("--method=rao-blackwellised", one_of({"prior", "optimal"})));
    arguments.option(
        "--proposal", proposal_,
        "the functions of the program; or a normal distribution that is made of each particle, "
        "of "
        "programs whose transition is normal: ukf, by sigma points, and ekf, by a tangent, of "
        "outcomes that are normal, too; laplace, at the mode, of any outcomes; or learned, a "
        "normal "
        "distribution that a small network tells",
        needing("--method=guided", one_of({"program", "ukf", "ekf", "laplace", "learned"})));
    arguments.option(
        "--learn", learn_,
        "how the learned proposal is found: nasmc, by filters of these data; amortized, by states "
        "and outcomes that are simulated; vsmc, by the mean log likelihood of filters, a lower "
        "bound",
        needing("--proposal=learned", one_of({"nasmc", "amortized", "vsmc"})));
    arguments.option("--learn-steps", learning_.num_steps,
                     "optimisation steps for the learned proposal",
                     needing("--proposal=learned", at_least(1)));
    arguments.option("--order", order_,
                     "order in which parents are selected: by index, or hilbert, along a Hilbert "
                     "curve through their states, so that resampling adds less noise",
                     needing("--method=bootstrap|guided|auxiliary", one_of({"index", "hilbert"})));
    arguments.option("--update", update_,
                     "perturbed, each member sees an outcome with noise of its own; "
                     "square-root, members are moved without noise",
                     needing("--method=ensemble", one_of({"perturbed", "square-root"})));
    arguments.option("--inflation", ensemble_.inflation,
                     "the factor by which members move away from their mean before "
                     "each outcome; 1: none",
                     needing("--method=ensemble", from_to(1.0, 100.0)));
    arguments.option("--forecast", num_more_,
                     "so many times after the data, whose state and outcome are forecast; outcomes "
                     "of particles need the function observation_rng",
                     from_to(0, 1e6));
    field_options(arguments, options_);
    asked_.describe_gaussian(arguments);
    arguments.option(
        "--fit", fit_,
        "a fit of the program: each run is at the parameters of another of its draws, "
        "and what is said of the state is the mixture of the runs; without --data its own data are "
        "read",
        needing("!--parameters", {.word = "FILE"}));
    asked_.num_repeats = 0;
    asked_.describe_runs(
        arguments,
        {.least = 0,
         .help = "independent runs, from which errors are known, or with --fit draws; 0: 10, with "
                 "--fit 100"});
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    check_options();
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
    const results::FitOutput to = asked_.place();
    results::FilterRun run{.program = model->name(),
                           .method = method_,
                           .state = states->state(),
                           .outcome = states->outcome(),
                           .first_forecast = first_forecast(*states, output),
                           .of_draws = !draws_.empty(),
                           .options = options_,
                           .repeats = {},
                           .likelihood = {}};
    asked_.settle(run.options);
    if (ranks != nullptr && asked_.num_threads == 0)
      run.options.num_threads = ranks->num_processors();
    if (run.of_draws) run.options.levels = results::mixture_levels();
    run.exact = is_gaussian();
    run.weighed = method_ != "ensemble";
    run.outcomes = asked_.outcomes(*model, *states);
    const auto finish = run_repeats(*states, run, output);
    const results::ArrayList answer = filter_answer(run);
    if (!asked_.output.empty()) write_arrays(answer, to);
    finish();
    output.print(json ? answer_json(answer) : filter_text(run, states->how_it_moves()));
    return 0;
  }

 private:
  // Forecasts of outcomes. If the program can't forecast them, a note gives the number of times and the reason.
  Index first_forecast(const model::StateModel& states, Output& output) const {
    const Index first = states.first_forecast();
    if (first == states.num_times()) return first;
    density::Capability can;
    if (switches())
      can = {.can = false,
             .reason = "a filter of regimes forecasts states alone",
             .hint = "take --method bootstrap for the outcomes"};
    else if (!is_gaussian())
      can = states.can_draw_outcomes();
    if (can.can) return first;
    const Index count = states.num_times() - first;
    output.note(
        fmt::format("the outcome{} of the last {} {} not forecast, only the state: {}. {}\n",
                    count == 1 ? "" : "s", count == 1 ? "time" : fmt::format("{} times", count),
                    count == 1 ? "is" : "are", can.reason, can.hint));
    return states.num_times();
  }

  bool switches() const { return method_ == "rao-blackwellised"; }
  bool is_gaussian() const {
    return method_ == "kalman" || method_ == "information" || method_ == "ekf" || method_ == "ukf";
  }

  void check_words() const {
    (void)place_of(asked_.model.discrete, {"auto", "sum", "gibbs"}, "--discrete");
    (void)place_of(method_,
                   {"bootstrap", "guided", "auxiliary", "kalman", "information", "ekf", "ukf",
                    "rao-blackwellised", "ensemble", "sqmc"},
                   "--method");
    (void)place_of(regimes_, {"prior", "optimal"}, "--regimes");
    (void)place_of(proposal_, {"program", "ukf", "ekf", "laplace", "learned"}, "--proposal");
    (void)place_of(learn_, {"nasmc", "amortized", "vsmc"}, "--learn");
    (void)place_of(order_, {"index", "hilbert"}, "--order");
    (void)place_of(update_, {"perturbed", "square-root"}, "--update");
  }

  // Options of one method are refused with another.
  void check_options() const {
    check_words();
    check_options_of_particles();
  }

  void check_options_of_particles() const {
    const infer::FilterOptions plain;
    const bool is_ensemble = method_ == "ensemble";
    if ((is_ensemble || method_ == "sqmc") && (options_.resampling != plain.resampling ||
                                               options_.resample_below != plain.resample_below))
      throw Error(ErrorCode::usage,
                  is_ensemble ? "members of an ensemble have no weights, and none is resampled"
                              : "quasi-Monte Carlo resamples at every time by its own points",
                  options_.resampling != plain.resampling ? "--resampling" : "--resample-below",
                  "leave it out");
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

  // All that a run follows from, however many there are to be.
  std::string identity(const infer::FilterOptions& options) const {
    std::string text =
        results::to_json(
            {.model = asked_.model, .run = {}, .init = {}, .inv_metric = {}, .output = {}}) +
        fmt::format(" {} {} {} {} {} {} {} {} {} {} {} {} {} {}", method_, regimes_, proposal_,
                    learn_, learning_.num_steps, order_, update_, ensemble_.inflation, asked_.kappa,
                    options.num_particles, options.resample_below, options.resampling, options.seed,
                    options.levels.size()) +
        fmt::format(" {}", num_more_) + CREDO_VERSION + results::arithmetic();
    for (const auto& [name, content] : asked_.model.files.contents()) text += name + content;
    for (const std::vector<double>& draw : draws_)
      for (const double x : draw) text += fmt::format(" {}", x);
    return text;
  }

  // A run of the method at the parameters of a model of its own, of all methods alike.
  infer::SwitchingResult one_run(model::StateModel& states, const infer::FilterOptions& options,
                                 Index number) const {
    if (is_gaussian()) return gaussian(states, options);
    if (switches()) {
      const auto moves =
          static_cast<infer::RegimeMoves>(place_of(regimes_, {"prior", "optimal"}, "--regimes"));
      if (switching_)
        return held(states, *switching_,
                    infer::run_switching_filter(*switching_, options, moves, number));
      const numerics::SwitchingModel switching = model::switching_model(states);
      return held(states, switching,
                  infer::run_switching_filter(switching, options, moves, number));
    }
    if (method_ == "ensemble") {
      infer::EnsembleOptions ensemble = ensemble_;
      ensemble.update = static_cast<infer::EnsembleUpdate>(
          place_of(update_, {"perturbed", "square-root"}, "--update"));
      const auto make_distributions = [&] { return std::make_unique<ReadOutcomes>(states); };
      return {infer::run_ensemble_filter(states, make_distributions, options, ensemble, number),
              {}};
    }
    return {infer::run_filter(*particles_of(states), options, number), {}};
  }

  // Checks that the regimes' linear models agree with the program along the filtered path, too.
  static infer::SwitchingResult held(model::StateModel& states,
                                     const numerics::SwitchingModel& switching,
                                     infer::SwitchingResult result) {
    std::vector<model::KalmanTime> path;
    for (const infer::FilteredTime& t : result.filtered.times)
      path.push_back({.log_increment = t.log_increment, .mean = t.mean, .sd = t.sd});
    model::require_along(states, switching, path);
    return result;
  }

  // What particles of the method follow.
  std::shared_ptr<const density::StateSpace> particles_of(const model::StateModel& states) const {
    if (method_ == "sqmc") return std::make_shared<model::UniformMap>(states);
    if (distribution_) return model::LearnableStates(states).guided_by(*distribution_);
    const auto distribution =
        place_of(proposal_, {"program", "ukf", "ekf", "laplace"}, "--proposal");
    if (distribution == 0) return {std::shared_ptr<void>(), &states};
    return std::make_shared<model::GaussianProposal>(
        states, static_cast<model::ProposalDistribution>(distribution - 1), asked_.kappa);
  }

  // What all runs share, in whatever order they come: what the model compiles, and what doesn't depend on the run.
  void settle(model::StateModel& states, infer::FilterOptions options) {
    options.checkpoints = nullptr;  // nothing of it is kept
    options.quantiles = false;
    if (is_gaussian() || method_ == "ensemble")
      one_run(states, options, 0);
    else if (!switches())
      infer::settle_model(*particles_of(states), options);
    else if (numerics::SwitchingModel model = model::switching_model(states); draws_.empty())
      switching_ = std::move(model);
  }

  // The distribution that all runs draw from, learnt at the parameters of the first.
  void learn(const model::StateModel& states, const infer::FilterOptions& options) {
    model::LearnableStates space(states);
    learning_.how =
        static_cast<infer::Learning>(place_of(learn_, {"nasmc", "amortized", "vsmc"}, "--learn"));
    learning_.seed = options.seed;
    distribution_ = infer::learn_proposal(space, learning_);
  }

  void choose_moves(infer::FilterOptions& options) const {
    if (is_gaussian() || switches() || method_ == "ensemble") return;
    options.quasi = method_ == "sqmc";
    options.sorted = order_ == "hilbert";
    if (!options.quasi)
      options.method = static_cast<infer::FilterMethod>(
          place_of(method_, {"bootstrap", "guided", "auxiliary"}, "--method"));
  }

  infer::SwitchingResult gaussian(const model::StateModel& states,
                                  const infer::FilterOptions& options) const {
    model::GaussianTrack track = *asked_.gaussian_track(states, method_);
    const std::vector<model::KalmanTime> outcomes =
        asked_.gaussian_forecast(states, method_, track);
    const model::KalmanRun exact = model::filtered_run(track);
    num_checked_ = exact.num_checked;
    infer::SwitchingResult result;
    result.filtered.log_likelihood = exact.log_likelihood;
    for (const model::KalmanTime& t : exact.times)
      result.filtered.times.push_back({.log_increment = t.log_increment,
                                       .mean = t.mean,
                                       .sd = t.sd,
                                       .quantiles = t.quantiles(options.levels)});
    for (std::size_t k = 0; k < outcomes.size(); ++k)
      result.filtered.times[result.filtered.times.size() - outcomes.size() + k].outcome = {
          outcomes[k].mean, outcomes[k].sd, outcomes[k].quantiles(options.levels)};
    return result;
  }

  // Ranks and threads share the runs; where there are more threads than runs, they share the particles of each. With --output what
  // is done is kept beside it, until the function that is returned says that the result is there.
  std::function<void()> run_repeats(model::StateModel& states, results::FilterRun& run,
                                    Output& output) {
    using results::FilterRepeat;
    infer::FilterOptions& options = run.options;
    const Index count = run.exact && !run.of_draws ? 1 : asked_.num_repeats;
    const bool keeps =
        !asked_.output.empty() && !run.exact && (ranks == nullptr || ranks->rank() == 0);
    const auto kept = std::make_shared<KeptWork<FilterRepeat>>(
        KeptWorkOptions{.file = keeps ? asked_.output : "",
                        .identity = keeps ? identity(options) : "",
                        .what = "runs of the filter",
                        .count = count,
                        .is_quiet = true},
        output);
    std::shared_ptr<results::FilterStateFile> state;
    if (keeps)
      state = std::make_shared<results::FilterStateFile>(asked_.output + ".run.state",
                                                         identity(options));
    options.checkpoints = state.get();
    choose_moves(options);
    if (keeps && (!kept->done().empty() || state->is_there()))
      output.note(
          going_on({.file = asked_.output, .what = "whole runs of the filter", .count = count},
                   ssize(kept->done())));
    if (proposal_ == "learned") learn(states, options);
    if (count > 1) settle(states, options);
    const RanksScope over(ranks);
    const Index share = ranks == nullptr ? count : (count + ranks->size() - 1) / ranks->size();
    const Index at_once = std::min(options.num_threads, share);
    const auto on_done = [&, tell = kept->on_done()](Index number, const FilterRepeat& repeat) {
      tell(number, repeat);
      if (state != nullptr) state->drop(number);
    };
    std::vector<FilterRepeat> all =
        results::share_out_results<FilterRepeat>(count, at_once, kept->done(), on_done, [&] {
          return [&](Index number) -> FilterRepeat {
            infer::FilterOptions own = options;
            own.num_threads = std::max<Index>(options.num_threads / at_once, 1);
            own.quantiles = run.of_draws || number == 0;
            std::optional<model::StateModel> copy;
            model::StateModel& at = count == 1 ? states : copy.emplace(states);
            if (run.of_draws) at.move_to(draws_[static_cast<std::size_t>(number)]);
            std::unique_ptr<density::OutcomeDraws> draws;
            if (run.first_forecast < at.num_times() && !run.exact) draws = at.make_outcome_draws();
            own.outcomes = draws.get();
            return {one_run(at, own, number)};
          };
        });
    options.checkpoints = nullptr;
    run.num_checked = num_checked_;
    take_repeats(run, {std::make_move_iterator(all.begin()), std::make_move_iterator(all.end())});
    return [kept, state, &output] {
      if (state == nullptr) return;
      if (const std::string left = state->remove(); !left.empty()) output.note(left);
      kept->forget();
    };
  }

  StateSpaceArguments asked_;
  infer::FilterOptions options_;
  std::string method_ = "bootstrap", regimes_ = "prior", proposal_ = "program", order_ = "index",
              update_ = "perturbed", fit_;
  std::string learn_ = "nasmc";
  Index num_more_ = 0;  // times after the data
  infer::EnsembleOptions ensemble_;
  infer::LearnOptions learning_;
  std::optional<numerics::ConditionalNormal> distribution_;  // that was learnt
  std::vector<std::vector<double>> draws_;                   // of the fit: positions
  mutable std::atomic<Index> num_checked_ = 0;               // of exact filters: number of points
  std::optional<numerics::SwitchingModel> switching_;  // where all runs are at the same parameters
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
    make_command<Filter>,
    "Standard output: likelihood and a table of the state. With --output: all times, as one "
    "NetCDF-4 file (groups filtered, "
    "filter_stats, evidence); until it is complete OUTPUT.run and OUTPUT.run.state, from which the "
    "same command goes on.",
    OverRanks::by_words};

}  // namespace credo::cli
