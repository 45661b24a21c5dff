#include "cli/fit/fitted_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/summarise.hpp"
#include "io/data/data_files.hpp"
#include "io/data/data_recipe.hpp"
#include "model/model.hpp"
#include "results/draws/support.hpp"
#include "results/files/data_digest.hpp"
#include "results/files/modes.hpp"
#include "results/files/selection.hpp"

namespace credo::cli {

std::unique_ptr<Fit> open_result(std::span<const std::string> paths, Output& output) {
  auto fit = open_fit(paths);
  note_doubts(*fit, output);
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

void read_like(const Fit& fit, ModelArguments& arguments, results::GivenData given) {
  arguments.settle();
  arguments.data =
      results::recipe_like(
          fit, io::parse_data_recipe(arguments.data),
          [&](const std::string& path) -> const std::string& { return arguments.files.read(path); },
          given)
          .text();
}

void read_like_or_own(const Fit& fit, ModelArguments& arguments) {
  read_like(fit, arguments, results::GivenData::other);
  const std::string& own = fit.origin().data_path;
  if (!arguments.data.empty() || own.empty()) return;
  if (lacks_data(fit))
    throw Error(ErrorCode::usage, "the fit was written without its data (--no-data)",
                fit.origin().source, "add --data FILE");
  const io::InputFiles::Contents kept = fit.files();
  for (const std::string& path : io::data_files(own)) arguments.files.add(path, kept.at(path));
  arguments.files.come_from(fit.origin().source);
  arguments.data = own;
}

void require_data_of(const Fit& fit, const model::Model& model, Output& output, bool json) {
  const auto fitted =
      FittedModel().of(fit, output, json, "it isn't checked that the given data are the same");
  if (fitted == nullptr) return;
  const std::string difference =
      results::difference_of_data(results::digests_of_all(*fitted), results::digests_of_all(model));
  if (!difference.empty())
    throw Error(ErrorCode::data, "the fit has other data: " + difference, fit.origin().source,
                "give the data that the fit was made of");
}

void note_centres(const model::Model& fitted, const model::Model& predicted, Output& output) {
  const std::vector<density::ObservedVariable> then = fitted.data().centres();
  for (const density::ObservedVariable& one : predicted.data().centres()) {
    const auto same = std::ranges::find_if(
        then, [&](const auto& other) { return other.variable.name == one.variable.name; });
    if (same == then.end() || same->values.size() != one.values.size()) continue;
    const auto differs = std::ranges::mismatch(same->values, one.values);
    if (differs.in1 == same->values.end()) continue;
    output.note(fmt::format(
        "{} is computed from the data: it is {:.6g} for the fit and {:.6g} here, and the "
        "parameters "
        "belong to the first. To predict at the fit's, declare it as data and give that value.\n",
        one.variable.name, *differs.in1, *differs.in2));
  }
}

DataText data_of(const Fit& fit, const model::Model* model) {
  return model == nullptr ? DataText() : DataText{fit.origin().data_path, model->data().text()};
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

void RowsArgument::describe(Arguments& arguments) {
  arguments.option(
      "--rows", rows_,
      "rows of the data. own: the elements of the program's own log_lik, where it has one; "
      "statements: the outcomes of its density statements",
      one_of({"own", "statements"}));
}

std::unique_ptr<model::Model> RowsArgument::apply(const model::Model& model) const {
  density::Query query = model.query();
  query.rows_by = rows_ == "own" ? density::RowsBy::own_first : density::RowsBy::statements;
  return model.with(query);
}

void RowsArgument::require_default(const std::string& name) const {
  if (rows_ != "own")
    throw Error(ErrorCode::usage, "a ready-made model has no density statements", name,
                "leave out --rows");
}

std::string rows_sentence(const density::Names& names, bool has_own_rows) {
  if (has_own_rows)
    return "A row is an element of the program's own log_lik; --rows statements takes those of its "
           "density statements.\n";
  if (!names.outputs().find_variable("log_lik")) return {};
  return "A row is an outcome of the density statements, not an element of the program's "
         "log_lik.\n";
}

void FittedModel::describe(Arguments& arguments, std::string_view columns_option) {
  model_.reading.columns_option = columns_option;
  arguments.option("--model", model_.model, "the Stan program, where the files don't have it (CSV)",
                   file_ending(".stan"));
  model_.reading.describe(arguments, "its data; also of a result without (--no-data)");
  arguments.option("-I,--include", model_.include_dirs, "directory for #include", any_directory());
}

namespace {
// Parameters with a constraint that rounded values violate, as simplexes.
std::vector<std::string> parameters_that_break(const model::Model& model) {
  using Kind = density::ConstraintKind;
  std::vector<std::string> names;
  for (const density::StatedVariable& variable : model.program_facts()->variables)
    if (variable.block == density::Block::parameters && variable.constraint != Kind::none &&
        variable.constraint != Kind::bounds && variable.constraint != Kind::affine)
      names.push_back(variable.name);
  return names;
}

void note_rounding(const Fit& fit, const model::Model& model, Output& output) {
  constexpr int kExactEnough = 9;  // digits: the error of a sum is below the tolerance, 1e-8
  const int digits = fit.origin().num_digits;
  const std::vector<std::string> names = parameters_that_break(model);
  if (digits == 0 || digits > kExactEnough || names.empty()) return;
  output.note(fmt::format(
      "{} is written with {} digits: draws of {} are taken to be the values that obey the "
      "constraint and are written so\n",
      fit.origin().source, digits, fmt::join(names, ", ")));
}
}  // namespace

std::unique_ptr<model::Model> FittedModel::of(const Fit& fit, Output& output, bool json,
                                              std::string_view without) {
  if (!model_.model.empty()) {
    auto model = load_model(model_, output, json);
    results::require_support(fit, *model->program_facts());
    return model;
  }
  if (fit.files().empty() || fit.origin().spec.empty()) return nullptr;
  if (!lacks_data(fit)) {
    require_own_data(fit);
    return rebuild_model(fit);
  }
  const model::DataFiles given = data();
  if (!given.recipe.empty()) return rebuild_model(fit, &given);
  if (!json)
    output.note(fmt::format("{} was written without its data (--no-data): {}\n",
                            fit.origin().source, without));
  return nullptr;
}

// A fit that keeps its data reads no other data, so that such data are refused rather than ignored.
void FittedModel::require_own_data(const Fit& fit) {
  const io::InputFiles::Contents kept = fit.files();
  for (const auto& [path, text] : data().texts) {
    const bool is_own =
        std::ranges::any_of(kept, [&](const auto& file) { return file.second == text; });
    if (!is_own)
      throw Error(ErrorCode::usage,
                  fmt::format("{} keeps the data it was made of, and {} isn't among them",
                              fit.origin().source, path),
                  "--data",
                  "leave it out; other data are for credo predict, and for credo score --test");
  }
}

std::unique_ptr<model::Model> FittedModel::needed(const Fit& fit, Output& output, bool json,
                                                  const std::string& way_out) {
  read_like(fit, model_, results::GivenData::own);
  auto model = of(fit, output, json, "the log likelihood needs them");
  if (model == nullptr)
    throw Error(ErrorCode::usage,
                "the log likelihood is computed by the model, which isn't at hand",
                fit.origin().source, way_out);
  note_rounding(fit, *model, output);
  return model;
}

bool FittedModel::is_given(const Fit& fit) const {
  return !model_.model.empty() ||
         (lacks_data(fit) && !(model_.data + model_.reading.recipe()).empty());
}

model::DataFiles FittedModel::data() { return model_.read_files(); }

void FittedModel::read_others_alike() {
  others_ = model_.reading;
  if (!model_.reading.files.empty()) return;
  model_.reading = {};
  model_.reading.columns_option = others_.columns_option;
}

std::unique_ptr<model::Model> FittedModel::with_file(const Fit& fit, const std::string& path,
                                                     Output& output, bool json) {
  ModelArguments other = model_;
  other.data = {};
  other.reading = others_;
  other.reading.files = {path};
  other.may_lack_outcomes = true;
  read_like(fit, other, results::GivenData::other);
  if (!model_.model.empty()) return load_model(other, output, json);
  const model::DataFiles data = other.read_files();
  auto model = rebuild_model(fit, &data, true);
  note_data(data, *model, output, json);
  return model;
}

}  // namespace credo::cli
