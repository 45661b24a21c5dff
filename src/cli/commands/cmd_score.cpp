// credo score: scores and calibration of predictions, and results derived from them: recalibrated
// probabilities, sets with a guaranteed probability.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/score/protocol.hpp"
#include "cli/score/score_inputs.hpp"
#include "cli/score/score_report.hpp"
#include "io/file.hpp"
#include "io/number_text.hpp"
#include "model/model.hpp"
#include "score/csv_columns.hpp"

namespace credo::cli {
namespace {

std::vector<std::string> conformal_names() {
  std::vector<std::string> names = score::names_of_conformal();
  names.insert(std::upper_bound(names.begin(), names.end(), "full"), "full");
  return names;
}

std::string list_of_methods() {
  std::string text = "scores\n";
  const auto line = [&](std::string_view name, std::string_view words, std::string_view reference) {
    text += fmt::format("  {:<16} {} [{}]\n", name, words, reference);
  };
  for (const score::ScoreRow* row : score::score_rows())
    line(row->name, row->words, row->reference);
  text += "\nrecalibration (--recalibrate)\n";
  for (const score::CalibratorRow* row : score::calibrator_rows())
    line(row->name, row->words, row->reference);
  text += "\nconformal sets (--conformal)\n";
  for (const score::ConformalRow* row : score::conformal_rows())
    line(row->name, row->words, row->reference);
  line("full", "of a fit: outcomes that aren't among the worst, if the model sees them",
       "fong2021");
  return text;
}

// A line a row, numbers and texts between commas.
class CsvOutput {
 public:
  explicit CsvOutput(const std::string& path) : file_(path) {}
  void add(std::string_view text) { add_cell(score::csv_text(text)); }
  void add(double value) { add_cell(std::isnan(value) ? "" : io::number_text(value)); }
  void end_line() {
    file_.write(line_ + "\n");
    line_.clear(), is_first_ = true;
  }
  void commit() { file_.commit(); }

 private:
  void add_cell(const std::string& cell) {
    line_ += (is_first_ ? "" : ",") + cell;
    is_first_ = false;
  }
  io::OutputFile file_;
  std::string line_;
  bool is_first_ = true;
};

void add_outcome(CsvOutput& csv, const score::Predictions& all, Index row) {
  if (all.form == score::Form::classes)
    csv.add(all.knows_outcome(row) ? std::string_view(all.classes[all.label(row)])
                                   : std::string_view());
  else
    csv.add(all.outcome(row));
}

class Score final : public Command {
 public:
  void describe(Arguments& arguments) override {
    inputs_.describe(arguments);
    arguments.stands_for_positionals("--list");
    arguments.group("Scores");
    arguments.flag("--list", list_, "list the scores, recalibrations and conformal methods");
    arguments.option("--score", scores_, "a score; may be repeated; without it all that apply",
                     one_of(score::names_of_scores()));
    arguments.option("--mass", score_options_.mass, "probability of the interval that is scored",
                     in_range(infer::between(0, 1)));
    arguments.option("--against", against_,
                     "other predictions of the same rows: differences, regret, distances",
                     any_file());
    arguments.option("--block", block_,
                     "rows that are predicted jointly; 0: by the column block, or all",
                     at_least(0));
    describe_classes(arguments);
    describe_sets(arguments);
    describe_protocol(arguments);
    arguments.option(
        "-o,--output", output_,
        "FILE.csv: recalibrated probabilities, sets, or the scores of each row; FILE.nc "
        "(NetCDF-4) or FILE.json: the result",
        output_file("*"));
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    if (list_) {
      output.print(list_of_methods());
      return 0;
    }
    if (!protocol_.protocol.empty()) return score_protocol(output);
    reliability_.binning = place_of_binning();
    calibrator_options_.num_bins = reliability_.num_bins, reliability_.seed = inputs_.seed();
    require_one_output();
    ScoreData data = inputs_.read(conformal_options_.level, output, json);
    correct_shares(data);
    answer(data);
    print_answer(with_spec(answer_of(data), with_inputs(asked, {})), text_of_all(data),
                 is_csv() ? "" : output_, json, output);
    if (is_csv()) write(data);
    return 0;
  }

 private:
  void describe_classes(Arguments& arguments) {
    arguments.group("Classes");
    arguments.option("--bins", reliability_.num_bins,
                     "number of bins of reliability and of binning methods", from_to(1, 1000));
    arguments.option("--binning", binning_,
                     "bins of reliability of the same width, or as many rows each",
                     one_of({"width", "count"}));
    arguments.option("--error-rate", reliability_.error_rate,
                     "share of calibrated predictions that the test may reject",
                     in_range(infer::between(0, 1)));
    arguments.option("--threshold", threshold_,
                     "above which probability the second of two classes is called", from_to(0, 1));
    arguments.option(
        "--prevalence", prevalence_,
        "share of the second of two classes where predictions are used; 0: as in these rows",
        from_to(0, 1));
    arguments.option(
        "--class-shares", class_shares_,
        "shares of the classes where predictions are used, as 0.2,0.8; probabilities are "
        "corrected from those of the calibration rows");
    arguments.option(
        "--recalibrate", recalibrations_,
        "a map to better probabilities, fitted to --calibration or --split; may be repeated",
        one_of(score::names_of_calibrators()));
    arguments.option("--label-smooth", calibrator_options_.smoothing,
                     "share of a label that is spread over all classes where maps are fitted",
                     from_to(0, 1));
    arguments.option("--ridge", calibrator_options_.ridge,
                     "draws the parameters of scaling methods towards no change", at_least(0));
    arguments.flag("--selective", selective_, "accuracy where the less sure rows aren't predicted");
    arguments.option(
        "--max-error", max_error_,
        "with --selective: a threshold whose error is at most this, with probability 0.95; 0: none",
        from_to(0, 1));
  }
  void describe_sets(Arguments& arguments) {
    arguments.group("Conformal sets");
    arguments.option(
        "--conformal", conformal_,
        "sets that hold the outcome with the probability --level, from --calibration or "
        "--split; may be repeated",
        one_of(conformal_names()));
    arguments.option("--level", conformal_options_.level,
                     "probability that a set holds the outcome", in_range(infer::between(0, 1)));
    arguments.flag("--strict-sets", conformal_options_.strict,
                   "aps: without the class that crosses the threshold; sets may be empty");
  }

  void describe_protocol(Arguments& arguments) {
    arguments.group("Sequences");
    arguments.option("--protocol", protocol_.protocol,
                     "a table of data files, with a column train: 1 where credo approximate "
                     "--after learns them, 0 where they are predicted; FILES is a program then",
                     any_file());
    arguments.option("--method", protocol_.method,
                     "approximation that learns, of credo approximate", needing("--protocol"));
    arguments.option("--method-option", protocol_.settings,
                     "an option of it, as covariance=diagonal; may be repeated",
                     needing("--protocol"));
  }
  int score_protocol(Output& output) {
    if (inputs_.files().size() != 1 || !inputs_.files()[0].ends_with(".stan"))
      throw Error(ErrorCode::usage, "a protocol is one of a program and its data", "--protocol",
                  "name one program: credo score MODEL.stan --protocol FILE.csv");
    protocol_.program = inputs_.files()[0];
    protocol_.seed = inputs_.seed(), protocol_.num_draws = inputs_.num_draws();
    const ProtocolScores scores = score_by_protocol(protocol_, output, json);
    print_answer(with_spec(arrays_of(scores, protocol_), with_inputs(asked, {})), text_of(scores),
                 output_, json, output);
    return 0;
  }

  score::Binning place_of_binning() const {
    return binning_ == "count" ? score::Binning::equal_count : score::Binning::equal_width;
  }
  bool is_csv() const { return output_.ends_with(".csv"); }
  void require_one_output() const {
    if (is_csv() && recalibrations_.size() + conformal_.size() > 1)
      throw Error(ErrorCode::usage, "several methods were chosen, and one CSV file", "--output",
                  "ask for one --recalibrate or one --conformal");
  }
  void correct_shares(ScoreData& data) const {
    if (class_shares_.empty()) return;
    const std::vector<double> target = parse_shares(class_shares_, "--class-shares");
    const score::Predictions& known = data.calibration ? *data.calibration : data.test;
    const std::vector<double> source = score::class_shares(known);
    data.test = score::with_class_shares(data.test, source, target);
  }
  const score::Predictions& calibration_of_data(const ScoreData& data, const char* option) const {
    if (!data.calibration)
      throw Error(ErrorCode::usage, "rows are needed that aren't among those that are scored",
                  option, "name them: --calibration FILE, or --split 0.5 takes half of the rows");
    return *data.calibration;
  }

  void answer(const ScoreData& data) {
    scored_ = score_all(data.test, scores_, score_options_);
    calibration_ = cli::calibration_of(data.test, reliability_, inputs_.seed());
    for (const std::string& name : recalibrations_) recalibrate(data, name);
    for (const std::string& name : conformal_) conformal_results_.push_back(sets_by(name, data));
    if (selective_) select(data);
    if (data.test.form == score::Form::likelihood) joint_ = score::joint_figure(data.test, block_);
    if (against_.empty()) return;
    const score::Predictions others = inputs_.read_table(against_);
    differences_ = score::compare(data.test, others, score_options_);
    distances_ = score::distribution_distances(data.test, others);
  }
  void recalibrate(const ScoreData& data, const std::string& name) {
    const score::Predictions& rows = calibration_of_data(data, "--recalibrate");
    if (rows.form != score::Form::classes)
      throw Error(ErrorCode::usage, "only probabilities of classes are recalibrated",
                  "--recalibrate",
                  "--conformal cqr makes intervals of other predictions that have their coverage");
    const auto calibrator = score::find_calibrator(name).fit(rows, calibrator_options_);
    Recalibration& one = recalibrated_.emplace_back(Recalibration{
        name, calibrator->parameters(), score::recalibrated(data.test, *calibrator), {}, {}});
    one.scored = score_all(one.predictions, scores_, score_options_);
    one.calibration = cli::calibration_of(one.predictions, reliability_, inputs_.seed());
  }
  ConformalResult sets_by(const std::string& name, const ScoreData& data) {
    if (name == "full") return inputs_.full_sets(data, conformal_options_);
    const bool has_no_density = data.test.form == score::Form::draws;
    return name == "bayes" && inputs_.is_fit() && has_no_density
               ? inputs_.density_sets(data, conformal_options_)
               : conformal_sets(data, name);
  }
  ConformalResult conformal_sets(const ScoreData& data, const std::string& name) const {
    const score::ConformalPredictor predictor(
        score::find_conformal(name), calibration_of_data(data, "--conformal"), conformal_options_);
    ConformalResult result{.method = name,
                           .num_scores = predictor.num_scores(),
                           .level = conformal_options_.level,
                           .exact_coverage = predictor.exact_coverage(),
                           .sets = {},
                           .figures = {}};
    if (data.test.weights.empty()) result.threshold = predictor.threshold(data.test, 0);
    for (Index i = 0; i < data.test.num_rows(); ++i)
      result.sets.push_back(predictor.set(data.test, i));
    result.figures = score::figures_of(result.sets, data.test);
    return result;
  }
  void select(const ScoreData& data) {
    if (data.test.form != score::Form::classes)
      throw Error(ErrorCode::usage, "only classes are predicted or left alone", "--selective");
    Selection& selection = selection_.emplace();
    selection.curve = score::selective_curve(data.test);
    selection.area = score::area_under_risk(selection.curve);
    if (max_error_ == 0.0) return;
    constexpr double kCertainty = 0.95;
    selection.max_error = max_error_;
    selection.rule =
        score::selective_rule(calibration_of_data(data, "--max-error"), max_error_, kCertainty);
    for (const score::SelectivePoint& point : selection.curve)
      if (point.threshold >= selection.rule->threshold) selection.applied = point;
  }
  double prevalence_of(const score::ErrorRates& rates) const {
    return prevalence_ > 0.0 ? prevalence_ : rates.share_positive();
  }
  bool has_classes(const score::Predictions& all) const {
    return all.form == score::Form::classes && !score::known_rows(all).empty();
  }
  // Error rates with two classes, both of which have a row.
  std::optional<score::ErrorRates> rates_of(const score::Predictions& all) const {
    if (all.num_classes() != 2) return std::nullopt;
    for (const double share : score::class_shares(all))
      if (share == 0.0) return std::nullopt;
    return score::error_rates_of(all, threshold_);
  }

  std::string text_of_all(const ScoreData& data) const {
    std::string text =
        fmt::format("{}: {} rows, predictions of the form '{}'{}\n\n", data.test.source,
                    data.test.num_rows(), score::name_of(data.test.form), data.remark);
    if (!scored_.rows.empty()) text += cli::text_of(scored_) + "\n";
    if (has_classes(data.test)) {
      text += cli::text_of(data.test, score::confusion_of(data.test, threshold_));
      if (const auto rates = rates_of(data.test))
        text += cli::text_of(data.test, *rates, prevalence_of(*rates));
      text += "\n";
    }
    if (const std::string own = cli::text_of(calibration_); !own.empty()) text += own + "\n";
    if (joint_) text += cli::text_of(*joint_) + "\n";
    if (!recalibrated_.empty()) text += cli::text_of(recalibrated_, scored_, calibration_) + "\n";
    if (!conformal_results_.empty()) text += cli::text_of(conformal_results_, data.test) + "\n";
    if (selection_) text += cli::text_of(*selection_) + "\n";
    if (!against_.empty()) text += cli::text_of(differences_, distances_) + "\n";
    text.pop_back();  // the last empty line
    return text;
  }

  results::ArrayList answer_of(const ScoreData& data) const {
    results::ArrayList answer("score");
    answer.set("source", data.test.source);
    answer.set("form", std::string(score::name_of(data.test.form)));
    answer.set("num_rows", data.test.num_rows());
    answer.set("remark", data.remark);
    add_to(answer, scored_);
    add_to(answer, calibration_);
    if (has_classes(data.test)) {
      add_to(answer, score::confusion_of(data.test, threshold_));
      if (const auto rates = rates_of(data.test)) add_to(answer, *rates, prevalence_of(*rates));
    }
    if (joint_) add_to(answer, *joint_);
    if (!recalibrated_.empty()) add_to(answer, recalibrated_);
    if (!conformal_results_.empty()) add_to(answer, conformal_results_, data.test);
    if (selection_) add_to(answer, *selection_);
    if (!against_.empty()) add_to(answer, differences_, distances_);
    return answer;
  }

  void write(const ScoreData& data) const {
    CsvOutput csv(output_);
    if (!recalibrated_.empty())
      write_probabilities(csv, recalibrated_[0].predictions);
    else if (!conformal_results_.empty())
      write_sets(csv, data.test, conformal_results_[0]);
    else
      write_scores(csv, data.test);
    csv.commit();
  }
  static void write_probabilities(CsvOutput& csv, const score::Predictions& all) {
    csv.add("y");
    for (const std::string& name : all.classes) csv.add("p_" + name);
    csv.end_line();
    for (Index i = 0; i < all.num_rows(); ++i) {
      add_outcome(csv, all, i);
      for (const double p : all.values[i]) csv.add(p);
      csv.end_line();
    }
  }
  static void write_sets(CsvOutput& csv, const score::Predictions& all,
                         const ConformalResult& result) {
    const bool classes = all.form == score::Form::classes;
    csv.add("y");
    for (const char* name : classes ? std::vector{"set", "size"} : std::vector{"lower", "upper"})
      csv.add(std::string_view(name));
    csv.end_line();
    for (Index i = 0; i < all.num_rows(); ++i) {
      const score::OutcomeSet& set = result.sets[static_cast<std::size_t>(i)];
      add_outcome(csv, all, i);
      if (classes)
        csv.add(set_text(set, all)), csv.add(static_cast<double>(set.classes.size()));
      else
        csv.add(set.lower), csv.add(set.upper);
      csv.end_line();
    }
  }
  void write_scores(CsvOutput& csv, const score::Predictions& all) const {
    csv.add("row");
    for (const score::ScoreRow* row : scored_.rows) csv.add(row->name);
    csv.end_line();
    std::vector<Index> rows = score::known_rows(all);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      csv.add(static_cast<double>(rows[i] + 1));
      for (std::size_t k = 0; k < scored_.rows.size(); ++k) {
        const bool of_all = !scored_.rows[k]->needs_outcome;
        csv.add(scored_.by_row[k][of_all ? static_cast<std::size_t>(rows[i]) : i]);
      }
      csv.end_line();
    }
  }

  ScoreInputs inputs_;
  ProtocolQuestion protocol_;
  std::vector<std::string> scores_, recalibrations_, conformal_;
  score::ScoreOptions score_options_;
  score::ReliabilityOptions reliability_;
  score::CalibratorOptions calibrator_options_;
  score::ConformalOptions conformal_options_;
  std::string binning_ = "width", against_, class_shares_, output_;
  double threshold_ = 0.5, prevalence_ = 0.0, max_error_ = 0.0;
  Index block_ = 0;
  bool list_ = false, selective_ = false;

  ScoredPredictions scored_;
  Calibration calibration_;
  std::vector<Recalibration> recalibrated_;
  std::vector<ConformalResult> conformal_results_;
  std::optional<Selection> selection_;
  std::optional<score::JointFigure> joint_;
  std::vector<score::Difference> differences_;
  score::DistributionDistances distances_;
};
}  // namespace

extern const CommandRow score_command{
    "score", "scores and calibration of predictions; recalibration and conformal sets",
    "  credo score predictions.csv\n"
    "  credo score test.csv --calibration calibration.csv --recalibrate temperature -o better.csv\n"
    "  credo score predictions.csv --split 0.5 --conformal aps --level 0.9 -o sets.csv\n"
    "  credo score rows.csv --train train.csv --quantile-regression x1,x2 --calibration "
    "calibration.csv "
    "--conformal cqr\n"
    "  credo score fit.nc --test new.json\n"
    "  credo score model.stan --protocol train-test.csv --method laplace\n"
    "  credo score --list\n",
    make_command<Score>,
    "Standard output: scores, calibration and the other requested tables. With --output: "
    "recalibrated "
    "probabilities, sets, or the scores of each row, as CSV, or the result as arrays or JSON."};

}  // namespace credo::cli
