// credo filter: where the state of a state-space model is at each time, given the outcomes up to then, and the likelihood.
#include "base/ranks.hpp"
#include "cli/command.hpp"
#include "cli/fit/filter_report.hpp"
#include "cli/fit/state_space_arguments.hpp"
#include "cli/options/field_options.hpp"
#include "cli/term/stop.hpp"
#include "infer/smc/switching_filter.hpp"
#include "model/model.hpp"
#include "model/states/gaussian_proposal.hpp"
#include "results/draws/share_out.hpp"

namespace credo::cli {
namespace {

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
        "ekf, "
        "ukf: extended and unscented Kalman filters, of normal densities whose means aren't "
        "linear; "
        "rao-blackwellised: a Kalman filter a particle, of programs that switch between regimes",
        one_of({"bootstrap", "guided", "auxiliary", "kalman", "ekf", "ukf", "rao-blackwellised"}));
    arguments.option(
        "--regimes", regimes_,
        "of rao-blackwellised: prior, each particle draws its next regime; optimal, all "
        "regimes of all particles are weighed and the best kept",
        one_of({"prior", "optimal"}));
    arguments.option(
        "--proposal", proposal_,
        "of guided: the functions of the program; or a normal law that is made of each particle, "
        "of "
        "programs whose transition is normal: ukf, by sigma points, and ekf, by a tangent, of "
        "outcomes that are normal, too; laplace, at the mode, of any outcomes",
        one_of({"program", "ukf", "ekf", "laplace"}));
    field_options(arguments, options_);
    asked_.describe_gaussian(arguments);
    asked_.describe_runs(arguments);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    check_method();
    const auto [model, states] = asked_.load(output, json, "a filter");
    const results::FitOutput to = asked_.place();
    results::FilterRun run{.program = model->name(),
                           .method = method_,
                           .state = states->state(),
                           .options = options_,
                           .repeats = {},
                           .likelihood = {}};
    if (method_ == "rao-blackwellised") {
      run_switching(*states, run);
    } else {
      const auto track = asked_.gaussian_track(*states, method_);
      track ? take_gaussian(*track, run) : run_particles(*states, run);
    }
    if (ranks != nullptr && ranks->rank() > 0) throw ShareDone{};
    if (!asked_.output.empty()) write_filter(run, to);
    output.print(json ? filter_json(run) : filter_text(run, states->how_it_moves()));
    return 0;
  }

 private:
  // Options of one method are refused with another.
  void check_method() const {
    const bool switches = method_ == "rao-blackwellised";
    if (regimes_ != "prior" && !switches)
      throw Error(ErrorCode::usage, "regimes are those of the Rao-Blackwellised filter",
                  "--regimes", "add --method rao-blackwellised");
    if (proposal_ != "program" && method_ != "guided")
      throw Error(ErrorCode::usage, "particles move by a proposal in the guided filter alone",
                  "--proposal", "add --method guided");
  }

  void run_particles(const model::StateModel& states, results::FilterRun& run) {
    infer::FilterOptions& options = run.options;
    asked_.settle(options);
    options.method = static_cast<infer::FilterMethod>(
        place_of(method_, {"bootstrap", "guided", "auxiliary"}, "--method"));
    std::unique_ptr<model::GaussianProposal> proposal;
    if (const auto law = place_of(proposal_, {"program", "ukf", "ekf", "laplace"}, "--proposal"))
      proposal = std::make_unique<model::GaussianProposal>(
          states, static_cast<model::ProposalLaw>(law - 1), asked_.kappa);
    const density::StateSpace* moved = proposal.get();
    if (moved == nullptr) moved = &states;
    if (ranks != nullptr && asked_.num_threads == 0) options.num_threads = ranks->num_processors();
    const RanksScope over(ranks);
    // One repeat at a time: threads share its particles, ranks the repeats.
    run.repeats =
        results::share_out_results<infer::FilterResult>(asked_.num_repeats, 1, {}, nullptr, [&] {
          return [moved, &options](Index repeat) {
            infer::FilterOptions own = options;
            own.quantiles = repeat == 0;
            return infer::run_filter(*moved, own, repeat);
          };
        });
    std::vector<double> all;
    for (const infer::FilterResult& repeat : run.repeats) all.push_back(repeat.log_likelihood);
    run.likelihood = infer::combined_likelihood(all);
  }

  void run_switching(model::StateModel& states, results::FilterRun& run) {
    infer::FilterOptions& options = run.options;
    asked_.settle(options);
    const auto moves =
        static_cast<infer::RegimeMoves>(place_of(regimes_, {"prior", "optimal"}, "--regimes"));
    const numerics::SwitchingModel model = model::switching_model(states);
    std::vector<double> all;
    for (Index r = 0; r < asked_.num_repeats; ++r) {
      options.quantiles = r == 0;
      infer::SwitchingResult result = infer::run_switching_filter(model, options, moves, r);
      if (r == 0) run.regimes = std::move(result.regimes);
      all.push_back(result.filtered.log_likelihood);
      run.repeats.push_back(std::move(result.filtered));
    }
    run.likelihood = infer::combined_likelihood(all);
  }

  static void take_gaussian(const model::GaussianTrack& track, results::FilterRun& run) {
    const model::KalmanRun exact = model::filtered_run(track);
    run.exact = true;
    infer::FilterResult result{
        .log_likelihood = exact.log_likelihood, .times = {}, .generations = {}};
    for (const model::KalmanTime& t : exact.times)
      result.times.push_back({.log_increment = t.log_increment,
                              .mean = t.mean,
                              .sd = t.sd,
                              .quantiles = t.quantiles(infer::kFilterLevels)});
    run.repeats.push_back(std::move(result));
    run.likelihood = {.log_likelihood = exact.log_likelihood, .error = 0.0};
  }

  StateSpaceArguments asked_;
  infer::FilterOptions options_;
  std::string method_ = "bootstrap", regimes_ = "prior", proposal_ = "program";
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
    "  credo filter switching.stan --data data.json --method rao-blackwellised\n",
    make_command<Filter>,
    "Standard output: likelihood and a table of the state. With --output: all times, as one "
    "NetCDF-4 file (groups filtered, "
    "filter_stats, evidence).",
    OverRanks::by_words};

}  // namespace credo::cli
