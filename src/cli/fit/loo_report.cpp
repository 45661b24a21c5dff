#include "cli/fit/loo_report.hpp"

#include <fmt/format.h>

#include "cli/fit/fitted_model.hpp"
#include "io/json_writer.hpp"
#include "model/model.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kShownRows = 10;  // whose weights aren't reliable
constexpr double kAgreeing = 1.05;      // R-hat of fits of a few hundred draws

std::string total_head(const std::string& first) {
  return fmt::format("{}\n\n{:<12} {:>12} {:>9}\n", first, "", "estimate", "error");
}
std::string total_line(const char* name, const Total& total) {
  return fmt::format("{:<12} {:>12.2f} {:>9}\n", name, total.value, results::error_text(total));
}
void write_total(io::JsonWriter& writer, const char* name, const Total& total) {
  writer.key(name).begin_object().key("value").number(total.value);
  writer.key("error").number(total.error).end_object();
}

std::string_view word_of(RowBy by) {
  return by == RowBy::refit             ? "fit without the row"
         : by == RowBy::moment_matching ? "moment matching"
                                        : "importance sampling";
}

std::string bad_rows(const Loo& loo, std::span<const RowPlace> places, std::span<const Index> bad) {
  std::string text = fmt::format(
      "Don't rely on the estimate: of {} of {} rows Pareto k is above {:.2f}. The posterior "
      "without such a row is too far from the one with it.\n",
      bad.size(), loo.rows.size(), loo.k_limit());
  for (std::size_t i = 0; i < std::min(bad.size(), kShownRows); ++i) {
    const auto row = static_cast<std::size_t>(bad[i]);
    text += fmt::format("  row {}  k {:.2f}  {}\n", bad[i] + 1, loo.rows[row].pareto_k,
                        places[row].where);
  }
  if (bad.size() > kShownRows) text += fmt::format("  and {} more\n", bad.size() - kShownRows);
  return text +
         "what to do: --moment-match moves the draws to where such a row is left out; "
         "--refit bad fits the model without it\n";
}

std::string advice(const Loo& loo, std::span<const RowPlace> places) {
  const std::vector<Index> bad = loo.unreliable();
  if (!bad.empty()) return bad_rows(loo, places, bad);
  double largest = -kInfinity;
  for (std::size_t i = 0; i < loo.rows.size(); ++i)
    if (loo.by[i] != RowBy::refit && loo.rows[i].p_waic != 0.0)
      largest = std::max(largest, loo.rows[i].pareto_k);
  if (largest == -kInfinity) return "Each row is predicted as if it hadn't been seen.\n";
  return fmt::format("The estimate can be believed: Pareto k is at most {:.2f}, below {:.2f}.\n",
                     largest, loo.k_limit());
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

// Of fits that can't be relied on.
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

void write_refit(io::JsonWriter& writer, const Refit& refit) {
  writer.key("joint").number(refit.joint).key("joint_mcse").number(refit.joint_mcse);
  writer.key("r_hat").number(refit.r_hat).key("pareto_k").number(refit.pareto_k);
  writer.key("num_divergent").integer(refit.num_divergent);
  writer.key("failure").string(refit.failure);
}

void write_place(io::JsonWriter& writer, const RowPlace& place) {
  writer.line_break().begin_object().key("where").string(place.where);
  writer.key("number").integer(place.number);
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

std::vector<RowPlace> places_of(const model::Model& model, const Fit& fit,
                                std::span<const double> point, std::size_t num_rows) {
  std::vector<RowPlace> places;
  for (const auto& [statement, count] : model.rows(point))
    for (Index k = 1; k <= count; ++k) places.push_back({model.source().where(statement), k});
  if (places.size() != num_rows) places.assign(num_rows, {fit.origin().model_path, 0});
  return places;
}

RowKind kind_of_rows(const model::Model& model) {
  const bool are_own = model.has_own_rows();
  return {.are_own = are_own,
          .sentence = rows_sentence(model, are_own),
          .data = results::digests_of(model)};
}

namespace {
void write_kind(io::JsonWriter& writer, const RowKind& kind) {
  writer.key("rows_by").string(kind.are_own ? "log_lik" : "statements");
  results::write_digests(writer.key("data"), kind.data);
}
}  // namespace

std::string text_of(const LooReport& report) {
  const Loo& loo = report.loo;
  return total_head(
             fmt::format("{} rows left out one by one, {} draws", loo.rows.size(), loo.num_draws)) +
         total_line("elpd_loo", loo.elpd_loo) + total_line("p_loo", loo.p_loo) +
         total_line("elpd_waic", loo.elpd_waic) + total_line("p_waic", loo.p_waic) + "\n" +
         report.kind.sentence + error_note(ssize(loo.rows)) + methods_line(loo) +
         advice(loo, report.places) + doubts(report.folds, report.refits);
}

std::string json_of(const LooReport& report) {
  const Loo& loo = report.loo;
  io::JsonWriter writer;
  writer.begin_object();
  write_kind(writer, report.kind);
  write_total(writer, "elpd_loo", loo.elpd_loo);
  write_total(writer, "p_loo", loo.p_loo);
  write_total(writer, "elpd_waic", loo.elpd_waic);
  write_total(writer, "p_waic", loo.p_waic);
  writer.key("num_draws").integer(loo.num_draws).key("k_limit").number(loo.k_limit());
  writer.key("num_unreliable").integer(ssize(loo.unreliable()));
  writer.key("rows").begin_array();
  for (std::size_t i = 0; i < loo.rows.size(); ++i) {
    const diagnose::RowFigures& row = loo.rows[i];
    write_place(writer, report.places[i]);
    writer.key("by").string(word_of(loo.by[i]));
    writer.key("elpd_loo").number(row.elpd_loo).key("mcse").number(row.mcse);
    writer.key("lpd").number(row.lpd).key("pareto_k").number(row.pareto_k);
    writer.key("elpd_waic").number(row.elpd_waic).key("p_waic").number(row.p_waic);
    writer.key("r_eff").number(row.r_eff).end_object();
  }
  writer.end_array().key("fits").begin_array();
  for (std::size_t k = 0; k < report.refits.size(); ++k) {
    writer.line_break().begin_object().key("row").integer(report.folds[k].without[0] + 1);
    write_refit(writer, report.refits[k]);
    writer.end_object();
  }
  writer.end_array().end_object();
  return writer.text() + "\n";
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

std::string json_of(const FoldReport& report) {
  io::JsonWriter writer;
  writer.begin_object();
  write_kind(writer, report.kind);
  write_total(writer, "elpd_kfold", total_of_folds(report));
  write_total(writer, "elpd_folds", joint_of_folds(report));
  writer.key("rows").begin_array();
  const std::vector<FoldRow> rows = rows_of(report);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    write_place(writer, report.places[i]);
    writer.key("fold").integer(rows[i].fold + 1);
    writer.key("elpd").number(rows[i].elpd).key("mcse").number(rows[i].mcse).end_object();
  }
  writer.end_array().key("folds").begin_array();
  for (std::size_t k = 0; k < report.refits.size(); ++k) {
    writer.line_break().begin_object().key("num_rows").integer(ssize(report.folds[k].asked));
    write_refit(writer, report.refits[k]);
    writer.end_object();
  }
  writer.end_array().end_object();
  return writer.text() + "\n";
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

std::string json_of(const FutureReport& report) {
  io::JsonWriter writer;
  writer.begin_object();
  write_kind(writer, report.kind);
  write_total(writer, "elpd_lfo", total_of_steps(report));
  writer.key("ahead").integer(report.ahead).key("num_fits").integer(num_refits(report));
  writer.key("k_limit").number(report.k_limit).key("steps").begin_array();
  for (const FutureStep& step : report.steps) {
    writer.line_break().begin_object().key("time").integer(step.time + 1);
    writer.key("fitted").boolean(step.is_refit());
    writer.key("elpd").number(step.elpd).key("mcse").number(step.mcse);
    writer.key("pareto_k").number(step.pareto_k).key("r_hat").number(step.r_hat);
    writer.key("num_divergent").integer(step.num_divergent).end_object();
  }
  writer.end_array().end_object();
  return writer.text() + "\n";
}

namespace {
void set_total(results::ArrayList& answer, const std::string& name, const Total& total) {
  answer.set(name, total.value);
  answer.set(name + "_error", total.error);
}

results::ArrayList answer_of_loo(const RowKind& kind) {
  results::ArrayList answer;
  answer.set("question", std::string("loo"));
  answer.set("version", std::string(CREDO_VERSION));
  answer.set("rows_by", std::string(kind.are_own ? "log_lik" : "statements"));
  return answer;
}
}  // namespace

results::ArrayList arrays_of(const LooReport& report) {
  const Loo& loo = report.loo;
  results::ArrayList answer = answer_of_loo(report.kind);
  set_total(answer, "elpd_loo", loo.elpd_loo);
  set_total(answer, "p_loo", loo.p_loo);
  set_total(answer, "elpd_waic", loo.elpd_waic);
  set_total(answer, "p_waic", loo.p_waic);
  answer.set("num_draws", loo.num_draws);
  answer.set("k_limit", loo.k_limit());
  answer.set("num_unreliable", ssize(loo.unreliable()));
  auto group = answer.add_group("rows", {{"row", ssize(loo.rows)}});
  const auto add = [&](const char* name, double diagnose::RowFigures::*part,
                       const char* help = "") {
    group.add_column({.name = name, .dims = {"row"}, .help = help}, loo.rows,
                     [&](const diagnose::RowFigures& row) { return row.*part; });
  };
  using Row = diagnose::RowFigures;
  add("elpd_loo", &Row::elpd_loo, "log predictive density of the row given all others");
  add("mcse", &Row::mcse, "Monte Carlo standard error of elpd_loo");
  add("lpd", &Row::lpd, "log of the mean likelihood");
  add("pareto_k", &Row::pareto_k);
  add("elpd_waic", &Row::elpd_waic);
  add("p_waic", &Row::p_waic);
  add("r_eff", &Row::r_eff, "effective draws over draws");
  group.add_column(
      {.name = "by",
       .dims = {"row"},
       .kind = density::Kind::whole,
       .labels = {std::string(word_of(RowBy::psis)), std::string(word_of(RowBy::moment_matching)),
                  std::string(word_of(RowBy::refit))}},
      loo.by, [](RowBy by) { return static_cast<int>(by); });
  return answer;
}

results::ArrayList arrays_of(const FoldReport& report) {
  results::ArrayList answer = answer_of_loo(report.kind);
  set_total(answer, "elpd_kfold", total_of_folds(report));
  set_total(answer, "elpd_folds", joint_of_folds(report));
  const std::vector<FoldRow> rows = rows_of(report);
  answer.add_group("rows", {{"row", ssize(rows)}})
      .add_column({.name = "fold", .dims = {"row"}, .kind = density::Kind::whole}, rows,
                  [](const FoldRow& row) { return row.fold + 1; })
      .add_column({.name = "elpd", .dims = {"row"}}, rows,
                  [](const FoldRow& row) { return row.elpd; })
      .add_column({.name = "mcse", .dims = {"row"}}, rows,
                  [](const FoldRow& row) { return row.mcse; });
  answer.add_group("folds", {{"fold", static_cast<Index>(report.refits.size())}})
      .add_column({.name = "joint",
                   .dims = {"fold"},
                   .help = "log predictive density of all rows of the fold together"},
                  report.refits, [](const Refit& fit) { return fit.joint; })
      .add_column({.name = "joint_mcse", .dims = {"fold"}}, report.refits,
                  [](const Refit& fit) { return fit.joint_mcse; })
      .add_column({.name = "r_hat", .dims = {"fold"}}, report.refits,
                  [](const Refit& fit) { return fit.r_hat; })
      .add_column({.name = "num_divergent", .dims = {"fold"}, .kind = density::Kind::whole},
                  report.refits, [](const Refit& fit) { return fit.num_divergent; });
  return answer;
}

results::ArrayList arrays_of(const FutureReport& report) {
  results::ArrayList answer = answer_of_loo(report.kind);
  set_total(answer, "elpd_lfo", total_of_steps(report));
  answer.set("ahead", report.ahead);
  answer.set("num_fits", num_refits(report));
  answer.set("k_limit", report.k_limit);
  answer.add_group("steps", {{"step", static_cast<Index>(report.steps.size())}})
      .add_column({.name = "time", .dims = {"step"}, .kind = density::Kind::whole}, report.steps,
                  [](const FutureStep& step) { return step.time + 1; })
      .add_column({.name = "fitted", .dims = {"step"}, .kind = density::Kind::flag}, report.steps,
                  [](const FutureStep& step) { return step.is_refit(); })
      .add_column({.name = "elpd", .dims = {"step"}}, report.steps,
                  [](const FutureStep& step) { return step.elpd; })
      .add_column({.name = "mcse", .dims = {"step"}}, report.steps,
                  [](const FutureStep& step) { return step.mcse; })
      .add_column({.name = "pareto_k", .dims = {"step"}}, report.steps,
                  [](const FutureStep& step) { return step.pareto_k; })
      .add_column({.name = "r_hat", .dims = {"step"}}, report.steps,
                  [](const FutureStep& step) { return step.r_hat; })
      .add_column({.name = "num_divergent", .dims = {"step"}, .kind = density::Kind::whole},
                  report.steps, [](const FutureStep& step) { return step.num_divergent; });
  return answer;
}

}  // namespace credo::cli
