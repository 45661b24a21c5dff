#include "cli/tables/selection_report.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
using models::RatedSet;
using models::SelectionTerm;
using models::SizedSet;
constexpr double kLargeError = 0.02, kLargeRHat = 1.05;

std::string prior_words(const models::SelectionTable& table) {
  const models::SelectionProblem& problem = table.problem;
  const std::string set =
      problem.inclusion > 0.0
          ? fmt::format("each term is in with probability {:.4g}", problem.inclusion)
          : "every number of terms is equally probable";
  const std::string_view slab = problem.slab->name;
  const double g =
      problem.options.g > 0.0 ? problem.options.g : static_cast<double>(table.num_rows);
  return fmt::format("prior {}{}; {}", slab,
                     slab == "g"    ? fmt::format(" (g = {:.4g})", g)
                     : slab == "l0" ? ""
                                    : fmt::format(" (width {:.4g})", problem.options.width),
                     set);
}

double r_squared(const models::SelectionTable& table, double residual) {
  return 1.0 - residual / table.problem.total;
}
// One row for each column: its term, the inclusion of the term, its averaged coefficient.
struct Coefficient {
  std::string name, term;
  double inclusion, error, mean, sd;
};
std::vector<Coefficient> coefficients(const models::SelectionTable& table,
                                      const models::Selection& found) {
  std::vector<Coefficient> all;
  for (std::size_t t = 0; t < table.problem.terms.size(); ++t)
    for (const Index column : table.problem.terms[t].columns) {
      const auto c = static_cast<std::size_t>(column);
      all.push_back({.name = table.names[c],
                     .term = table.problem.terms[t].name,
                     .inclusion = found.inclusion[t],
                     .error = found.is_complete ? 0.0 : found.inclusion_error[t],
                     .mean = table.coefficient(column, found.mean[c]),
                     .sd = table.coefficient(column, found.sd[c])});
    }
  return all;
}

std::string counted(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string search_words(const models::Selection& found) {
  std::string text = found.is_complete
                         ? fmt::format("all {} sets of terms were rated", counted(found.num_sets))
                         : fmt::format(
                               "a walk visited {} different sets of terms (R-hat of "
                               "inclusions at most {:.3f})",
                               counted(found.num_sets), found.r_hat);
  if (found.num_singular > 0.0)
    text += fmt::format("; {} of them have collinear or too many columns and count as impossible",
                        counted(found.num_singular));
  text += "\n";
  const double error =
      found.inclusion_error.empty() ? 0.0 : std::ranges::max(found.inclusion_error);
  if (error > kLargeError || found.r_hat > kLargeRHat)
    text += fmt::format(
        "Don't rely on it: the Monte Carlo error of an inclusion is {:.2g}, and R-hat {:.3f}. "
        "--sweeps takes a longer walk.\n",
        error, found.r_hat);
  return text;
}
}  // namespace

std::string SelectionReport::text() const {
  const bool has_probabilities = table.problem.slab->has_evidence;
  std::string text =
      fmt::format("{}: which of {} terms are in, {} rows{}; {}\n", table.formula,
                  table.problem.num_free(), table.num_rows,
                  table.num_dropped > 0 ? fmt::format(" ({} left out)", table.num_dropped) : "",
                  prior_words(table)) +
      search_words(found);
  if (has_probabilities) {
    std::vector<std::vector<std::string>> rows{{"", "P(in)", "mean", "sd"}};
    for (const Coefficient& one : coefficients(table, found))
      rows.push_back({one.name, fmt::format("{:.3f}", one.inclusion),
                      fmt::format("{:.4g}", one.mean), fmt::format("{:.3g}", one.sd)});
    text += text_columns(rows) +
            fmt::format("intercept {:.5g}; means and sds count sets without the term as 0\n\n",
                        table.intercept(found.mean));
    rows = {{"probability", "set"}};
    for (const RatedSet& one : found.best)
      rows.push_back({fmt::format("{:.4f}", one.weight), table.text_of(one.set)});
    text += text_columns(rows) + "\n";
  } else if (!found.best.empty()) {
    text += fmt::format("the mode: {}\n\n", table.text_of(found.best[0].set));
  }
  std::vector<std::vector<std::string>> rows{{"terms", "R2", "best fit"}};
  for (std::size_t k = 0; k < found.by_size.size(); ++k)
    if (!found.by_size[k].set.empty())
      rows.push_back({fmt::format("{}", k),
                      fmt::format("{:.4f}", r_squared(table, found.by_size[k].residual)),
                      table.text_of(found.by_size[k].set)});
  return text + text_columns(rows);
}

results::ArrayList SelectionReport::answer() const {
  results::ArrayList answer("select");
  answer.set("formula", table.formula);
  answer.set("prior", std::string(table.problem.slab->name));
  answer.set("num_rows", table.num_rows);
  answer.set("is_complete", found.is_complete);
  answer.set("num_sets", found.num_sets);
  answer.set("num_singular", found.num_singular);
  answer.set("intercept", table.intercept(found.mean));
  if (!found.is_complete) answer.set("r_hat", found.r_hat);
  const auto& terms = table.problem.terms;
  std::vector<std::string> names;
  for (const SelectionTerm& term : terms) names.push_back(term.name);
  auto term = answer.add_group("terms", {{"term", ssize(terms)}});
  term.add_labels("term", names, "name");
  term.add({.name = "inclusion", .dims = {"term"}, .help = "posterior probability"},
           found.inclusion);
  if (!found.is_complete)
    term.add({.name = "error", .dims = {"term"}, .help = "Monte Carlo standard error"},
             found.inclusion_error);
  const auto all = coefficients(table, found);
  auto coefficient = answer.add_group("coefficients", {{"coefficient", ssize(all)}});
  auto add = coefficient.columns(all);
  add("column", &Coefficient::name);
  add("of_term", &Coefficient::term, "", "term");
  add("mean", &Coefficient::mean, "averaged over sets, 0 without the term");
  add("sd", &Coefficient::sd);
  auto best = answer.add_group("sets", {{"set", ssize(found.best)}});
  best.columns(found.best)(
      "terms_in", [&](const RatedSet& one) { return table.text_of(one.set); }, "", "terms");
  best.columns(found.best)("probability", &RatedSet::weight);
  best.columns(found.best)("log_joint", &RatedSet::log_joint,
                           "log of evidence times prior, to a constant");
  std::vector<SizedSet> sized;
  for (const SizedSet& one : found.by_size)
    if (!one.set.empty()) sized.push_back(one);
  auto sizes = answer.add_group("best_by_size", {{"size", ssize(sized)}});
  sizes.columns(sized)("num_terms", [&](const SizedSet& one) {
    return std::accumulate(one.set.begin(), one.set.end(), Index{0});
  });
  sizes.columns(sized)(
      "terms_of_size", [&](const SizedSet& one) { return table.text_of(one.set); }, "", "terms");
  sizes.columns(sized)("r_squared",
                       [&](const SizedSet& one) { return r_squared(table, one.residual); });
  return answer;
}

}  // namespace credo::cli
