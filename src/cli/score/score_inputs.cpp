#include "cli/score/score_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest_name.hpp"
#include "cli/chain/chain_file.hpp"
#include "io/data/data_files.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "numerics/log_sum.hpp"
#include "score/density_ratio.hpp"
#include "score/full_conformal.hpp"
#include "score/quantile_regression.hpp"

namespace credo::cli {
namespace {
std::vector<std::string> forms() {
  std::vector<std::string> names;
  for (Index k = 0; k < score::kNumForms; ++k)
    names.emplace_back(score::name_of(static_cast<score::Form>(k)));
  return names;
}

// Columns of numbers beside 1.
class Design {
 public:
  Design(const std::string& names, const char* option) : option_(option) {
    for (std::size_t first = 0; first <= names.size();) {
      const std::size_t end = std::min(names.find(',', first), names.size());
      names_.push_back(names.substr(first, end - first));
      first = end + 1;
    }
  }
  std::vector<double> rows(const score::CsvColumns& table) const {
    std::vector<Index> columns;
    for (const std::string& name : names_) {
      const auto column = table.find(name);
      if (!column)
        throw Error(ErrorCode::usage, fmt::format("{} has no column '{}'", table.source(), name),
                    option_, did_you_mean(name, table.names()));
      columns.push_back(*column);
    }
    std::vector<double> values;
    for (Index i = 0; i < table.num_rows(); ++i) {
      values.push_back(1.0);
      for (const Index column : columns) values.push_back(table.finite(i, column));
    }
    return values;
  }
  Index size() const { return ssize(names_) + 1; }

 private:
  const char* option_;
  std::vector<std::string> names_;
};

// A result of ours or CmdStan's, and no table of predictions.
bool is_of_fit(const std::string& path) {
  if (results::is_run_file(path) || results::is_netcdf_file(path)) return true;
  const std::string text = io::read_file(path);
  return text.starts_with("#") || text.starts_with("lp__,");
}

score::CsvColumns open_table(const std::string& path) { return {io::read_file(path), path}; }

std::vector<double> outcomes_of(const score::CsvColumns& table, const std::string& name,
                                bool needed) {
  const auto column = table.find(name);
  if (!column && needed)
    throw Error(ErrorCode::data, fmt::format("there is no column '{}'", name), table.source(),
                "name the outcome's: --outcome");
  std::vector<double> outcomes;
  for (Index i = 0; i < table.num_rows(); ++i)
    outcomes.push_back(!column  ? kNaN
                       : needed ? table.finite(i, *column)
                                : table.number(i, *column));
  return outcomes;
}
}  // namespace

std::vector<double> parse_shares(const std::string& text, const std::string& option) {
  std::vector<double> shares = parse_number_list(text, option);
  double sum = 0.0;
  for (const double x : shares) {
    if (!(x > 0.0) || !std::isfinite(x))
      throw Error(ErrorCode::usage, fmt::format("a share is above 0, not {}", x), option);
    sum += x;
  }
  for (double& x : shares) x /= sum;
  return shares;
}

void ScoreInputs::describe(Arguments& arguments) {
  arguments.positionals(
      "files", files_,
      "predictions (CSV with names in its first line), or a fit: a result, a run file, "
      "or CSV files, one a chain",
      any_file());
  arguments.option("--outcome", outcome_,
                   "the column of outcomes, y without; for a fit the variable of the data");
  arguments.option("--form", form_, "form of the predictions, where a table has several",
                   one_of(forms()));
  arguments.flag("--normalise", normalise_, "divide probabilities by their sums");
  arguments.option("--class-prior", class_prior_,
                   "shares of the classes, as 0.2,0.8, of a table of log_given_...; all the same "
                   "without");
  arguments.option("--calibration", calibration_,
                   "rows that recalibration and conformal sets are made from", any_file());
  arguments.option("--split", split_, "take this share of the rows for that; the others are scored",
                   from_to(0, 1));
  arguments.option("--seed", seed_, "seed of the split");
  arguments.option("--quantile-regression", covariates_,
                   "columns, as x1,x2: quantiles are predicted from them, fitted to --train");
  arguments.option("--train", train_, "rows that the quantile regression is fitted to", any_file());
  arguments.option(
      "--shift-by", shift_,
      "columns, as x1,x2, that lie elsewhere in the rows that are scored than in those of "
      "--calibration: weights of conformal sets are estimated from them");
  arguments.group("Of a fit");
  fitted_.describe(arguments);
  arguments.option(
      "--test", test_,
      "data of rows to predict, JSON or a table; without it each row of the fit is predicted from "
      "the others",
      any_file());
  arguments.option(
      "--pair", pair_,
      "DATA=GENERATED: the draws of a generated quantity predict a variable of the data, of a "
      "fit or of what credo predict has written");
  arguments.flag("--in-sample", in_sample_, "rows of the fit by predictions that have seen them");
  arguments.option("--replicates", num_draws_, "draws of the fit, at most", at_least(2));
}

score::ReadOptions ScoreInputs::read_options() const {
  score::ReadOptions options{
      .outcome = outcome_.empty() ? "y" : outcome_, .form = {}, .normalise = normalise_};
  const std::vector<std::string> names = forms();
  if (!form_.empty())
    options.form =
        static_cast<score::Form>(std::find(names.begin(), names.end(), form_) - names.begin());
  if (!class_prior_.empty()) options.class_prior = parse_shares(class_prior_, "--class-prior");
  return options;
}

score::Predictions ScoreInputs::read_table(const std::string& path) const {
  return score::read_predictions(open_table(path), read_options());
}

ScoreData ScoreInputs::read(double level, Output& output, bool json) {
  if (covariates_.empty() != train_.empty())
    throw Error(ErrorCode::usage, "a quantile regression needs covariates and rows to be fitted to",
                covariates_.empty() ? "--train" : "--quantile-regression",
                "--quantile-regression x1,x2 --train FILE");
  ScoreData data;
  if (is_of_fit(files_[0]))
    data = read_fit(output, json);
  else if (files_.size() > 1)
    throw Error(ErrorCode::usage, fmt::format("{} tables are named, one is scored", files_.size()),
                files_[1], "--against compares two");
  else
    data = covariates_.empty() ? read_tables() : read_regression(level);
  weigh_by_shift(data);
  take_split(data);
  if (data.calibration) score::require_same_kind(data.test, *data.calibration);
  if (const Index count = score::num_crossing(data.test); count > 0)
    data.remark += fmt::format("; quantiles cross in {} of them", count);
  return data;
}

ScoreData ScoreInputs::read_tables() const {
  if (!test_.empty())
    throw Error(ErrorCode::usage, "rows to predict are those of a fit; a table is scored as it is",
                "--test", "credo score test.csv --calibration calibration.csv");
  ScoreData data{.test = read_table(files_[0]), .calibration = {}, .remark = {}};
  if (!calibration_.empty()) data.calibration = read_table(calibration_);
  return data;
}

void ScoreInputs::weigh_by_shift(ScoreData& data) const {
  if (shift_.empty()) return;
  if (is_fit() || calibration_.empty())
    throw Error(ErrorCode::usage, "a shift is between rows of two tables", "--shift-by",
                "name the other one: --calibration FILE");
  const Design design(shift_, "--shift-by");
  const score::DensityRatios ratios = score::density_ratios(
      design.rows(open_table(calibration_)), design.rows(open_table(files_[0])), design.size());
  data.calibration->weights = ratios.of_old, data.test.weights = ratios.of_new;
}

void ScoreInputs::take_split(ScoreData& data) const {
  if (split_ == 0.0) return;
  if (data.calibration)
    throw Error(ErrorCode::usage,
                "calibration rows are named, and a part of the rows is requested, too", "--split",
                "leave out --split or --calibration");
  score::Halves halves = score::split(data.test, split_, seed_);
  data.remark = fmt::format(" ({} others for calibration)", halves.first.num_rows());
  data.calibration = std::move(halves.first);
  data.test = std::move(halves.second);
}

// Quantiles at the ends of the interval of the level, and the median.
ScoreData ScoreInputs::read_regression(double level) const {
  const Design design(covariates_, "--quantile-regression");
  const score::CsvColumns train = open_table(train_);
  const std::vector<double> rows = design.rows(train),
                            outcomes = outcomes_of(train, read_options().outcome, true);
  const std::vector<double> levels{0.5 * (1.0 - level), 0.5, 0.5 * (1.0 + level)};
  std::vector<std::vector<double>> coefficients;
  for (const double own : levels)
    coefficients.push_back(score::fit_quantile_regression(rows, outcomes, own).coefficients);
  const auto predict = [&](const std::string& path) {
    const score::CsvColumns table = open_table(path);
    score::Predictions all{.form = score::Form::quantiles};
    all.values.num_columns = 3, all.levels = levels, all.source = path;
    all.outcomes = outcomes_of(table, read_options().outcome, false);
    const std::vector<double> x = design.rows(table);
    for (std::size_t first = 0; first < x.size(); first += static_cast<std::size_t>(design.size()))
      for (const std::vector<double>& b : coefficients)
        all.values.values.push_back(std::inner_product(
            b.begin(), b.end(), x.begin() + static_cast<std::ptrdiff_t>(first), 0.0));
    return all;
  };
  ScoreData data{.test = predict(files_[0]), .calibration = {}, .remark = {}};
  if (!calibration_.empty()) data.calibration = predict(calibration_);
  data.remark = fmt::format(" (quantile regression, {} rows in training)", train.num_rows());
  return data;
}

// --- Fits -----------------------------------------------------------------------------------------------
// Of a model whatever they came from; without one, as for predictions, a JSON file.
results::DataText ScoreInputs::own_data() {
  if (model_ != nullptr) return data_of(*fit_, model_.get());
  model::DataFiles data = fitted_.data();
  if (data.recipe.empty()) data = {fit_->origin().data_path, fit_->files()};
  const std::vector<std::string> files = io::data_files(data.recipe);
  const auto text = files.size() == 1 ? data.texts.find(files.front()) : data.texts.end();
  if (text == data.texts.end())
    throw Error(ErrorCode::usage, "the data of the fit aren't at hand as one file",
                fit_->origin().source, "name them: --data");
  if (io::data_format(text->first, text->second) != io::DataFormat::json)
    throw Error(ErrorCode::usage, "outcomes of predictions are read from JSON", text->first,
                "name the data as JSON: --data");
  return {text->first, text->second};
}

ScoreInputs::FitRows ScoreInputs::rows_of_own() {
  FitRows own;
  own.rows = std::make_unique<results::OutcomeRows>(
      *fit_, *model_, own_data(),
      results::OutcomeOptions{.outcome = outcome_, .num_draws = num_draws_, .seed = seed_});
  return own;
}

namespace {
void require_outcomes(const std::string& path, std::span<const std::string> missing) {
  if (missing.empty()) return;
  throw Error(ErrorCode::data,
              fmt::format("there is no {}: a score compares predictions with outcomes, so the rows "
                          "that are scored need theirs",
                          fmt::join(missing, ", ")),
              path, "add the outcomes; credo predict predicts rows that have none");
}

std::vector<std::string> missing_outcomes(const model::Model& model, const io::DataTable& data) {
  std::vector<std::string> missing;
  for (const density::DataVariable& variable : model.data().variables())
    if (variable.observed && data.find(variable.name) == nullptr) missing.push_back(variable.name);
  return missing;
}
}  // namespace

ScoreInputs::FitRows ScoreInputs::rows_of_file(const std::string& path, Output& output, bool json) {
  FitRows of_file;
  if (path.empty()) return rows_of_own();
  results::DataText data{path, {}};
  if (path.ends_with(".json")) {
    data.text = io::read_file(path);
    require_outcomes(path, missing_outcomes(*model_, io::parse_json_data(data.text, path)));
    of_file.model = model_->with_data(data.text);
  } else {  // a table, read as the fit's table was
    auto model = fitted_.with_file(*fit_, path, output, json);
    require_outcomes(path, model->data().unknown_outcomes());
    data.text = model->data().text();
    of_file.model = std::move(model);
  }
  of_file.rows = std::make_unique<results::OutcomeRows>(
      *fit_, *of_file.model, std::move(data),
      results::OutcomeOptions{.outcome = outcome_, .num_draws = num_draws_, .seed = seed_});
  return of_file;
}

results::RowUse ScoreInputs::use_of_own() const {
  return in_sample_ ? results::RowUse::as_they_are : results::RowUse::left_out;
}

ScoreData ScoreInputs::read_fit(Output& output, bool json) {
  if (split_ > 0.0)
    throw Error(ErrorCode::usage, "a fit has no held-out rows: all rows were used for fitting",
                "--split", "name other data: --calibration, --test");
  fit_ = open_draws(files_, output);
  if (!pair_.empty()) return read_pair(output, json);
  if (!test_.empty() || !calibration_.empty()) fitted_.read_others_alike();
  model_ = fitted_.needed(*fit_, output, json, "name the program and its data: --model, --data");
  const bool as_likelihood = form_ == score::name_of(score::Form::likelihood);
  const auto use = [&](results::RowUse otherwise) {
    return as_likelihood ? results::RowUse::likelihoods : otherwise;
  };
  ScoreData data;
  if (test_.empty()) {
    own_ = rows_of_own();
    const results::FitPredictions found = predictions_of(*own_.rows, use(use_of_own()));
    data.test = found.predictions;
    data.remark = as_likelihood || in_sample_
                      ? " (its own rows: the predictions have seen them)"
                      : fmt::format(" (its own rows, each left out; {} of them not reliably)",
                                    found.num_unreliable);
  } else {
    other_ = rows_of_file(test_, output, json);
    data.test = predictions_of(*other_.rows, use(results::RowUse::as_they_are)).predictions;
    data.remark = fmt::format(" (predicted by {})", fit_->origin().source);
  }
  if (calibration_.empty()) return data;
  calibration_rows_ = rows_of_file(calibration_, output, json);
  data.calibration =
      predictions_of(*calibration_rows_.rows, use(results::RowUse::as_they_are)).predictions;
  return data;
}

// It isn't known if the fit has seen the data: credo predict takes other ones.
ScoreData ScoreInputs::read_pair(Output& output, bool json) {
  if (!test_.empty() || !calibration_.empty())
    throw Error(ErrorCode::usage, "a generated quantity predicts the data it was written with",
                "--pair", "credo predict fit.nc --data new.json -o predictions.nc, and score that");
  model_ = fitted_.of(*fit_, output, json, "");
  ScoreData data;
  data.test = results::predictions_of_pair(*fit_, own_data(), pair_, num_draws_);
  data.remark = fmt::format(" ({})", pair_);
  return data;
}

ConformalResult ScoreInputs::kept_sets(const ScoreData& data,
                                       const score::ConformalOptions& options,
                                       const results::KeepOutcome& keep) const {
  ConformalResult result{.method = {}, .level = options.level, .sets = {}, .figures = {}};
  result.sets = results::outcome_sets(*other_.rows, data.test, keep);
  result.figures = score::figures_of(result.sets, data.test);
  return result;
}

ConformalResult ScoreInputs::full_sets(const ScoreData& data,
                                       const score::ConformalOptions& options) {
  if (!is_fit() || other_.rows == nullptr)
    throw Error(
        ErrorCode::usage,
        "full conformal sets are those of a fit, which is weighed by each outcome of a new row",
        "--conformal", "name a result and rows to predict: credo score fit.nc --test new.json");
  if (own_.rows == nullptr) own_ = rows_of_own();
  const FitRows& own = own_;
  const score::AddOneIn add_one_in(own.rows->log_likelihoods());
  double least_ess = kInfinity;
  ConformalResult result =
      kept_sets(data, options, [&](Index, std::span<const double> log_likelihoods) {
        const score::AddOneIn::Candidate candidate = add_one_in.judge(log_likelihoods);
        constexpr double kRounding = 1e-12;
        const bool is_kept = candidate.p_value > 1.0 - options.level + kRounding;
        if (is_kept) least_ess = std::min(least_ess, candidate.ess);
        return is_kept;
      });
  result.method = "full", result.num_scores = own.rows->size(), result.least_ess = least_ess;
  return result;
}

ConformalResult ScoreInputs::density_sets(const ScoreData& data,
                                          const score::ConformalOptions& options) const {
  if (!data.calibration || other_.rows == nullptr)
    throw Error(ErrorCode::usage,
                "sets of the highest predictive density need rows that the fit hasn't seen",
                "--conformal", "name them: --calibration FILE --test FILE");
  std::vector<double> scores = data.calibration->log_density;
  for (double& x : scores) x = -x;
  const double threshold = score::conformal_threshold(scores, options.level);
  const double log_draws = std::log(static_cast<double>(other_.rows->num_draws()));
  ConformalResult result =
      kept_sets(data, options, [&](Index, std::span<const double> log_likelihoods) {
        return log_draws - numerics::log_sum_exp(log_likelihoods) <= threshold;
      });
  result.method = "bayes", result.num_scores = ssize(scores), result.threshold = threshold;
  const double n = static_cast<double>(scores.size());
  result.exact_coverage = std::min(
      1.0, static_cast<double>(score::conformal_rank(ssize(scores), options.level)) / (n + 1.0));
  return result;
}

}  // namespace credo::cli
