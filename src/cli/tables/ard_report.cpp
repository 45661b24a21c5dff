#include "cli/tables/ard_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kMostPrunedNames = 12;

// A column with its coefficient in the table's units.
struct ArdRow {
  std::string name;
  double precision, mean, sd;
  Index row;  // from 1; 0: it isn't a kernel's

  bool is_pruned() const { return !std::isfinite(precision); }
};
std::vector<ArdRow> rows_of(const ArdReport& report) {
  std::vector<ArdRow> rows;
  for (std::size_t d = 0; d < report.table.columns.size(); ++d)
    rows.push_back({.name = report.table.columns[d].name,
                    .precision = report.fit.precision[d],
                    .mean = report.table.coefficient(d, report.fit.mean[d]),
                    .sd = report.table.coefficient(d, report.fit.sd[d]),
                    .row = report.table.columns[d].row + 1});
  return rows;
}

std::string table_of_rows(const std::vector<ArdRow>& rows) {
  const bool has_kernel = std::ranges::any_of(rows, [](const ArdRow& row) { return row.row > 0; });
  std::vector<std::vector<std::string>> cells{{"", "precision", "mean", "sd"}};
  if (has_kernel) cells[0].emplace_back("row");
  for (const ArdRow& row : rows) {
    if (row.is_pruned()) continue;
    cells.push_back({row.name, fmt::format("{:.4g}", row.precision),
                     fmt::format("{:.5g}", row.mean), fmt::format("{:.3g}", row.sd)});
    if (has_kernel) cells.back().push_back(row.row > 0 ? fmt::format("{}", row.row) : "");
  }
  return cells.size() == 1 ? "" : text_columns(cells);
}

// Columns of a kernel have no names that a reader knows: their number counts.
std::string pruned_words(const std::vector<ArdRow>& rows) {
  std::string names;
  std::size_t number = 0, num_named = 0, num_vectors = 0;
  for (const ArdRow& row : rows) {
    if (!row.is_pruned() && row.row > 0) ++num_vectors;
    if (!row.is_pruned()) continue;
    ++number;
    if (row.row == 0 && ++num_named <= kMostPrunedNames)
      names += (names.empty() ? ": " : ", ") + row.name;
  }
  if (num_named > kMostPrunedNames)
    names += fmt::format(" and {} others", num_named - kMostPrunedNames);
  std::string words = number == 0
                          ? "No column is pruned"
                          : fmt::format("{} of {} columns pruned (precision above {:.0e}){}",
                                        number, rows.size(), models::kPruned, names);
  if (num_vectors > 0)
    words += fmt::format("; {} relevance vector{}", num_vectors, num_vectors == 1 ? "" : "s");
  return words + ".";
}

std::string end_words(const ArdReport& report) {
  const models::ArdFit& fit = report.fit;
  if (fit.fits_exactly)
    return "The noise falls to 0: the columns fit the outcome exactly, and the evidence has no "
           "maximum. --family 'normal(sigma = 0.1)' gives the noise.";
  if (fit.converged)
    return fmt::format(
        "Converged after {} round{}: no single precision would raise the evidence by more than "
        "{:.0e} nats. It may have other local maxima.",
        fit.num_rounds, fit.num_rounds == 1 ? "" : "s", models::kArdTolerance);
  return fmt::format(
      "Not converged after {} rounds: another precision or noise would raise the evidence by "
      "{:.2g} nats "
      "at least. {}",
      fit.num_rounds, fit.gain_left,
      report.method.name == "evidence" ? "The columns may be collinear."
                                       : "--method evidence has exact steps.");
}
}  // namespace

std::string ArdReport::text() const {
  const std::vector<ArdRow> rows = rows_of(*this);
  std::string text = table_of_rows(rows);
  if (table.has_intercept) text += fmt::format("intercept {:.6g}\n", table.intercept(fit.mean));
  text += fmt::format("sigma {:.5g}{}\n", fit.sigma * table.outcome_sd,
                      table.data.sigma > 0.0 ? " (known)" : "");
  text += fmt::format("log evidence {:.6g}, by {}\n\n", table.log_evidence(fit.log_evidence),
                      method.words);
  const auto add = [&](const std::string& words) {
    text += wrapped(words, text_width(STDOUT_FILENO)) + "\n";
  };
  add(pruned_words(rows));
  add(end_words(*this));
  add("Means and sds are those of coefficients given these precisions, whose own uncertainty isn't "
      "counted. Predictions of new rows: the same formula with --method sample -o fit.nc, and "
      "credo predict "
      "fit.nc.");
  return text;
}

results::ArrayList ArdReport::answer() const {
  results::ArrayList answer("regression");
  answer.set("formula", formula);
  answer.set("method", std::string(method.name));
  answer.set("num_rows", table.num_rows);
  answer.set("log_evidence", table.log_evidence(fit.log_evidence));
  answer.set("sigma", fit.sigma * table.outcome_sd);
  if (table.has_intercept) answer.set("intercept", table.intercept(fit.mean));
  answer.set("num_rounds", fit.num_rounds);
  answer.set("gain_left", fit.gain_left);
  answer.set("converged", fit.converged);
  answer.set("fits_exactly", fit.fits_exactly);
  answer.set("pruned_above", models::kPruned);
  const std::vector<ArdRow> rows = rows_of(*this);
  auto add = answer.add_rows("coefficients", rows).columns(rows);
  add("name", &ArdRow::name);
  add("precision", &ArdRow::precision,
      "inverse of the prior's variance, in sds of the outcome for one sd of the column");
  add("pruned", [](const ArdRow& row) { return row.is_pruned(); });
  add("mean", &ArdRow::mean);
  add("sd", &ArdRow::sd);
  if (std::ranges::any_of(rows, [](const ArdRow& row) { return row.row > 0; }))
    add("row", &ArdRow::row, "place among the rows that are used, from 1");
  return answer;
}

}  // namespace credo::cli
