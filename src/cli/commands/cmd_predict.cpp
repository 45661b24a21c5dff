// credo predict: generated quantities at the draws of a fit, with other data or of a changed program.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/level_labels.hpp"
#include "cli/options/selection_arguments.hpp"
#include "cli/results.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/summarise.hpp"
#include "cli/tables/regression_prediction.hpp"
#include "cli/tables/series_fit.hpp"
#include "cli/term/stop.hpp"
#include "io/data/data_files.hpp"
#include "model/model.hpp"
#include "results/draws/predict.hpp"
#include "results/files/write_fit.hpp"

namespace credo::cli {
namespace {

class Predict final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a result, a run file, or CSV files, one a chain",
                          any_file());
    arguments.option("--model", model_.model,
                     "a program with the same parameters and other generated quantities; without "
                     "it the fit's own",
                     file_ending(".stan"));
    model_.reading.describe(arguments, "other data; without it the fit's own");
    arguments.option("-I,--include", model_.include_dirs, "directory for #include",
                     any_directory());
    arguments.flag("--outcomes", options_.outcomes,
                   "draw outcomes by the statements of the likelihood, y_rep for y; the default "
                   "for a program without generated quantities");
    arguments.option(
        "--scale", regression_.scale,
        "scale of predictions of a regression: the linear predictor, the mean of the outcome "
        "(of ordered outcomes their probabilities) or the outcome itself; without it "
        "mean and outcome",
        one_of({"linear", "mean", "outcome"}));
    arguments.option("--new-groups", regression_.new_groups,
                     "regression: effects of levels of groups that the fit hasn't seen are "
                     "drawn, once for each level and draw; mean: they are 0; refuse: an error. The "
                     "default is draw",
                     one_of({"draw", "mean", "refuse"}));
    arguments.option("--seed", options_.seed, "seed of the random numbers of generated quantities");
    arguments.option("-o,--output", output_, "FILE.nc, or the beginning of the names of CSV files",
                     output_file("*", Writes::draws));
    cli::describe(options_.selection, arguments);
    arguments.option("--sig-figs", sig_figs_, "significant digits in CSV files; 0: all",
                     from_to(0, kMostDigits));
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const auto fit = open_draws(files_, output);
    require_posterior(*fit);
    if (model_.model.empty() && is_series(*fit))
      throw Error(ErrorCode::usage, "forecasts of a series are made by its own command",
                  fit->origin().source,
                  fmt::format("credo series --of {} --ahead 12", fit->origin().source));
    const bool is_of_table = model_.model.empty() && is_regression(*fit);
    require_regression(*fit, is_of_table);
    const auto model = is_of_table
                           ? regression_prediction(*fit, model_, regression_, options_, output)
                           : model_of(*fit, output);
    options_.asked = with_inputs(asked, model_.files.contents()).text();
    const auto predicted = predict(*fit, *model, options_);
    if (!output_.empty()) write(*predicted);
    Summary summary = summarise_outputs(*predicted);
    if (!json) label_levels(summary, *predicted);
    output.print(json ? io::summary_json(summary) + "\n" : summary_text(summary));
    for (const FitNote& note : predicted->notes())
      output.note(fmt::format(
          "{} draws have no {}: {}\n", note.count,
          options_.keeps_reached ? "outcomes of some row and of those behind it" : "predictions",
          note.text));
    return 0;
  }

 private:
  void require_regression(const Fit& fit, bool is_of_table) const {
    if (is_of_table && options_.outcomes)
      throw Error(ErrorCode::usage, "outcomes of a regression are a scale of its predictions",
                  "--outcomes", "--scale outcome");
    if (is_of_table || !regression_.is_given()) return;
    throw Error(ErrorCode::usage, "the fit isn't one of credo regression",
                regression_.scale.empty() ? "--new-groups" : "--scale",
                fmt::format("credo predict {} --outcomes draws outcomes of any program",
                            fit.origin().source));
  }
  static void require_posterior(const Fit& fit) {
    const FitOrigin& origin = fit.origin();
    if (origin.spec.empty()) return;
    const double temperature = parse_run_spec(origin.spec, origin.source).model.temperature;
    if (temperature == 1.0) return;
    throw Error(ErrorCode::usage,
                fmt::format("the draws are of a power of the posterior's density (--temperature "
                            "{}), so predictions from them are not the posterior's",
                            temperature),
                origin.source,
                fmt::format("credo sample --like {} --temperature 1 -o OTHER draws from the "
                            "posterior",
                            origin.source));
  }

  std::unique_ptr<model::Model> model_of(const Fit& fit, Output& output) {
    const FitOrigin& origin = fit.origin();
    read_like(fit, model_, results::GivenData::other);
    model_.may_lack_outcomes = true;
    const auto kept = fit.files();
    options_.files = kept;
    options_.model_path = model_.model.empty() ? origin.model_path : model_.model;
    options_.data_path = model_.data.empty() ? origin.data_path : model_.data;
    if (model_.model.empty() && kept.empty())
      throw Error(ErrorCode::usage, "the files don't have their program", origin.source,
                  "name it: --model, --data");
    if (model_.data.empty() && lacks_data(fit))
      throw Error(ErrorCode::usage, "the result was written without its data (--no-data)",
                  origin.source, "name them: --data");
    std::unique_ptr<model::Model> model;
    if (model_.model.empty()) {
      const model::DataFiles data = model_.read_files();
      model = rebuild_model(fit, data.recipe.empty() ? nullptr : &data, true);
      if (!data.recipe.empty()) note_data(data, *model, output, json);
    } else {
      const bool takes_own = model_.data.empty() && !lacks_data(fit);
      if (takes_own) model_.data = origin.data_path;
      if (takes_own)
        for (const std::string& path : io::data_files(origin.data_path))
          model_.files.add(path, kept.at(path));
      model = load_model(model_, output, json);
      options_.files.clear();
    }
    for (const auto& [path, text] : model_.files.contents()) options_.files[path] = text;
    note_unknown(*model, output);
    if (!model_.data.empty()) note_centres_of(fit, *model, output);
    return model;
  }

  void note_unknown(const model::Model& model, Output& output) const {
    if (json) return;
    for (const std::string& name : model.data().unknown_outcomes())
      output.note(fmt::format(
          "{} isn't in the data: it is an outcome, which predictions don't need\n", name));
  }

  void note_centres_of(const Fit& fit, const model::Model& model, Output& output) const {
    if (model.data().centres().empty() || lacks_data(fit)) return;
    const auto fitted = FittedModel().of(fit, output, json, "");
    if (fitted != nullptr) note_centres(*fitted, model, output);
  }

  void write(Fit& fit) const {
    FitOutput to{.path = output_, .netcdf = output_.ends_with(".nc"), .sig_figs = sig_figs_};
    for (const std::string& file : files_) to.readers.narrow(file);
    require_places(to, fit.num_chains() / fit.num_walkers(), files_);
    write_fit(fit, to);
  }

  std::vector<std::string> files_;
  ModelArguments model_;
  results::PredictOptions options_;
  RegressionScale regression_;
  std::string output_;
  Index sig_figs_ = 0;
};
}  // namespace

extern const CommandRow predict_command{
    "predict",
    "predictions at the draws of a fit: generated quantities with other data or of a changed "
    "program",
    "  credo predict fit.nc --data new.json -o predictions.nc\n"
    "  credo predict fit.nc --model with_predictions.stan\n"
    "  credo predict fit.nc --data new.json --outcomes\n"
    "  credo predict fit_1.csv fit_2.csv --model model.stan --data new.json -o predictions\n"
    "  credo predict --like predictions.nc --seed 2 -o again.nc\n",
    make_command<Predict>,
    "With --output: the generated quantities, or outcomes, as one NetCDF-4 file (group "
    "predictions) or a CSV "
    "file a chain. Standard "
    "output: their summary."};

}  // namespace credo::cli
