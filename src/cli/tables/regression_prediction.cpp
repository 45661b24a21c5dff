#include "cli/tables/regression_prediction.hpp"

#include <fmt/format.h>

#include "cli/project/regression_file.hpp"
#include "cli/term/terminal.hpp"
#include "io/data/data_files.hpp"
#include "model/model.hpp"
#include "models/regression/prediction.hpp"

namespace credo::cli {
namespace {
std::vector<std::string> kept_quantities(const RegressionScale& scale, bool is_ordinal) {
  const std::string mean = is_ordinal ? "probability" : "mean_outcome";
  if (scale.scale == "linear") return {"linear"};
  if (scale.scale == "mean") return {mean};
  if (scale.scale == "outcome") return {"outcome"};
  return {mean, "outcome"};
}

models::NewLevels new_levels(const RegressionScale& scale) {
  if (scale.new_groups == "refuse") return models::NewLevels::refuse;
  return scale.new_groups == "mean" ? models::NewLevels::mean : models::NewLevels::draw;
}
}  // namespace

models::Regression regression_of_fit(const results::Fit& fit, Output& output) {
  io::InputFiles files(fit.files());
  const std::string name(kRegressionFile);
  models::RegressionRequest request = models::parse_request(files.read(name), name);
  if (!io::holds_data(files.contents(), request.data.text()))
    throw Error(ErrorCode::usage,
                "the result was written without its table (--no-data), from which levels and "
                "centres are computed",
                fit.origin().source, "fit again without --no-data");
  models::Regression made = regression_of(request, files, output);
  if (made.program == files.read(fit.origin().model_path)) return made;
  throw Error(ErrorCode::usage,
              "the program of this fit differs from the one that this version writes for the same "
              "formula",
              fit.origin().source, "fit the regression again with this version");
}

bool is_regression(const results::Fit& fit) {
  return fit.files().contains(std::string(kRegressionFile));
}

std::unique_ptr<model::Model> regression_prediction(const results::Fit& fit, ModelArguments& model,
                                                    const RegressionScale& scale,
                                                    results::PredictOptions& options,
                                                    Output& output) {
  const models::Regression made = regression_of_fit(fit, output);
  model.settle();
  io::InputFiles kept(fit.files());
  const bool is_own = model.data.empty();
  io::InputFiles& files = is_own ? kept : model.files;
  io::DataRecipe recipe = is_own ? made.recipe : io::parse_data_recipe(model.data);
  models::FormulaFaults faults;
  const models::Prediction prediction = models::make_prediction(
      made, recipe, new_levels(scale),
      [&](const std::string& path) -> const std::string& { return files.read(path); }, faults);
  if (!faults.empty()) {
    output.note(visible(faults.text(made.formula)));
    throw Error(ErrorCode::data, fmt::format("the table has {} fault{}", faults.size(),
                                             faults.size() == 1 ? "" : "s"));
  }
  for (const std::string& note : prediction.notes) output.note(visible(note) + "\n");
  ModelArguments arguments;
  auto made_model = load_prediction(prediction, arguments, output);
  if (options.selection.empty())
    options.selection.keep = kept_quantities(scale, made.family->has_categories());
  options.model_path = arguments.model, options.data_path = arguments.data;
  options.files = arguments.files.contents();
  options.keeps_reached = true;  // rows are computed one after another
  return made_model;
}

std::unique_ptr<model::Model> load_prediction(const models::Prediction& prediction,
                                              ModelArguments& arguments, Output& output) {
  constexpr const char *kProgram = "predictions.stan", *kData = "predictions.json";
  arguments.model = kProgram;
  arguments.data = io::DataRecipe{.files = {kData}}.text();
  arguments.is_noted = false;
  arguments.files.add(kProgram, prediction.program);
  arguments.files.add(kData, prediction.data);
  return load_model(arguments, output, true);
}

}  // namespace credo::cli
