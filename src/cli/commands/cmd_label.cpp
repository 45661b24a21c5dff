// credo label: labels of the rows of a table by a log-linear field, from a formula of features.
#include <fmt/format.h>

#include "cli/project/new_files.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/tables/label_report.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "io/file.hpp"
#include "io/input_files.hpp"
#include "models/fields/label_program.hpp"

namespace credo::cli {
namespace {
std::string structure_words() {
  std::string words = "rows whose labels depend on each other";
  for (const models::StructureRow& row : models::structure_rows())
    words += fmt::format("; {}: {}", row.use, row.words);
  return words;
}

class Label final : public Command {
 public:
  void describe(Arguments& a) override {
    a.positional(
        "formula", request_.formula,
        "LABEL ~ TERMS: terms are columns, and factor, suffix, prefix, lower, shape, prev, "
        "next, first, last of them",
        {.word = "FORMULA"});
    a.option(
        "-d,--data", data_,
        "the training table, a CSV or TSV file with a row for each token; with --of: the table "
        "whose rows get labels",
        any_file());
    a.option("--by", request_.by,
             "column that names the sequence of a row; without it the table is one sequence",
             {.word = "COLUMN"});
    a.option("--of", of_, "use the fit in this file, FILE.nc, and fit nothing", any_file());
    a.stands_for_positionals("--of");
    a.option("--separator", separator_,
             "between the cells of a table; the default is by the ending of its name",
             one_of({"comma", "semicolon", "tab"}));
    a.option("--decimal", decimal_,
             "the decimal sign of numbers; the default is a comma where semicolons separate the "
             "cells, else a point",
             one_of({"point", "comma"}));
    describe_field(a);
    a.group("Fit");
    a.option(
        "--method", method_,
        "optimize: weights at the largest posterior density; approximate: also their normal "
        "approximation there, over which probabilities are averaged; given: no weights, but the "
        "scores of --scores and --rules alone, and the rows of --data get labels",
        one_of({"optimize", "approximate", "given"}));
    a.option("--prior", prior_,
             "prior of each weight: normal(SD), or laplace(SCALE), which makes weights exactly 0",
             {.word = "PRIOR"});
    a.option("--iterations", options_.max_iterations, "iterations at most", from_to(1, 1000000));
    a.option("--threads", options_.num_threads, "threads; 0: all processors", from_to(0, 64));
    a.changes_nothing("--threads");
    a.option("--seed", predict_options_.seed, "seed of draws");
    describe_output(a);
    need_no_fit(a);
    describe_like(a, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    require_options();
    io::InputFiles files;
    const models::LabelTextOf text_of = [&](const std::string& path) -> const std::string& {
      return files.read(path);
    };
    if (!request_.rules_path.empty()) request_.rules = files.read(request_.rules_path);
    LoadedLabels own = of_.empty() ? fit(text_of, output) : load_labels(of_);
    LabelReport report{.model = own.model,
                       .fit = own.fit,
                       .prior = own.prior,
                       .num_rows = own.num_rows,
                       .num_sequences = own.num_sequences,
                       .num_shown = num_shown_,
                       .is_loaded = !of_.empty()};
    add_remarks(report);
    std::vector<models::LabelData> data(2);
    if (!test_.empty()) label(test_, "test", text_of, data[0], report);
    const std::string& new_rows = of_.empty() && !request_.is_given ? predict_ : data_;
    if (!new_rows.empty()) label(new_rows, "predictions", text_of, data[1], report);
    write_predictions(report);
    print_answer(with_spec(report.answer(), with_inputs(asked, files.contents())), report.text(),
                 file_, json, output);
    return own.fit.has_converged ? 0 : 8;
  }

 private:
  // A fit in a file has its own field and weights.
  static void need_no_fit(Arguments& a) {
    for (const char* name :
         {"--by", "--structure", "--rules", "--scores", "--pairs", "--forbid", "--scheme",
          "--min-count", "--exact-states", "--steps", "--method", "--prior", "--iterations"})
      a.need(name, "!--of");
  }
  void describe_field(Arguments& a) {
    a.group("Field");
    a.option("--structure", request_.structure, structure_words(), {.word = "STRUCTURE"});
    a.option(
        "--rules", request_.rules_path,
        "the rules of a grammar, LEFT -> FIRST SECOND WEIGHT in each line; the logs of the weights "
        "are scores, to which fitted ones are added",
        any_file());
    a.option("--scores", request_.scores,
             "columns with scores of labels, PREFIX and the label, which are added to those of the "
             "features: logs of probabilities, or the outputs of another model",
             {.word = "PREFIX"});
    a.option("--pairs", pairs_,
             "pairs of labels with weights: all, or those that the training table has (others have "
             "weight 0)",
             one_of({"all", "seen"}));
    a.option("--forbid", request_.forbidden,
             "a pair of labels that can't be: that of a row, then that of the next one (or of head "
             "and row, or of a cell and its neighbours on the right and below); may be repeated",
             {.word = "FROM,TO"});
    a.option("--scheme", scheme_,
             "bio: labels are O, B-x and I-x, and I-x stands behind B-x or I-x alone",
             one_of({"none", "bio"}));
    a.option("--min-count", request_.min_count, "leave out features that fewer rows have",
             at_least(1));
    a.option(
        "--exact-states", request_.exact_states,
        "labellings in the largest table of exact sums over structures with cycles; beyond it, "
        "loopy belief propagation approximates",
        at_least(1));
    a.option("--steps", request_.num_steps,
             "steps of mean field in dense structures, through which weights are trained; 0: mean "
             "field settles",
             from_to(0, 1000));
  }
  void describe_output(Arguments& a) {
    a.group("Answer");
    a.option("--test", test_, "table with known labels, by which the fit is scored", any_file());
    a.option("--predict", predict_, "table whose rows get labels", any_file());
    a.option(
        "--predictions", predictions_,
        "write the labels of --predict (else of --test) and their probabilities into this file",
        output_file(".csv"));
    a.option("--draws", predict_options_.num_draws,
             "draws of all labels of a sequence together, of exact structures", from_to(0, 10000));
    a.option("--top", num_shown_, "weights that are printed", from_to(0, 100000));
    a.option("--write", folder_,
             "write the fitted chain as program.stan, data.json and weights.json into this folder; "
             "fields with fewer than 200 features",
             {.directory = true, .writes = Writes::folder});
    a.option("-o,--output", file_,
             "the fit and its answers: FILE.nc, which --of reads, or FILE.json", output_file("*"));
  }

  void require_options() {
    request_.pairs_seen = pairs_ == "seen";
    request_.is_bio = scheme_ == "bio";
    options_.is_laplace = method_ == "approximate";
    request_.is_given = method_ == "given";
    options_.prior = models::parse_weight_prior(prior_);
    if (data_.empty() && (of_.empty() || test_.empty()))
      throw Error(ErrorCode::usage, "labels are those of the rows of a table", "--data",
                  of_.empty() ? "add --data TABLE.csv" : "add --data NEW.csv, or --test TABLE.csv");
    if (!of_.empty() && (!request_.formula.empty() || !predict_.empty()))
      throw Error(ErrorCode::usage, "a fit has its own formula, and --data are its new rows",
                  "--of", "credo label --of FIT.nc --data NEW.csv");
    if (!predictions_.empty() && of_.empty() && test_.empty() && predict_.empty() &&
        !request_.is_given)
      throw Error(ErrorCode::usage, "there are no rows to predict", "--predictions",
                  "name them: --predict NEW.csv");
    if (!folder_.empty() && !of_.empty())
      throw Error(ErrorCode::usage, "a program is written with its training table", "--write",
                  "credo label FORMULA --data TABLE.csv --write DIR");
    if (predict_options_.num_draws > 0 && file_.empty() && !json)
      throw Error(ErrorCode::usage, "draws are in the file of --output, or in --json", "--draws",
                  "add -o labels.nc");
    if (request_.is_given && !predict_.empty())
      throw Error(ErrorCode::usage, "without a fit, the rows of --data get labels", "--predict",
                  "--data TABLE.csv alone");
    const models::LabelStructure structure(request_.structure);
    if (!request_.rules_path.empty() && !structure.is("grammar") && of_.empty())
      throw Error(ErrorCode::usage, "rules are those of a grammar", "--rules",
                  "--structure grammar");
    if (request_.num_steps == 0 && structure.is("dense") && of_.empty() && !request_.is_given)
      throw Error(ErrorCode::usage,
                  "mean field has a lower bound of log Z, by which weights would grow without end",
                  "--steps", "--steps 5 trains the probabilities after five steps");
    if (request_.num_steps > 0 && !structure.is("dense"))
      throw Error(ErrorCode::usage, "steps are those of mean field in dense structures", "--steps",
                  "--structure 'dense(x, y)', or leave --steps out");
  }

  models::LabelTable table_of(const std::string& path, const models::LabelTextOf& text_of) const {
    return models::LabelTable({.files = {path}, .separator = separator_, .decimal = decimal_},
                              text_of);
  }

  LoadedLabels fit(const models::LabelTextOf& text_of, Output& output) {
    models::LabelTable table = table_of(data_, text_of);
    models::LabelData data;
    LoadedLabels own;
    own.model = models::make_label_model(request_, table, data);
    own.prior = options_.prior;
    own.num_rows = data.num_rows();
    own.num_sequences = ssize(data.sequences);
    note_single_labels(own.model, data, output);
    own.fit = models::fit_labels(own.model, data, options_);
    if (!folder_.empty()) write_program(own, data, output);
    return own;
  }

  void write_program(const LoadedLabels& own, const models::LabelData& data, Output& output) const {
    models::LabelProgram made =
        models::write_label_program(own.model, data, own.prior, own.fit.weights);
    NewFiles files(folder_);
    files.add("program.stan", made.program);
    files.add("data.json", made.data);
    files.add("weights.json", made.weights);
    files.add("point.json", made.point);
    for (const std::string& path : files.write()) output.note(path + "\n");
  }

  // A label of one row is fitted by its prior and that row.
  static void note_single_labels(const models::LabelModel& model, const models::LabelData& data,
                                 Output& output) {
    for (std::size_t k = 0; k < model.sets.size(); ++k) {
      std::vector<Index> counts(model.sets[k].names.size(), 0);
      for (std::size_t n = k; n < data.labels.size(); n += model.sets.size())
        ++counts[static_cast<std::size_t>(data.labels[n])];
      for (std::size_t a = 0; a < counts.size(); ++a)
        if (counts[a] == 1)
          output.note(fmt::format("{}: one row alone has the label {}; is it a typing error?\n",
                                  model.sets[k].column, visible(model.sets[k].names[a])));
    }
  }

  void add_remarks(LabelReport& report) const {
    if (of_.empty() && request_.by.empty() && report.model.structure.row().types()[0].is_move)
      report.remarks.emplace_back(
          "The whole table is one sequence: --by names a column of sequences.");
    if (report.num_rows == report.num_sequences && of_.empty())
      report.remarks.emplace_back(
          "Each sequence has one row: pairs of labels have no part, and the field is a multinomial "
          "logistic regression.");
  }

  void label(const std::string& path, const std::string& name, const models::LabelTextOf& text_of,
             models::LabelData& data, LabelReport& report) const {
    models::LabelTable table = table_of(path, text_of);
    LabelledTable made;
    made.name = name, made.path = path, made.data = &data;
    data = models::read_label_data(report.model, table, name == "test", made.unknown);
    models::LabelPredictionOptions options = predict_options_;
    options.num_threads = options_.num_threads;
    made.made = models::predict_labels(report.model, report.fit, data, options);
    if (name == "test") made.scores = models::score_labels(report.model, data, made.made);
    report.tables.push_back(std::move(made));
  }

  void write_predictions(const LabelReport& report) const {
    if (predictions_.empty()) return;
    io::OutputFile file(predictions_);
    file.write(report.csv(report.tables.back()));
    file.commit();
  }

  models::LabelRequest request_;
  models::LabelFitOptions options_;
  models::LabelPredictionOptions predict_options_;
  std::string data_, of_, separator_, decimal_,
      pairs_ = "all", scheme_ = "none", method_ = "optimize", prior_ = "normal(1)", test_, predict_,
      predictions_, folder_, file_;
  Index num_shown_ = 10;
};
}  // namespace

extern const CommandRow label_command{
    "label",
    "labels of rows that depend on each other: words of sentences, cells of a grid, nodes of a "
    "tree",
    "  credo label 'tag ~ word + suffix(word, 3) + next(word)' --by sentence --data train.csv "
    "--test test.csv\n"
    "  credo label 'chunk ~ word + prev(word)' --by sentence --data train.csv --scheme bio -o "
    "fit.nc\n"
    "  credo label --of fit.nc --data new.csv --predictions labels.csv\n"
    "  credo label 'tag ~ word' --by sentence --data train.csv --structure 'skip(word)' --prior "
    "'laplace(1)'\n"
    "  credo label 'land ~ red + green' --data image.csv --structure 'grid(row, column)'\n",
    make_command<Label>,
    "Standard output: the field and its largest weights, scores on the table of --test. With "
    "--predictions: the labels of new rows with the probability of each label. With --output: the "
    "fit, which --of reads, and these answers as arrays or JSON."};

}  // namespace credo::cli
