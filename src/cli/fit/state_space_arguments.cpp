#include "cli/fit/state_space_arguments.hpp"

#include <fmt/format.h>

#include "base/processors.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"

namespace credo::cli {
void StateSpaceArguments::describe_parameters(Arguments& arguments) {
  arguments.option("--parameters", parameters,
                   "values of the parameters that the state-space model reads, as initial values "
                   "are given; not of the states",
                   file_ending(".json"));
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
      "gibbs";  // the state functions are evaluated, not a density that sums parameters out
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
