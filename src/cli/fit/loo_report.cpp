#include "cli/fit/loo_report.hpp"

#include <fmt/format.h>

#include "cli/fit/fitted_model.hpp"
#include "cli/fit/loo_scheme.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kShownRows = 10;  // rows with unreliable weights
constexpr double kAgreeing = 1.05;      // R-hat of fits of a few hundred draws

std::string total_head(const std::string& first) {
  return fmt::format("{}\n\n{:<12} {:>12} {:>9}\n", first, "", "estimate", "error");
}
std::string total_line(const char* name, const Total& total) {
  return fmt::format("{:<12} {:>12.2f} {:>9}\n", name, total.value, results::error_text(total));
}
std::string_view word_of(RowBy by) {
  return by == RowBy::refit             ? "fit without the row"
         : by == RowBy::moment_matching ? "moment matching"
                                        : "importance sampling";
}

std::string bad_rows(const LooReport& report, std::span<const Index> bad) {
  const Loo& loo = report.loo;
  std::string text = fmt::format(
      "Don't rely on the estimate: of {} of {} rows Pareto k is above {:.2f}. The posterior "
      "without such a row is too far from the one with it.\n",
      bad.size(), loo.rows.size(), loo.k_limit());
  for (std::size_t i = 0; i < std::min(bad.size(), kShownRows); ++i) {
    const auto row = static_cast<std::size_t>(bad[i]);
    text += fmt::format("  row {}  k {:.2f}  {}\n", bad[i] + 1, loo.rows[row].pareto_k,
                        report.places[row].where);
  }
  if (bad.size() > kShownRows) text += fmt::format("  and {} more\n", bad.size() - kShownRows);
  if (!report.kind.can_refit) return text;
  return text +
         "what to do: --moment-match moves the draws to where such a row is left out; "
         "--refit bad fits the model without it\n";
}

std::string advice_on_rows(const LooReport& report, std::span<const Index> bad) {
  const Loo& loo = report.loo;
  if (!bad.empty()) return bad_rows(report, bad);
  double largest = -kInfinity;
  for (std::size_t i = 0; i < loo.rows.size(); ++i)
    if (loo.by[i] != RowBy::refit && loo.rows[i].p_waic != 0.0)
      largest = std::max(largest, loo.rows[i].pareto_k);
  if (largest == -kInfinity) return "Each row is predicted as if it hadn't been seen.\n";
  return largest <= loo.k_limit()
             ? fmt::format(
                   "The estimate can be believed: Pareto k is at most {:.2f}, below {:.2f}.\n",
                   largest, loo.k_limit())
             : fmt::format(
                   "The estimate can be believed: Pareto k is up to {:.2f}, but without any row "
                   "nearly all draws count.\n",
                   largest);
}

// Sentences on the weights of the draws themselves: empty for draws of a posterior.
std::string fit_weights_text(const Loo& loo) {
  if (!loo.weights) return "";
  const infer::WeightFigures& own = *loo.weights;
  if (!own.has_weights)
    return "The draws have no weights: these are figures of the approximation, and their distance "
           "from the posterior's isn't known.\n";
  const std::string worth =
      fmt::format("the {} weighted draws are worth {:.0f} equal ones, with Pareto k {:.2f}",
                  own.num_draws, own.effective, own.pareto_k);
  if (loo.rests_on_bad_weights())
    return fmt::format(
        "Don't rely on the estimate: {}, with any row left out. The rows aren't to blame: a "
        "better approximation, or credo sample, has draws with which rows can be judged.\n",
        worth);
  return fmt::format("Rows are judged with the weights of the draws: {}.\n", worth);
}

std::string advice(const LooReport& report) {
  const Loo& loo = report.loo;
  const std::vector<Index> bad = loo.unreliable();
  const std::string of_fit = fit_weights_text(loo);
  if (bad.empty() && (loo.rests_on_bad_weights() || (loo.weights && !loo.weights->has_weights)))
    return of_fit;
  return of_fit + advice_on_rows(report, bad);
}

std::string methods_line(const Loo& loo) {
  std::string text;
  for (const RowBy by : {RowBy::moment_matching, RowBy::refit})
    if (const auto count = std::count(loo.by.begin(), loo.by.end(), by); count > 0)
      text += fmt::format("{} {} by {}\n", count, count == 1 ? "row" : "rows", word_of(by));
  return text;
}

std::string error_note(Index num_rows) {
  const std::string_view why = results::why_no_error(num_rows);
  return why.empty() ? std::string() : std::string(why) + "\n";
}

// Warnings about refits that aren't reliable.
std::string doubts(std::span<const Fold> folds, std::span<const Refit> refits) {
  constexpr double kHeavy = 0.7;  // Pareto k of weights [vehtari2024psis]
  Index bad = 0, divergent = 0, heavy = 0;
  double largest = 0.0, largest_k = -kInfinity;
  std::string failed;
  for (std::size_t k = 0; k < refits.size(); ++k) {
    const Refit& refit = refits[k];
    if (!refit.failure.empty() && failed.empty())
      failed = fmt::format("The model couldn't be fitted without row {}: {}\n",
                           folds[k].without[0] + 1, refit.failure);
    if (!refit.failure.empty()) continue;
    bad += refit.r_hat <= kAgreeing || std::isnan(refit.r_hat) ? 0 : 1;
    divergent += refit.num_divergent;
    largest = std::fmax(largest, refit.r_hat);
    heavy += refit.pareto_k > kHeavy ? 1 : 0;
    largest_k = std::fmax(largest_k, refit.pareto_k);
  }
  if (bad > 0)
    failed += fmt::format(
        "Don't rely on {} of the fits: R-hat is up to {:.2f}. Give them more --warmup and "
        "--draws.\n",
        bad, largest);
  if (heavy > 0)
    failed += fmt::format(
        "Don't rely on {} of the fits: Pareto k of the weights of their draws is up to {:.2f}, "
        "above "
        "{:.2f}. Fit by a Markov chain.\n",
        heavy, largest_k, kHeavy);
  if (divergent > 0)
    failed += fmt::format("{} transitions of the fits were divergent.\n", divergent);
  return failed;
}

struct FoldRow {
  Index fold = -1;
  double elpd = kNaN, mcse = kNaN;
};
std::vector<FoldRow> rows_of(const FoldReport& report) {
  std::vector<FoldRow> rows(report.places.size());
  for (std::size_t k = 0; k < report.folds.size(); ++k)
    for (std::size_t i = 0; i < report.refits[k].elpd.size(); ++i)
      rows[static_cast<std::size_t>(report.folds[k].asked[i])] = {
          static_cast<Index>(k), report.refits[k].elpd[i], report.refits[k].mcse[i]};
  return rows;
}
Total total_of_folds(const FoldReport& report) {
  std::vector<double> values;
  for (const FoldRow& row : rows_of(report)) values.push_back(row.elpd);
  return total_of(values);
}
Total joint_of_folds(const FoldReport& report) {
  std::vector<double> values;
  for (const Refit& refit : report.refits) values.push_back(refit.joint);
  return total_of(values);
}

Total total_of_steps(const FutureReport& report) {
  std::vector<double> values;
  for (const FutureStep& step : report.steps) values.push_back(step.elpd);
  return total_of(values);
}
Index num_refits(const FutureReport& report) {
  return std::count_if(report.steps.begin(), report.steps.end(),
                       [](const FutureStep& step) { return step.is_refit(); });
}
}  // namespace

std::vector<RowPlace> places_of(const LooQuestion& question, std::span<const double> point,
                                std::size_t num_rows) {
  std::vector<RowPlace> places;
  if (question.program == nullptr) {
    const std::vector<density::ObservedVariable> data = observed_data(question.model);
    for (Index k = 1; k <= static_cast<Index>(num_rows); ++k)
      places.push_back({data.front().variable.name, k});
    return places;
  }
  const model::Model& model = *question.program;
  for (const auto& [statement, count] : model.rows(point))
    for (Index k = 1; k <= count; ++k) places.push_back({model.source().where(statement), k});
  if (places.size() != num_rows) places.assign(num_rows, {question.fit.origin().model_path, 0});
  return places;
}

RowKind kind_of_rows(const density::Model& model) {
  const bool are_own = has_own_rows(model);
  return {.are_own = are_own,
          .can_refit = static_cast<bool>(model.statements()),
          .sentence = rows_sentence(model, are_own),
          .data = results::digests_of(model)};
}

std::string text_of(const LooReport& report) {
  const Loo& loo = report.loo;
  return total_head(
             fmt::format("{} rows left out one by one, {} draws", loo.rows.size(), loo.num_draws)) +
         total_line("elpd_loo", loo.elpd_loo) + total_line("p_loo", loo.p_loo) +
         total_line("elpd_waic", loo.elpd_waic) + total_line("p_waic", loo.p_waic) + "\n" +
         report.kind.sentence + error_note(ssize(loo.rows)) + methods_line(loo) + advice(report) +
         doubts(report.folds, report.refits);
}

std::string text_of(const FoldReport& report) {
  std::size_t largest = 0;
  for (const Fold& fold : report.folds) largest = std::max(largest, fold.without.size());
  return total_head(
             fmt::format("{} rows in {} folds of up to {}, each predicted by a fit without it",
                         report.places.size(), report.folds.size(), largest)) +
         total_line("elpd_kfold", total_of_folds(report)) +
         total_line("folds", joint_of_folds(report)) +
         "\nfolds: the rows of a fold predicted together\n" + report.kind.sentence +
         error_note(ssize(report.places)) + doubts(report.folds, report.refits);
}

std::string text_of(const FutureReport& report) {
  double largest = -kInfinity, r_hat = kNaN;
  for (const FutureStep& step : report.steps) {
    largest = std::max(largest, step.pareto_k);
    r_hat = std::fmax(r_hat, step.r_hat);
  }
  std::string text =
      total_head(fmt::format("{} predictions of {} {} ahead, from time {} on", report.steps.size(),
                             report.ahead, report.ahead == 1 ? "time" : "times",
                             report.steps[0].time + 1)) +
      total_line("elpd_lfo", total_of_steps(report)) + "\n" + report.kind.sentence +
      error_note(ssize(report.steps)) +
      fmt::format("{} {}", num_refits(report), num_refits(report) == 1 ? "fit" : "fits") +
      (std::isfinite(largest)
           ? fmt::format("; between them Pareto k is at most {:.2f}, below {:.2f}\n", largest,
                         report.k_limit)
           : std::string("\n"));
  if (r_hat > kAgreeing)
    text += fmt::format(
        "Don't rely on the fits: R-hat is up to {:.2f}. Give them more --warmup and --draws.\n",
        r_hat);
  return text;
}

namespace {
using results::ArrayList;

void set_total(ArrayList& answer, const std::string& name, const Total& total) {
  answer.set(name, total.value, name + ".value");
  answer.set(name + "_error", total.error, name + ".error");
}

ArrayList answer_of_loo(const RowKind& kind) {
  ArrayList answer("loo");
  answer.set("rows_by", std::string(kind.are_own ? "log_lik" : "statements"));
  return answer;
}

ArrayList::Builder add_rows(ArrayList& answer, std::span<const RowPlace> places) {
  auto rows = answer.add_group("rows", {{"row", ssize(places)}});
  auto add = rows.columns(places);
  add("where", &RowPlace::where, "place of the statement");
  add("number", &RowPlace::number, "row of the statement; 0 if unknown");
  return rows;
}

void add_refits(ArrayList::Builder& group, std::span<const Refit> refits) {
  auto add = group.columns(refits);
  add("joint", &Refit::joint, "log predictive density of all rows of the fold together");
  add("joint_mcse", &Refit::joint_mcse);
  add("r_hat", &Refit::r_hat), add("pareto_k", &Refit::pareto_k);
  add("num_divergent", &Refit::num_divergent);
  add("failure", &Refit::failure, "reason for which the fit failed");
}
}  // namespace

ArrayList arrays_of(const LooReport& report) {
  const Loo& loo = report.loo;
  ArrayList answer = answer_of_loo(report.kind);
  set_total(answer, "elpd_loo", loo.elpd_loo);
  set_total(answer, "p_loo", loo.p_loo);
  set_total(answer, "elpd_waic", loo.elpd_waic);
  set_total(answer, "p_waic", loo.p_waic);
  answer.set("num_draws", loo.num_draws);
  answer.set("k_limit", loo.k_limit());
  answer.set("num_unreliable", ssize(loo.unreliable()));
  if (loo.weights) {
    answer.set("pareto_k_of_draws", loo.weights->pareto_k);
    answer.set("num_effective_draws", loo.weights->effective);
  }
  using Row = diagnose::RowFigures;
  auto rows = add_rows(answer, report.places);
  rows.add_column({.name = "by"}, loo.by, word_of);
  auto add = rows.columns(loo.rows);
  add("elpd_loo", &Row::elpd_loo, "log predictive density of the row given all others");
  add("mcse", &Row::mcse, "Monte Carlo standard error of elpd_loo");
  add("lpd", &Row::lpd, "log of the mean likelihood");
  add("pareto_k", &Row::pareto_k);
  add("elpd_waic", &Row::elpd_waic), add("p_waic", &Row::p_waic);
  add("r_eff", &Row::r_eff, "effective draws over draws");
  auto fits = answer.add_group("fits", {{"fit", static_cast<Index>(report.refits.size())}});
  fits.add_column({.name = "row"}, report.folds,
                  [](const Fold& fold) { return fold.without[0] + 1; });
  add_refits(fits, report.refits);
  results::add_digests(answer, report.kind.data);
  return answer;
}

ArrayList arrays_of(const FoldReport& report) {
  ArrayList answer = answer_of_loo(report.kind);
  set_total(answer, "elpd_kfold", total_of_folds(report));
  set_total(answer, "elpd_folds", joint_of_folds(report));
  const std::vector<FoldRow> rows = rows_of(report);
  auto add = add_rows(answer, report.places).columns(rows);
  add("fold", [](const FoldRow& row) { return row.fold + 1; });
  add("elpd", &FoldRow::elpd), add("mcse", &FoldRow::mcse);
  auto folds = answer.add_group("folds", {{"fold", static_cast<Index>(report.refits.size())}});
  folds.add_column({.name = "num_rows"}, report.folds,
                   [](const Fold& fold) { return ssize(fold.asked); });
  add_refits(folds, report.refits);
  results::add_digests(answer, report.kind.data);
  return answer;
}

ArrayList arrays_of(const FutureReport& report) {
  ArrayList answer = answer_of_loo(report.kind);
  set_total(answer, "elpd_lfo", total_of_steps(report));
  answer.set("ahead", report.ahead);
  answer.set("num_fits", num_refits(report));
  answer.set("k_limit", report.k_limit);
  auto steps = answer.add_group("steps", {{"step", ssize(report.steps)}});
  auto add = steps.columns(report.steps);
  add("time", [](const FutureStep& step) { return step.time + 1; });
  add("fitted", &FutureStep::is_refit);
  add("elpd", &FutureStep::elpd), add("mcse", &FutureStep::mcse);
  add("pareto_k", &FutureStep::pareto_k), add("r_hat", &FutureStep::r_hat);
  add("num_divergent", &FutureStep::num_divergent);
  results::add_digests(answer, report.kind.data);
  return answer;
}

}  // namespace credo::cli
