#include "cli/options/initial_values.hpp"
#include "cli/options/field_options.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "cli/options/sampler_arguments.hpp"
#include "io/json_reader.hpp"
#include "io/number_text.hpp"
#include "model/model.hpp"
#include "results/files/start_points.hpp"

namespace credo::cli {
namespace {
using results::StartPoints, results::is_start_json, results::parse_start_json;

std::string warnings_of_strangers(const io::DataTable& table, const model::Model& model) {
  using lang::typed::BlockKind;
  std::vector<std::string> parameters;
  const auto& globals = model.source().program.globals;
  for (const auto& variable : globals)
    if (variable.block == BlockKind::parameters) parameters.push_back(variable.name);
  std::string warnings;
  for (const std::string& name : table.names()) {
    const bool is_output = std::any_of(globals.begin(), globals.end(), [&](const auto& variable) {
      return variable.name == name && variable.block >= BlockKind::parameters &&
             variable.block != BlockKind::model;
    });
    if (is_output) continue;
    const std::string hint = did_you_mean(name, parameters);
    warnings +=
        fmt::format("{}: warning: {} is no parameter of the program: its value is ignored\n",
                    table.where_name(name), name);
    warnings += fmt::format("  hint: {}\n", hint.empty() ? "remove it" : hint);
  }
  return warnings;
}

// One point for each chain, or one for all.
std::vector<std::vector<double>> points_of(StartPoints starts, Index num_chains,
                                           const std::string& source) {
  std::vector<std::vector<double>>& points = starts.points;
  if (ssize(points) > 1 && ssize(points) < num_chains)
    throw Error(ErrorCode::usage,
                fmt::format("{} points to begin at were kept of {}, for {} chains", points.size(),
                            source, num_chains),
                "--init", fmt::format("name the result anew: --init {}", source));
  if (ssize(points) > num_chains) points.resize(static_cast<std::size_t>(num_chains));
  return std::move(points);
}
}  // namespace

void InitialValues::describe(Arguments& a) {
  a.option("--init", text,
           "initial points: prior; mode, near modes that climbs from the prior find; RADIUS, "
           "uniform; FILE, JSON or the last draws or best mode of a result",
           {.word = "prior|mode|RADIUS|FILE", .ending = "*"});
}

std::string InitialValues::apply(const model::Model& model, io::InputFiles& files,
                                 infer::SampleOptions& options) const {
  if (text.empty()) return {};
  options.init.clear();
  options.init_prior = text == kFromPrior;
  if (options.init_prior) return {};
  if (const auto radius = io::parse_number(text)) {
    if (!range_of(options, "init_radius").range.contains(*radius))
      throw Error(ErrorCode::usage,
                  fmt::format("a radius must be at least 0 and finite, is {}", text), "--init",
                  "the default is 2; a file of initial values is given by its name");
    options.init_radius = *radius;
    return {};
  }
  if (const std::string& content = files.read(text); is_start_json(content)) {
    options.init =
        points_of(parse_start_json(content, text, model.free_names()), options.num_chains, text);
    return {};
  }
  const std::vector<double> missing(static_cast<std::size_t>(model.dimension()), kNaN);
  const io::DataTable table = io::parse_json_data(files.read(text), text);
  options.init = {model.unconstrain(table, missing)};
  return warnings_of_strangers(table, model);
}

}  // namespace credo::cli
