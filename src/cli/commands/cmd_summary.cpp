// credo summary: posterior summary of a run file, a NetCDF file or CSV files of draws, or figures of
// single quantities.
#include <fmt/format.h>

#include "cli/chain/chain_file.hpp"
#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/level_labels.hpp"
#include "cli/fit/questions.hpp"
#include "cli/fit/summary_figures.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/mode_report.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/summarise.hpp"
#include "cli/term/work_progress.hpp"
#include "model/model.hpp"
#include "report/states_picture.hpp"
#include "results/arrays/array_tables.hpp"
#include "results/draws/fit_points.hpp"
#include "results/draws/weights.hpp"

namespace credo::cli {
namespace {

class DrawsSummary final : public Command {
 public:
  // The file, if only one is named and only its summary is requested.
  std::optional<std::string> whole_file() const {
    const bool asks_for_more = !columns_.empty() || asked_.any() || questions_.any();
    return files_.size() != 1 || asks_for_more ? std::nullopt : std::optional(files_.front());
  }

  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a run file, a NetCDF file, or CSV files, one a chain",
                          any_file());
    arguments.option("--columns", columns_,
                     "only columns with such a name, as beta, 'b*', 'beta[1,*]', 'beta[1:3]' or "
                     "divergent; may be repeated",
                     {.word = "PATTERN"});
    arguments.option("--probs", probs_,
                     "quantiles in percent, in the place of 5, 50 and 95, as 2.5,97.5",
                     {.word = "PERCENTS"});
    arguments.group("Figures, with --columns");
    arguments.flag("--trace", asked_.trace, "the course of each chain, as a plot");
    arguments.flag(
        "--ranks", asked_.ranks,
        "histograms of the ranks of each chain's draws among all: flat where chains agree");
    arguments.flag("--autocorrelation", asked_.autocorrelation,
                   "autocorrelations by lag, for all chains together, from the variogram, and the "
                   "least and the most of single chains");
    arguments.option("--lags", asked_.num_lags, "the last lag shown", at_least(1));
    arguments.flag("--local-ess", asked_.local_ess,
                   "effective draws in each of 20 intervals of equal probability");
    arguments.option("--groups", asked_.num_groups,
                     "nested R-hat of so many groups of successive chains, each group begun at one "
                     "point; 0: none",
                     at_least(0));
    questions_.describe(arguments);
    arguments.group("The program, for --control-variates");
    model_.describe(arguments, "--data-columns");
  }

  int run(Output& output) override {
    const auto fit = open_result(files_, output);
    if (holds_modes(*fit)) return print_modes(*fit, output);
    if (questions_.any()) {
      output.print(
          questions_.answer(*fit, named_quantities(*fit, columns_), json, gradients(*fit, output)));
      return 0;
    }
    std::optional<WorkProgress> progress;  // shown until the table is printed
    if (!asked_.any()) progress.emplace(output).show("figures of quantities");
    if (asked_.any()) return show_figures(*fit, output);
    const std::vector<Index> quantities =
        columns_.empty() ? summarised_quantities(*fit) : named_quantities(*fit, columns_);
    const std::vector<double> percents = percents_of(probs_);
    Summary summary = columns_.empty() ? summarise(*fit) : summarise(*fit, quantities);
    if (!percents.empty()) add_quantiles(summary, *fit, quantities, percents);
    if (!json) label_levels(summary, *fit);
    constexpr int kPrompt = 1;
    progress.reset();
    output.print(json
                     ? io::summary_json(summary) + "\n"
                     : summary_text(summary, {.lines_below = kPrompt, .to_see_all = to_see_all()}));
    return 0;
  }

 private:
  diagnose::GradientDraws gradients(const Fit& fit, Output& output) {
    if (!questions_.wants_gradients()) return {};
    if (!log_weights_of(fit).empty())
      throw Error(ErrorCode::usage, "the draws have weights, which control variates don't know",
                  files_.front(), "leave --control-variates out");
    const auto model =
        model_.needed(fit, output, json, "name the program and its data: --model, --data");
    return results::gradient_draws(fit, *model);
  }

  // Modes are no sample and can't be summarised: they are printed as by credo optimize.
  int print_modes(const Fit& fit, Output& output) const {
    if (!columns_.empty() || asked_.any() || questions_.any())
      throw Error(ErrorCode::usage, "these are modes, of which all are shown, and no figures",
                  "--columns", "leave it out, and what asks for figures");
    const bool is_known = !fit.files().empty() && !lacks_data(fit);
    const auto model = is_known ? rebuild_model(fit) : nullptr;  // for standard deviations
    output.print(json ? modes_json(fit, model.get()) : modes_text(fit, model.get()));
    return 0;
  }

  int show_figures(const Fit& fit, Output& output) const {
    if (columns_.empty())
      throw Error(ErrorCode::usage, "figures are of quantities that are named", "--columns",
                  "name some: --columns lp__ --columns 'theta*'");
    check_groups(asked_.num_groups, fit.num_chains());
    if (fit.num_draws(false) < 2)
      throw Error(ErrorCode::usage, fmt::format("the chains have {} draws", fit.num_draws(false)),
                  files_.front(), "figures need two at least");
    if (!log_weights_of(fit).empty())
      throw Error(ErrorCode::usage, "the draws have weights, which these figures don't know",
                  files_.front(), "leave the figures out: credo summary weighs");
    return json ? show_numbers(fit, output) : show_plots(fit, output);
  }

  int show_plots(const Fit& fit, Output& output) const {
    for (const Index quantity : named_quantities(fit, columns_)) {
      const density::Draws draws = fit.quantities(false, quantity, 1);
      output.print(
          figures_text(quantity_name(fit, quantity), diagnose::quantity(draws, 0), asked_));
    }
    return 0;
  }

  int show_numbers(const Fit& fit, Output& output) const {
    std::vector<QuantityFigures> all;
    for (const Index quantity : named_quantities(fit, columns_)) {
      const density::Draws draws = fit.quantities(false, quantity, 1);
      all.push_back(
          quantity_figures(quantity_name(fit, quantity), diagnose::quantity(draws, 0), asked_));
    }
    output.print(figures_json(all));
    return 0;
  }

  std::string to_see_all() const {
    return fmt::format("credo summary {} | less shows all; --columns NAME those of a variable",
                       fmt::join(files_, " "));
  }

  // Percents. Values that are all below 1 are refused, because they are probably shares.
  static std::vector<double> percents_of(const std::string& text) {
    if (text.empty()) return {};
    const std::vector<double> percents = parse_number_list(text, kProbs);
    for (const double percent : percents)
      if (!(percent > 0.0 && percent < 100.0))
        throw Error(ErrorCode::usage, fmt::format("must be above 0 and below 100, is {}", percent),
                    kProbs, "write percents: --probs 2.5,50,97.5");
    if (std::ranges::all_of(percents, [](double percent) { return percent < 1.0; }))
      throw Error(ErrorCode::usage,
                  fmt::format("these are percents, and {} is less than one", text), kProbs,
                  "write --probs 2.5,97.5 for the quantiles 0.025 and 0.975");
    return percents;
  }

  static constexpr const char* kProbs = "--probs";
  std::string probs_;
  std::vector<std::string> files_, columns_;
  FigureQuestions asked_;
  Questions questions_;
  FittedModel model_;
};

// Summarises draws, or the states in a file of credo filter or credo smooth. A smoother's paths are draws and are
// summarised as such if options request more than the states.
class SummaryCommand final : public Command {
 public:
  void describe(Arguments& arguments) override { draws_.describe(arguments); }
  int run(Output& output) override {
    const std::optional<std::string> file = draws_.whole_file();
    const auto answer = file ? open_answer(*file) : nullptr;
    if (answer == nullptr || (has_draws(*answer) && !report::has_states(*answer))) {
      draws_.json = json;
      return draws_.run(output);
    }
    output.print(json ? results::arrays_json(*answer) : answer_text(*answer, *file));
    return 0;
  }

 private:
  DrawsSummary draws_;
};
}  // namespace

extern const CommandRow summary_command{
    "summary", "posterior summary of the draws in files",
    "  credo summary fit.nc\n"
    "  credo summary fit_1.csv fit_2.csv fit_3.csv fit_4.csv\n"
    "  credo summary fit.nc --probs 2.5,50,97.5\n"
    "  credo summary fit.nc --columns 'theta[1]' --trace --ranks\n"
    "  credo summary fit.nc --columns mu --autocorrelation --lags 50\n"
    "  credo summary fit.nc --where 'theta[1] > theta[2]' --of 'exp(mu)' --regions\n"
    "  credo summary fit.nc --loss 'square(action - mu)'\n"
    "  credo summary fit.nc --of mu --control-variates\n"
    "  credo summary filtered.nc\n",
    make_command<SummaryCommand>,
    "Standard output: the table or the figures, as text or JSON. No "
    "files."};

}  // namespace credo::cli
