// credo simulate: parameters from the prior of a program, and data from the program at these.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/load.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"
#include "io/json_writer.hpp"
#include "model/model.hpp"
#include "results/draws/simulate.hpp"

namespace credo::cli {
namespace {

// The first index varies fastest among the values, and is the outermost in the text.
void write_nested(io::JsonWriter& json, std::span<const Index> dims, std::span<const double> values,
                  Index stride) {
  if (dims.empty()) {
    json.number(values[0]);
    return;
  }
  json.begin_array();
  for (Index i = 0; i < dims[0]; ++i)
    write_nested(json, dims.subspan(1), values.subspan(static_cast<std::size_t>(i * stride)),
                 stride * dims[0]);
  json.end_array();
}

// Parameters in the format of initial values: names with their values.
std::string parameters_text(const density::Layout& outputs, std::span<const double> values) {
  io::JsonWriter json;
  json.begin_object();
  for (std::size_t k = 0; k < outputs.variables().size(); ++k) {
    const density::Variable& variable = outputs.variables()[k];
    const Index first = outputs.first(static_cast<Index>(k));
    if (first >= ssize(values)) break;
    json.line_break().key(variable.name);
    if (variable.size() > 0)
      write_nested(json, variable.dims, values.subspan(static_cast<std::size_t>(first)), 1);
    else
      json.begin_array().end_array();
  }
  return json.end_object().text() + "\n";
}

void write_file(const std::string& path, const std::string& text) {
  io::OutputFile file(path);
  file.write(text);
  file.commit();
}

class Simulate final : public Command {
 public:
  void describe(Arguments& arguments) override {
    model_.describe(arguments);
    arguments.group("Simulation");
    arguments.option(
        "--at", at_,
        "parameters to draw the data at, as initial values are given; without it they are drawn "
        "from the prior",
        file_ending(".json"));
    arguments.option("--number", number_, "number of the data set among those of this seed",
                     in_range({.lo = 0, .hi = 4e9}));
    arguments.option("-o,--output", file_, "the data, as JSON; without it they are printed",
                     output_file(".json"));
    arguments.option("--parameters", parameters_, "the parameters that they were drawn at, as JSON",
                     output_file(".json"));
  }

  int run(Output& output) override {
    if (model_.terms != "all")
      throw Error(ErrorCode::usage, "data are simulated from all terms of a program", "--terms",
                  "leave it out");
    for (const auto& [option, path] :
         {std::pair("--output", &file_), std::pair("--parameters", &parameters_)})
      if (!path->empty() && !path->ends_with(".json"))
        throw Error(ErrorCode::usage, "the output is JSON, but '" + *path + "' has another ending",
                    option, "end the name in .json");
    const auto model = load_model(model_, output, json);
    const auto [data, parameters] = at_.empty() ? from_prior(*model) : at_values(*model);
    if (!parameters_.empty())
      write_file(parameters_, parameters_text(model->outputs(), parameters));
    if (!file_.empty())
      write_file(file_, data);
    else
      output.print(data);
    return 0;
  }

 private:
  std::pair<std::string, std::vector<double>> from_prior(const model::Model& model) const {
    results::Simulator simulator(model);
    results::Simulator::Drawn drawn = simulator.draw(model_.seed, number_);
    simulator.require_same_prior(drawn);
    return {simulator.replicates().data_text(), std::move(drawn.parameters)};
  }
  std::pair<std::string, std::vector<double>> at_values(const model::Model& model) const {
    const std::vector<double> position =
        model.unconstrain(io::parse_json_data(io::read_file(at_), at_));
    const auto replicates = model.generative().make_replicates(position);
    Rng rng({.seed = model_.seed,
             .purpose = purpose::kReplicate,
             .chain = 4,
             .iteration = static_cast<std::uint32_t>(number_)});
    std::string note;
    if (replicates->draw(position, rng.bits(), &note).empty())
      throw Error(ErrorCode::evaluation, note, at_, "check the values there");
    std::string text = replicates->data_text();
    model.with_data(text);  // or an error: they break a declared bound
    return {std::move(text), results::outputs_at(model.draw_outputs(), position,
                                                 density::Block::transformed_parameters)};
  }

  ModelArguments model_;
  std::string at_, file_, parameters_;
  Index number_ = 0;
};
}  // namespace

extern const CommandRow simulate_command{
    "simulate", "data as a program would make them: from its prior, or at given parameters",
    "  credo simulate model.stan --data data.json --seed 1 -o simulated.json\n"
    "  credo simulate model.stan --data data.json --parameters truth.json -o simulated.json\n"
    "  credo simulate model.stan --data data.json --at values.json -o simulated.json\n",
    make_command<Simulate>,
    "With --output: the data, as JSON that credo sample takes; with --parameters: the values they "
    "were "
    "drawn at. Without "
    "--output the data on standard output."};

}  // namespace credo::cli
