// credo report: a fit with its verdict, figures and pictures as one HTML file.
#include <fmt/format.h>

#include "base/kept_memory.hpp"
#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/level_labels.hpp"
#include "cli/fit/questions.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/summarise.hpp"
#include "cli/term/work_progress.hpp"
#include "io/file.hpp"
#include "model/model.hpp"
#include "report/report.hpp"
#include "report/shared_fit.hpp"

namespace credo::cli {
namespace {
constexpr const char* kWithoutData = "what the model computes is left out of the report";

class ReportCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a result, a run file, or CSV files, one a chain",
                          any_file());
    model_.describe(arguments, "--data-columns");
    arguments.option("-o,--output", file_, "the report", output_file(".html"));
    arguments.option("--title", options_.title, "its title; without it the name of the program");
    arguments.option("--compare", others_,
                     "a result of another model of the same data, to be compared; may be repeated",
                     any_file());
    arguments.option("--columns", columns_,
                     "only columns with such a name, as beta or 'b*'; may be repeated",
                     {.word = "PATTERN"});
    questions_.describe_statements(arguments);
    arguments.option(
        "--draws", options_.most_values,
        "most draws in the page, of all quantities; pictures of more draws are thinned",
        at_least(1000));
    arguments.option("--replicates", pictures_.num_replicates,
                     "replicated data sets for predictive checks", at_least(2));
    arguments.option("--lags", pictures_.num_lags, "the last lag of autocorrelations",
                     from_to(1, 1000));
    arguments.option("--seed", pictures_.seed, "seed of replicates and of draws from the prior");
  }

  int run(Output& output) override {
    if (file_.empty())
      throw Error(ErrorCode::usage, "no output file is given", "--output", "-o report.html");
    keep_freed_memory();
    const auto opened = open_draws(files_, output);
    const auto fit = report::share(*opened);
    options_.quantities = named_quantities(*fit, columns_);
    const auto model = model_.of(*fit, output, json, kWithoutData);
    const model::DataFiles data = model_.data();
    open_others(output);
    for (const StatementAnswer& answer : questions_.statements(*fit))
      options_.answers.sentences.push_back(answer.sentence);
    options_.answers.expressions = questions_.expressions(*fit);
    std::vector<report::Subject> subjects{
        {files_[0], fit.get(), model.get(), data_of(*fit, model.get()), element_levels(*fit)}};
    for (const Other& other : opened_)
      subjects.push_back({other.name, other.fit.get(), other.model.get(), {}, {}});
    options_.command = {"credo", "report"};
    options_.command.insert(options_.command.end(), given.begin(), given.end());
    const report::Material material(std::move(subjects), pictures_);
    std::optional<WorkProgress> progress(std::in_place, output);
    options_.on_progress = [&](std::string_view what, Index done, Index total) {
      progress->show(what, done, total);
    };
    const std::string html = report::report_html(
        material,
        [&](const results::KnownFigures& known) {
          return verdict_of(*fit, model.get(), model_.is_given(*fit) ? &data : nullptr, known);
        },
        options_);
    progress.reset();
    io::OutputFile file(file_);
    file.write(html);
    file.commit();
    output.print(json ? fmt::format("{{\"bytes\":{}}}\n", html.size())
                      : fmt::format("{}: {:.1f} MB, opens in a browser by itself\n", file_,
                                    static_cast<double>(html.size()) / 1e6));
    return 0;
  }

 private:
  struct Other {
    std::string name;
    std::unique_ptr<Fit> fit;
    std::unique_ptr<model::Model> model;
  };
  void open_others(Output& output) {
    for (const std::string& name : others_) {
      auto fit = open_draws(std::span(&name, 1), output);
      auto model = FittedModel().needed(*fit, output, json,
                                        "--compare takes results that have their program and data");
      opened_.push_back({name, std::move(fit), std::move(model)});
    }
  }

  std::vector<std::string> files_, others_, columns_;
  Questions questions_;
  FittedModel model_;
  std::vector<Other> opened_;
  std::string file_;
  report::ReportOptions options_;
  report::PictureOptions pictures_;
};
}  // namespace

extern const CommandRow report_command{
    "report", "a result as one HTML file: verdict, figures, pictures",
    "  credo report fit.nc -o report.html\n"
    "  credo report fit.nc --compare other.nc -o report.html\n"
    "  credo report fit.nc --where 'theta[1] > theta[2]' --of 'exp(mu)' -o report.html\n"
    "  credo report fit_1.csv fit_2.csv --model model.stan --data data.json -o report.html\n",
    make_command<ReportCommand>,
    "--output: the report, which opens without a network. Standard output: its size."};

}  // namespace credo::cli
