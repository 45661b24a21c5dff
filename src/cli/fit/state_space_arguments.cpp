#include "cli/fit/state_space_arguments.hpp"

#include <fmt/format.h>

#include "base/processors.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "model/states/linearised_run.hpp"

namespace credo::cli {
namespace {
constexpr double kMostKappa = 1e6;

model::LinearisedOptions linearised_options(const std::string& method, double kappa) {
  return {.how = method == "ekf" ? model::Linearisation::extended : model::Linearisation::unscented,
          .kappa = kappa};
}
}  // namespace

void StateSpaceArguments::describe_parameters(Arguments& arguments) {
  arguments.option("--parameters", parameters,
                   "values of the parameters that the state-space model reads, as initial values "
                   "are given; not of the states",
                   file_ending(".json"));
}

void StateSpaceArguments::describe_gaussian(Arguments& arguments) {
  arguments.option("--kappa", kappa,
                   "of ukf, as a filter or a proposal: how far sigma points lie out, sqrt(d + "
                   "kappa) standard deviations; 0: "
                   "the cubature rule",
                   from_to(0, kMostKappa));
}

void StateSpaceArguments::describe_runs(Arguments& arguments, const RepeatWords& words) {
  arguments.option("--repeats", num_repeats, words.help,
                   changing(Changes::amount, from_to(static_cast<double>(words.least), 100000)));
  arguments.option("--threads", num_threads,
                   "0: one for each processor; the result is the same for any number",
                   changing(Changes::nothing, from_to(0, 4096)));
  arguments.option("-o,--output", output, "the result, as NetCDF-4",
                   output_file(".nc", Writes::kept_file));
}

// Parameters that aren't given are NaN: the states among them, which the functions don't read by name.
StateSpaceArguments::Loaded StateSpaceArguments::load(Output& to, bool json, const char* command,
                                                      const PositionOf& position_of,
                                                      Index num_more) {
  if (model.terms != "all")
    throw Error(ErrorCode::usage, fmt::format("{} asks for no log density", command), "--terms",
                "leave it out");
  if (model.discrete == "sum")
    throw Error(ErrorCode::usage, fmt::format("{} asks for no log density", command), "--discrete",
                "leave it out");
  model.discrete =
      "gibbs";  // the state functions are asked, not a density that sums parameters out
  Loaded loaded{.model = load_model(model, to, json), .states = nullptr};
  std::vector<double> position(static_cast<std::size_t>(loaded.model->dimension()), kNaN);
  if (position_of)
    position = position_of(*loaded.model);
  else if (!parameters.empty())
    position = loaded.model->unconstrain(
        io::parse_json_data(model.files.read(parameters), parameters), position);
  loaded.states = std::make_unique<model::StateModel>(*loaded.model, position, num_more);
  return loaded;
}

std::optional<model::GaussianTrack> StateSpaceArguments::gaussian_track(
    const model::StateModel& states, const std::string& method) const {
  if (method == "kalman") return model::kalman_track(states);
  if (method == "information") return model::information_track(states);
  if (method != "ekf" && method != "ukf") return std::nullopt;
  return model::linearised_track(states, linearised_options(method, kappa));
}

std::vector<model::KalmanTime> StateSpaceArguments::gaussian_forecast(
    const model::StateModel& states, const std::string& method, model::GaussianTrack& track) const {
  if (method == "ekf" || method == "ukf")
    return model::linearised_forecast(states, linearised_options(method, kappa), track);
  return model::forecast_outcomes(states, track,
                                  method == "kalman" ? "--method kalman" : "--method information");
}

results::FitOutput StateSpaceArguments::place() const {
  results::FitOutput to{.path = output};
  to.readers = model.files.readers();
  std::vector<std::string> inputs;
  for (const auto& [path, text] : model.files.contents()) inputs.push_back(path);
  if (!output.empty()) results::require_places(to, 1, inputs);
  return to;
}

results::Outcomes StateSpaceArguments::outcomes(const model::Model& model,
                                                const model::StateModel& states) {
  const auto slot = static_cast<std::size_t>(states.functions().outcome);
  results::Outcomes all{.name = model.source().program.globals[slot].name, .values = {}};
  for (Index t = 0; t < states.num_times(); ++t) {
    std::vector<double> at = states.outcome_at(t);
    all.is_scalar = at.size() == 1;
    if (!states.is_observed(t)) std::fill(at.begin(), at.end(), kNaN);
    all.values.insert(all.values.end(), at.begin(), at.end());
  }
  return all;
}

void StateSpaceArguments::settle(infer::FilterOptions& options) const {
  options.seed = model.seed;
  options.num_threads = num_threads == 0 ? num_processors() : num_threads;
}

}  // namespace credo::cli
