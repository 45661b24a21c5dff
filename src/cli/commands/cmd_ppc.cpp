// credo ppc: predictive checks, data that the model draws beside the data that were observed.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/ready_fit.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/summarise.hpp"
#include "io/file.hpp"
#include "io/number_text.hpp"
#include "model/model.hpp"
#include "report/level_labels.hpp"
#include "results/checks/loo_pit.hpp"

namespace credo::cli {
namespace {

std::vector<std::string> names_of_statistics() {
  std::vector<std::string> names;
  for (const TestStatistic& statistic : test_statistics()) names.emplace_back(statistic.name);
  return names;
}

std::string source_of(const PredictiveCheck& check) {
  return check.source.empty() ? "drawn by the statements of the likelihood" : check.source;
}

constexpr double kAccused = 0.01;  // p-values below accuse a model: 1 % of correct ones, too

std::string head_of(const PredictiveCheck& check) {
  if (check.places.empty()) return fmt::format("{}: {} draws", check.name, check.num_draws);
  const std::string censored =
      check.num_censored == 0
          ? std::string()
          : fmt::format("; {} values are censored, and replicates alike", check.num_censored);
  return fmt::format("{}: {} values, {} replicates ({}{})", check.name, check.places.size(),
                     check.num_draws, source_of(check), censored);
}

std::string bars_text(const PredictiveCheck& check) {
  if (check.bars.empty()) return {};
  std::string text = fmt::format("\n{:<16} {:>11} {:>11} {:>11} {:>11}\n", "value", "observed",
                                 "replicated", "5 %", "95 %");
  for (const ValueCheck& bar : check.bars) {
    const bool is_outside =
        static_cast<double>(bar.observed) < bar.q5 || static_cast<double>(bar.observed) > bar.q95;
    text += fmt::format("{:<16g} {:>11} {:>11.4g} {:>11.4g} {:>11.4g}{}\n", bar.value, bar.observed,
                        bar.mean, bar.q5, bar.q95, is_outside ? "  outside" : "");
  }
  return text;
}

// Table of a check by groups: one line for each group and statistic.
std::string groups_text(std::span<const PredictiveCheck> checks) {
  std::string text =
      fmt::format("{:<24} {:<16} {:>7} {:>11} {:>11} {:>11} {:>11} {:>11} {:>7}\n", "group", "",
                  "values", "observed", "replicated", "5 %", "95 %", "P(above)", "error");
  for (const PredictiveCheck& check : checks)
    for (const StatisticCheck& s : check.statistics)
      text += fmt::format(
          "{:<24} {:<16} {:>7} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.3f} {:>7.3f}{}\n",
          check.name, s.statistic, check.places.size(), s.observed, s.mean, s.q5, s.q95, s.tail,
          s.error, s.is_extreme() ? "  extreme" : "");
  return text;
}

std::string table_of(const PredictiveCheck& check) {
  std::string text =
      fmt::format("{}\n\n{:<16} {:>11} {:>11} {:>11} {:>11} {:>11} {:>7}\n", head_of(check), "",
                  "observed", "replicated", "5 %", "95 %", "P(above)", "error");
  for (const StatisticCheck& s : check.statistics)
    text += fmt::format("{:<16} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.3f} {:>7.3f}{}\n",
                        s.statistic, s.observed, s.mean, s.q5, s.q95, s.tail, s.error,
                        s.is_extreme() ? "  extreme" : "");
  if (!check.places.empty() && !check.is_binary)
    text += fmt::format(
        "\n{:.0f} % of the values lie within their central 50 % intervals, {:.0f} % within those "
        "of 90 %\n",
        100.0 * check.share_within(0.5), 100.0 * check.share_within(0.9));
  return text;
}

Index num_statistics(std::span<const PredictiveCheck> checks) {
  Index count = 0;
  for (const PredictiveCheck& check : checks) count += ssize(check.statistics);
  return count;
}

// A sentence on the order of rows if the autocorrelation is far, which alone depends on it.
std::string order_words(std::span<const PredictiveCheck> checks) {
  for (const PredictiveCheck& check : checks)
    for (const StatisticCheck& s : check.statistics)
      if (s.is_extreme() && s.statistic == "autocorrelation")
        return " The autocorrelation compares neighbours in the order of the rows, which says "
               "something if that is an order of time or place, or of groups that the model lacks.";
  return {};
}

std::string sentence(std::span<const PredictiveCheck> checks, bool of_prior) {
  std::string names;
  for (const PredictiveCheck& check : checks)
    for (const StatisticCheck& s : check.statistics)
      if (s.is_extreme())
        names += fmt::format("{}{} of {}", names.empty() ? "" : ", ", s.statistic, check.name);
  const Index needed = replicates_needed(checks);
  if (names.empty() && !checks.empty() && checks[0].num_draws < needed)
    return fmt::format(
        "{} {} too few to say whether the model draws data like those that were observed: {} "
        "statistics need at least {}.",
        checks[0].num_draws, checks[0].num_draws == 1 ? "replicate is" : "replicates are",
        num_statistics(checks), needed);
  if (of_prior)
    return names.empty() ? "The prior allows for data as they are, by these statistics."
                         : "The prior hardly allows for data as they are: " + names + ".";
  return names.empty()
             ? "The model draws data like those that were observed, by these statistics."
             : fmt::format(
                   "The model doesn't draw data like those that were observed: {} (this is "
                   "reported for at most {:g} % of right models).{}",
                   names, 100.0 * kAccusedTogether, order_words(checks));
}

std::string pit_text(const std::string& name, const LooPit& pit) {
  std::string text = fmt::format("LOO-PIT of {}: p-value {:.2g} of {} places", name,
                                 pit.figures.p_value, pit.places.size());
  text += pit.figures.p_value < kAccused
              ? fmt::format(", which aren't uniform: the predictions are {}\n", pit.figures.fault())
              : ", which may be uniform\n";
  if (pit.has_own_rows)
    text += "The rows that are left out are elements of the program's log_lik.\n";
  if (pit.num_unmatched > 0)
    text +=
        fmt::format("{} values are left out: no row of the likelihood is of one of them alone\n",
                    pit.num_unmatched);
  if (pit.num_unreliable > 0)
    text += fmt::format(
        "Don't rely on {} of the places: Pareto k is up to {:.2f}, above {:.2f}. More "
        "--replicates may help.\n",
        pit.num_unreliable, pit.largest_k, pit.k_limit);
  return text;
}

using results::ArrayList;
using Checks = std::span<const PredictiveCheck>;

void add_pits(ArrayList& answer, std::span<const LooPit> pits) {
  if (pits.empty()) return;
  auto columns = answer.group("variables").columns(pits);
  const auto add = [&](const std::string& name, auto value_of) {
    columns("loo_pit_" + name, value_of, "", "loo_pit." + name);
  };
  add("p_value", [](const LooPit& pit) { return pit.figures.p_value; });
  add("mean", [](const LooPit& pit) { return pit.figures.mean; });
  add("spread", [](const LooPit& pit) { return pit.figures.spread; });
  add("fault", [](const LooPit& pit) {
    return std::string(pit.figures.p_value < kAccused ? pit.figures.fault() : "");
  });
  add("rows_by", [](const LooPit& pit) { return pit.has_own_rows ? "log_lik" : "statements"; });
  add("num_unmatched", &LooPit::num_unmatched);
  add("num_unreliable", &LooPit::num_unreliable);
  answer.add_lists("variables", "loo_pit.elements",
                   results::elements_within(pits, &LooPit::elements));
  answer.add_lists("variables", "loo_pit.places", results::elements_within(pits, &LooPit::places));
}

void add_statistics(ArrayList& answer, Checks checks) {
  using S = StatisticCheck;
  const auto all = results::elements_within(checks, &PredictiveCheck::statistics);
  auto add = answer.add_rows("statistics", all, {.of = "variables"}).columns(all);
  add("name", &S::statistic), add("observed", &S::observed);
  add("mean", &S::mean, "mean over replicates"), add("q5", &S::q5), add("q95", &S::q95);
  add("tail", &S::tail, "probability that a replicate is above");
  add("error", &S::error, "Monte Carlo standard error of tail");
  add("p_value", &S::p_value), add("extreme", &S::is_extreme);
}

void add_bars(ArrayList& answer, Checks checks) {
  using B = ValueCheck;
  const auto all = results::elements_within(checks, &PredictiveCheck::bars);
  auto add = answer.add_rows("bars", all, {.of = "variables"}).columns(all);
  add("value", &B::value), add("observed", &B::observed), add("mean", &B::mean);
  add("q5", &B::q5), add("q95", &B::q95);
}

ArrayList answer_of(Checks checks, std::span<const LooPit> pits, bool of_prior) {
  ArrayList answer("ppc");
  answer.set("sentence", sentence(checks, of_prior));
  std::vector<std::string> names;
  for (const PredictiveCheck& check : checks) names.push_back(check.name);
  answer.add_group("variables", {{"variable", ssize(checks)}})
      .add_labels("variable", std::move(names), "name")
      .add_column({.name = "source"}, checks, &PredictiveCheck::source)
      .add_column({.name = "num_draws"}, checks, &PredictiveCheck::num_draws)
      .add_column({.name = "num_censored"}, checks, &PredictiveCheck::num_censored);
  add_statistics(answer, checks);
  add_bars(answer, checks);
  answer.add_lists("variables", "elements",
                   results::elements_within(checks, &PredictiveCheck::elements));
  answer.add_lists("variables", "places",
                   results::elements_within(checks, &PredictiveCheck::places));
  add_pits(answer, pits);
  return answer;
}

// A line for each replicate, a column for each element.
void write_replicates(const std::string& path, std::span<const Replicated> all) {
  io::OutputFile file(path);
  std::string line;
  const auto add = [&](std::string_view text) {
    line += (line.empty() ? "" : ",") + std::string(text);
  };
  for (const Replicated& one : all)
    for (const std::string& name : one.elements) add(name);
  file.write(line + "\n");
  for (std::size_t s = 0; s < all[0].draws.size(); ++s) {
    line.clear();
    for (const Replicated& one : all)
      for (const double x : one.draws[s]) add(io::number_text(x));
    file.write(line + "\n");
  }
  file.commit();
}

class Ppc final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a result, a run file, or CSV files, one a chain",
                          any_file());
    model_.describe(arguments);
    arguments.option("--replicates", options_.num_draws,
                     "replicated data sets, at most as many as there are draws", at_least(1));
    arguments.option("--seed", options_.seed, "seed of the replicates");
    arguments.flag("--prior", of_prior_, "draw parameters from the prior, not from the fit");
    arguments.option("--statistic", statistics_,
                     "statistic to compare; may be repeated; without it all that apply",
                     one_of(names_of_statistics()));
    arguments.option("--pair", options_.pairs,
                     "DATA=GENERATED: a generated quantity that replicates a variable of the data; "
                     "may be repeated. Without it y_rep, "
                     "y_sim, y_tilde or y_pred of y, or else the statements of the likelihood");
    arguments.option(
        "--pair-statistic", pair_statistics_,
        "REPLICATED=OBSERVED: two generated quantities of the same shape, a statistic of "
        "replicated and of observed data; may be repeated; these alone are compared then");
    arguments.flag("--bars", has_bars_,
                   "for whole numbers: how often each value is among the data and the replicates");
    arguments.option("--group", group_,
                     "a data variable of whole numbers that defines groups: compute the statistics "
                     "(default: the mean) in each group");
    arguments.flag("--loo-pit", has_pit_,
                   "rank of each value among its replicates given all other values");
    rows_.describe(arguments);
    arguments.option("-o,--output", file_,
                     "FILE.csv: the replicates, a line each; FILE.nc (NetCDF-4) or FILE.json: the "
                     "result",
                     output_file("*"));
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const auto fit = open_draws(files_, output);
    check_options();
    if (!pair_statistics_.empty()) {
      std::vector<PredictiveCheck> checks{check_pairs(*fit, pair_statistics_)};
      mark_extremes(checks);
      return report_checks(checks, {}, output);
    }
    if (const auto ready = model_.is_given(*fit) ? nullptr : ready_model_of(*fit)) {
      if (has_pit_)
        throw Error(ErrorCode::usage, "elements of the data are matched with rows of a program",
                    "--loo-pit", "leave it out for a ready-made model");
      return check(*fit, *ready, nullptr, output);
    }
    const auto model =
        model_.needed(*fit, output, json, "name the program and its data: --model, --data");
    return check(*fit, *model, rows_.apply(*model).get(), output);
  }

 private:
  // `by_rows`: the same model with the rows of --rows, for --loo-pit; null if it is ready-made.
  int check(const Fit& fit, const density::Model& model, const density::Model* by_rows,
            Output& output) {
    const std::vector<Replicated> all =
        of_prior_ ? replicate_prior(model, options_) : replicate_fit(fit, model, options_);
    std::vector<PredictiveCheck> checks;
    const std::vector<Replicated> shown =
        group_.empty() ? all : grouped(all, model, report::levels_of(fit));
    for (const Replicated& one : shown)
      checks.push_back(check_replicated(one, of_prior_ ? 1 : fit.num_chains(), statistics_));
    if (by_rows == nullptr)
      for (PredictiveCheck& check : checks) check.source = "drawn by the ready-made model";
    mark_extremes(checks);
    std::vector<LooPit> pits;
    for (const Replicated& one : all)
      if (has_pit_) pits.push_back(loo_pit(fit, *by_rows, one, options_));
    if (file_.ends_with(".csv")) write_replicates(file_, all);
    return report_checks(checks, pits, output);
  }
  int report_checks(Checks checks, std::span<const LooPit> pits, Output& output) const {
    print_answer(with_spec(answer_of(checks, pits, of_prior_), with_inputs(asked, {})),
                 text_of(checks, pits), file_.ends_with(".csv") ? "" : file_, json, output);
    return 0;
  }

  // Replicates of each group's elements. If no statistic is named, the mean is compared.
  std::vector<Replicated> grouped(std::span<const Replicated> all, const density::Model& model,
                                  const report::Levels& levels) {
    const auto label_of = [&](double value) { return report::label_of(levels, group_, value); };
    if (statistics_.empty()) statistics_ = {"mean"};
    const std::vector<density::ObservedVariable> data = all_data(model);
    const auto found = std::ranges::find_if(
        data, [&](const density::ObservedVariable& one) { return one.variable.name == group_; });
    const auto is_whole = [](double value) { return value == std::round(value); };
    if (found == data.end() || !std::ranges::all_of(found->values, is_whole))
      throw Error(ErrorCode::usage,
                  found == data.end() ? fmt::format("the data have no variable {}", group_)
                                      : fmt::format("{} has values that aren't whole", group_),
                  "--group", "name a variable of the data: whole numbers, one for each outcome");
    std::vector<Replicated> parts;
    for (const Replicated& one : all)
      for (Replicated& part : by_groups(one, *found, label_of)) parts.push_back(std::move(part));
    return parts;
  }
  void check_options() const {
    if (!group_.empty() && (has_pit_ || has_bars_))
      throw Error(ErrorCode::usage, "groups are checked by statistics alone", "--group",
                  "leave out --loo-pit and --bars");
    if (has_pit_ && of_prior_)
      throw Error(ErrorCode::usage, "replicates of the prior aren't given any value of the data",
                  "--loo-pit", "leave out --prior");
    if (!pair_statistics_.empty() && (of_prior_ || has_pit_ || file_.ends_with(".csv")))
      throw Error(ErrorCode::usage, "own statistics are those of the fit, and compared alone",
                  "--pair-statistic", "leave out --prior, --loo-pit and --output FILE.csv");
  }
  std::string text_of(std::span<const PredictiveCheck> checks, std::span<const LooPit> pits) const {
    std::string text;
    if (!group_.empty()) return groups_text(checks) + "\n" + sentence(checks, of_prior_) + "\n";
    for (std::size_t k = 0; k < checks.size(); ++k) {
      text += table_of(checks[k]);
      if (has_bars_) text += bars_text(checks[k]);
      if (!pits.empty()) text += pit_text(checks[k].name, pits[k]);
      text += "\n";
    }
    return text + sentence(checks, of_prior_) + "\n";
  }

  std::vector<std::string> files_, statistics_, pair_statistics_;
  FittedModel model_;
  RowsArgument rows_;
  CheckOptions options_;
  bool of_prior_ = false, has_pit_ = false, has_bars_ = false;
  std::string file_, group_;
};
}  // namespace

extern const CommandRow ppc_command{
    "ppc", "whether a model draws data like those that were observed: predictive checks",
    "  credo ppc fit.nc\n"
    "  credo ppc fit.nc --statistic max --statistic zeros --json\n"
    "  credo ppc fit.nc --prior\n"
    "  credo ppc fit.nc --pair y=y_new -o replicates.csv\n"
    "  credo ppc fit.nc --loo-pit\n"
    "  credo ppc fit.nc --bars\n"
    "  credo ppc fit.nc --group site --statistic mean --statistic sd\n"
    "  credo ppc fit.nc --pair-statistic T_rep=T_obs\n",
    make_command<Ppc>,
    "Standard output: statistics of the data and of replicates. With --output: the replicates, as "
    "CSV, or the result as arrays or JSON."};

}  // namespace credo::cli
