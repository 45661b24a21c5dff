// credo effects: marginal effects of a regression on the scale of its outcome, and its R2.
#include <fmt/format.h>

#include "cli/fit/fitted_model.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/tables/effects_report.hpp"
#include "cli/tables/regression_prediction.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "io/file.hpp"
#include "report/raster.hpp"
#include "report/svg.hpp"

namespace credo::cli {
namespace {

class Effects final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a result of credo regression", any_file());
    arguments.group("Effects");
    arguments.option("--of", request_.columns,
                     "column whose effect is computed; may be repeated. Without it: all columns "
                     "but those of groups alone",
                     {.word = "COLUMN"});
    arguments.option("--at", request_.at,
                     "values that all rows get before they are averaged: 'Subject = 308, x = 2'; "
                     "may be repeated",
                     {.word = "COLUMN = VALUE, ..."});
    arguments.option("--contrast", request_.contrasts,
                     "difference between two levels or two numbers: 'period 1 - 4'; may be "
                     "repeated",
                     {.word = "COLUMN VALUE - VALUE"});
    arguments.flag("--pairs", request_.all_pairs,
                   "all pairs of levels; without it each level less the first one");
    arguments.option("--step", request_.step,
                     "numbers: the change when the column grows by this; 0: its derivative",
                     at_least(0));
    arguments.flag(
        "--curve", request_.curves,
        "instead of effects: the average outcome over a grid of each column, with bands");
    arguments.option("--grid", request_.num_grid, "points of a curve of numbers", from_to(2, 1000));
    arguments.option("--scale", scale_,
                     "mean: the mean of the outcome, for ordered outcomes the probabilities of the "
                     "categories; linear: the linear predictor",
                     one_of({"mean", "linear"}));
    arguments.flag("--without-groups", of_draws_.without_groups,
                   "effects of groups are 0: a typical group in the place of each row's own");
    arguments.option("--rows", request_.most_rows,
                     "rows of the table that are averaged over, evenly spaced ones if it has more",
                     at_least(1));
    arguments.option("--rope", rope_,
                     "values that count as no effect: prints the shares of draws below, within and "
                     "above, as --rope=-0.1,0.1",
                     {.word = "LOW,HIGH"});
    arguments.option("--plot", picture_, "picture of the curves: .svg, .png or .pdf",
                     output_file("*"));
    arguments.option("--seed", of_draws_.seed, "seed of effects of new levels of groups");
    arguments.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const auto fit = open_draws(files_, output);
    if (!is_regression(*fit))
      throw Error(ErrorCode::usage, "the fit isn't one of credo regression", fit->origin().source,
                  "effects need a formula: credo regression 'y ~ x' --data TABLE -o fit.nc");
    require_picture();
    of_draws_.is_linear = scale_ == "linear";
    const EffectSource source(*fit, output);
    const Rope rope = parse_rope(rope_);
    const models::EffectPlan plan(source.table(), request_);
    if (plan.effects().empty())
      throw Error(ErrorCode::usage, "the regression has no column whose effect could be computed",
                  "--of",
                  "the formula has an intercept and groups: --of names the column of a group");
    const EffectDraws draws = source.draws_of(plan, of_draws_);
    if (!json)
      for (const std::string& note : draws.notes) output.note(visible(note) + "\n");
    EffectsReport report = make_report(*fit, plan, draws, rope);
    report.title = title_of(source, plan);
    add_explained(report, *fit, source.explained());
    if (!picture_.empty()) write_picture(report);
    print_answer(with_spec(report.answer(), with_inputs(asked, {})), report.text(), file_, json,
                 output);
    return 0;
  }

 private:
  std::string title_of(const EffectSource& source, const models::EffectPlan& plan) const {
    const models::Regression& made = source.regression();
    std::string what = of_draws_.is_linear ? "the linear predictor"
                       : made.family->has_categories()
                           ? fmt::format("the probabilities of {}", made.outcome.text)
                           : fmt::format("the mean of {}", made.outcome.text);
    if (!made.outcome.trials_column.empty() && !of_draws_.is_linear)
      what += fmt::format(" (counts: --at '{} = 1' gives probabilities)",
                          column_of(made, made.outcome.trials));
    std::string text = fmt::format(
        "{}: {}, averages over {} row{}{}", made.formula,
        request_.curves ? what : "effects on " + what, plan.num_averaged(),
        plan.num_averaged() == 1 ? "" : "s",
        plan.num_averaged() < made.num_rows ? fmt::format(" of {}", made.num_rows) : "");
    for (const std::string& at : request_.at) text += fmt::format(", {}", at);
    if (!made.groups.empty())
      text += of_draws_.without_groups ? "; effects of groups are 0"
                                       : "; each row has the effects of its groups "
                                         "(--without-groups: a typical group)";
    return text;
  }
  // The column of the table behind a name of the program.
  static std::string column_of(const models::Regression& made, const std::string& name) {
    const auto used = std::ranges::find(made.columns, name, &models::UsedColumn::name);
    return used == made.columns.end() ? name : used->column;
  }
  std::string ending() const {
    const std::size_t dot = picture_.find_last_of('.');
    return dot == picture_.npos ? "" : picture_.substr(dot + 1);
  }
  void require_picture() const {
    if (picture_.empty()) return;
    if (!request_.curves)
      throw Error(ErrorCode::usage, "a picture shows curves", "--plot", "add --curve");
    const std::string end = ending();
    if (end != "svg" && end != "png" && end != "pdf")
      throw Error(
          ErrorCode::usage,
          fmt::format("the picture's name ends in neither .svg, .png nor .pdf: {}", picture_),
          "--plot", "--plot curve.svg");
  }
  void write_picture(const EffectsReport& report) const {
    const std::string svg = report::svg_of(report.picture());
    io::OutputFile file(picture_);
    file.write(ending() == "svg" ? svg : report::converted(svg, ending()));
    file.commit();
  }

  std::vector<std::string> files_;
  models::EffectRequest request_;
  EffectScale of_draws_;
  std::string scale_ = "mean", rope_, picture_, file_;
};
}  // namespace

extern const CommandRow effects_command{
    "effects",
    "how the outcome of a regression changes with its columns: marginal effects, contrasts, R2",
    "  credo effects fit.nc\n"
    "  credo effects fit.nc --of Days --at 'Subject = 308'\n"
    "  credo effects fit.nc --contrast 'period 1 - 4' --rope=-0.05,0.05\n"
    "  credo effects fit.nc --of period --pairs --without-groups\n"
    "  credo effects fit.nc --of Days --curve --plot days.svg\n",
    make_command<Effects>,
    "Standard output: for each effect mean, standard deviation, quantiles and the probability that "
    "it is positive; Bayesian R2. With --output: these and the effects draw by draw. With --plot: "
    "the curves."};

}  // namespace credo::cli
