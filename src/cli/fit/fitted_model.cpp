#include "cli/fit/fitted_model.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/run/sample_run.hpp"
#include "cli/run/summarise.hpp"
#include "model/model.hpp"
#include "results/draws/support.hpp"
#include "results/files/modes.hpp"
#include "results/files/selection.hpp"

namespace credo::cli {

std::unique_ptr<Fit> open_result(std::span<const std::string> paths, Output& output) {
  auto fit = open_fit(paths);
  tell_doubts(*fit, output);
  const io::InputFiles::Contents files = fit->files();
  const auto text = files.find(fit->origin().model_path);
  if (text == files.end()) return fit;
  if (const auto program = model::facts_of_text(text->first, text->second))
    results::require_support(*fit, *program);
  return fit;
}

std::unique_ptr<Fit> open_draws(std::span<const std::string> paths, Output& output) {
  auto fit = open_result(paths, output);
  if (holds_modes(*fit))
    throw Error(ErrorCode::usage, "these are modes, no draws", paths[0],
                "credo sample draws from the posterior");
  return fit;
}

DataText data_of(const Fit& fit, const model::Model* model) {
  return model == nullptr ? DataText() : DataText{fit.origin().data_path, model->data_text()};
}

std::vector<Index> named_quantities(const Fit& fit, std::span<const std::string> patterns) {
  std::vector<Index> chosen;
  const auto add = [&](Index quantity) {
    if (std::find(chosen.begin(), chosen.end(), quantity) == chosen.end())
      chosen.push_back(quantity);
  };
  for (const std::string& pattern : patterns) {
    if (const auto found = find_quantity(fit, pattern)) {
      add(*found);
      continue;
    }
    for (const Index place : results::places_of(pattern, "--columns", fit.layout().element_names()))
      add(first_output(fit) + place);
  }
  return chosen;
}

void FittedModel::describe(Arguments& arguments, std::string_view columns_option) {
  model_.reading.columns_option = columns_option;
  arguments.option("--model", model_.model, "the Stan program, where the files don't have it (CSV)",
                   file_ending(".stan"));
  model_.reading.describe(arguments, "its data; also of a result without (--no-data)");
  arguments.option("-I,--include", model_.include_dirs, "directory for #include", any_directory());
}

std::unique_ptr<model::Model> FittedModel::of(const Fit& fit, Output& output, bool json,
                                              std::string_view without) {
  if (!model_.model.empty()) {
    auto model = load_model(model_, output, json);
    results::require_support(fit, *model->program_facts());
    return model;
  }
  if (fit.files().empty() || fit.origin().spec.empty()) return nullptr;
  if (!lacks_data(fit)) return rebuild_model(fit);
  const model::DataFiles given = data();
  if (!given.recipe.empty()) return rebuild_model(fit, &given);
  if (!json)
    output.note(fmt::format("{} was written without its data (--no-data): {}\n",
                            fit.origin().source, without));
  return nullptr;
}

std::unique_ptr<model::Model> FittedModel::needed(const Fit& fit, Output& output, bool json,
                                                  const std::string& way_out) {
  auto model = of(fit, output, json, "the log likelihood needs them");
  if (model == nullptr)
    throw Error(ErrorCode::usage,
                "the log likelihood is computed by the model, which isn't at hand",
                fit.origin().source, way_out);
  return model;
}

bool FittedModel::is_given(const Fit& fit) const {
  return !model_.model.empty() ||
         (lacks_data(fit) && !(model_.data + model_.reading.recipe()).empty());
}

model::DataFiles FittedModel::data() { return model_.read_files(); }

}  // namespace credo::cli
