// credo filter: where the state of a state-space model is at each time, given the outcomes up to then, and the likelihood.
#include <fmt/format.h>

#include "base/processors.hpp"
#include "cli/command.hpp"
#include "cli/fit/filter_report.hpp"
#include "cli/load.hpp"
#include "cli/options/field_options.hpp"
#include "cli/term/stop.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "model/states/kalman_run.hpp"
#include "model/states/state_model.hpp"

namespace credo::cli {
namespace {

class Filter final : public Command {
 public:
  void describe(Arguments& arguments) override {
    model_.describe(arguments);
    arguments.group("Filter");
    arguments.option("--parameters", parameters_,
                     "values of the parameters that the state-space model reads, as initial values "
                     "are given; not of the states",
                     file_ending(".json"));
    arguments.option(
        "--method", method_,
        "bootstrap: particles that move by the transition; guided: by the program's proposal; "
        "auxiliary: parents chosen by lookahead_lpdf; kalman: exact, of linear-Gaussian models",
        one_of({"bootstrap", "guided", "auxiliary", "kalman"}));
    field_options(arguments, options_);
    arguments.option("--repeats", num_repeats_,
                     "independent runs, from which the error of the log likelihood is known",
                     from_to(1, 100000));
    arguments.option("--threads", num_threads_,
                     "0: one for each processor; the result is the same for any number",
                     from_to(0, 4096));
    arguments.option("-o,--output", output_, "the result, as NetCDF-4", file_ending(".nc"));
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    if (model_.terms != "all")
      throw Error(ErrorCode::usage, "a filter asks for no log density", "--terms", "leave it out");
    const auto model = load_model(model_, output, json);
    const model::StateModel states(*model, position(*model));
    const results::FitOutput to = place();
    results::FilterRun run{.program = model->name(),
                           .method = method_,
                           .state = states.state(),
                           .options = options_,
                           .repeats = {},
                           .likelihood = {}};
    method_ == "kalman" ? run_kalman(states, run) : run_particles(states, run);
    if (!output_.empty()) write_filter(run, to);
    output.print(json ? filter_json(run) : filter_text(run, states.how_it_moves()));
    return 0;
  }

 private:
  // Parameters that aren't given are NaN: the states among them, which the functions don't read by name.
  std::vector<double> position(const model::Model& model) {
    const std::vector<double> none(static_cast<std::size_t>(model.dimension()), kNaN);
    if (parameters_.empty()) return none;
    return model.unconstrain(io::parse_json_data(model_.files.read(parameters_), parameters_),
                             none);
  }

  // Where the result goes: none of the files that are read, for those who may read them.
  results::FitOutput place() const {
    results::FitOutput to{.path = output_};
    to.readers = model_.files.readers();
    std::vector<std::string> inputs;
    for (const auto& [path, text] : model_.files.contents()) inputs.push_back(path);
    if (!output_.empty()) results::require_places(to, 1, inputs);
    return to;
  }

  void run_particles(const model::StateModel& states, results::FilterRun& run) {
    infer::FilterOptions& options = run.options;
    options.seed = model_.seed;
    options.num_threads = num_threads_ == 0 ? num_processors() : num_threads_;
    options.method = static_cast<infer::FilterMethod>(
        place_of(method_, {"bootstrap", "guided", "auxiliary"}, "--method"));
    std::vector<double> all;
    for (Index r = 0; r < num_repeats_; ++r) {
      options.quantiles = r == 0;
      run.repeats.push_back(infer::run_filter(states, options, r));
      all.push_back(run.repeats.back().log_likelihood);
    }
    run.likelihood = infer::combined_likelihood(all);
  }

  static void run_kalman(const model::StateModel& states, results::FilterRun& run) {
    const model::KalmanRun exact = model::run_kalman(states);
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

  ModelArguments model_;
  infer::FilterOptions options_;
  std::string parameters_, method_ = "bootstrap", output_;
  Index num_repeats_ = 10, num_threads_ = 0;
};
}  // namespace

extern const CommandRow filter_command{
    "filter", "follow the state of a state-space model through its times, with the likelihood",
    "  credo filter model.stan --data data.json --parameters at.json\n"
    "  credo filter model.stan --data data.json --parameters at.json --particles 10000 -o "
    "filtered.nc\n"
    "  credo filter model.stan --data data.json --parameters at.json --method kalman\n",
    make_command<Filter>,
    "Standard output: likelihood and a table of the state. With --output: all times, as one "
    "NetCDF-4 file (groups filtered, "
    "filter_stats, evidence)."};

}  // namespace credo::cli
