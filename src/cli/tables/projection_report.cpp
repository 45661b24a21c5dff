#include "cli/tables/projection_report.hpp"

#include <fmt/format.h>

#include "cli/tables/effect_draws.hpp"
#include "cli/tables/regression_prediction.hpp"
#include "cli/term/terminal.hpp"
#include "results/draws/weights.hpp"

namespace credo::cli {
namespace {
using models::ProjectionStep;
constexpr Index kMostReferenceDraws = 1000;

void require(const results::Fit& fit, const models::Regression& made) {
  const std::string& source = fit.origin().source;
  if (models::find_projected_family(made.family->name, made.link()) == nullptr)
    throw Error(ErrorCode::usage,
                fmt::format("outcomes of the family {} with the link {} can't be projected",
                            made.family->name, made.link()),
                source, "the families are " + models::projected_family_names());
  if (!made.outcome.function.empty() || !made.location().offsets.empty())
    throw Error(ErrorCode::usage, "functions of the outcome, offsets and rates can't be projected",
                source, "write the outcome into a column of its own, and fit without an offset");
  if (made.predictors.size() > 1 || !made.location().specials.empty())
    throw Error(ErrorCode::usage,
                "special terms and formulas of other parameters can't be projected", source,
                "fit the regression with columns alone");
  if (!made.location().has_intercept || made.location().design.terms.empty())
    throw Error(ErrorCode::usage, "a projection needs an intercept and terms", source,
                "fit the regression with all terms: y ~ .");
  if (!results::log_weights_of(fit).empty())
    throw Error(ErrorCode::usage, "the draws of this fit have weights, and a projection takes none",
                source, "fit by sampling: credo regression without --method");
}
}  // namespace

ProjectionReport project_fit(const results::Fit& fit, Output& output) {
  if (!is_regression(fit))
    throw Error(ErrorCode::usage, "the fit isn't one of credo regression", fit.origin().source,
                "credo regression 'y ~ .' --data TABLE -o fit.nc fits all terms");
  const EffectSource source(fit, output);
  const models::Regression& made = source.regression();
  require(fit, made);
  models::ProjectionProblem problem{
      .family = models::find_projected_family(made.family->name, made.link()),
      .terms = {},
      .y = made.outcome.values,
      .trials = source.trials()};
  for (const models::DesignTerm& term : made.location().design.terms)
    problem.terms.push_back({term.text, term.columns});
  auto reference = source.row_means(kMostReferenceDraws, problem.family->has_sigma ? "sigma" : "");
  problem.means = std::move(reference.means), problem.sigma = std::move(reference.parameter);
  for (std::vector<double>& means : problem.means)
    for (std::size_t n = 0; n < means.size(); ++n) means[n] /= problem.trials[n];
  return {.formula = made.formula,
          .num_rows = made.num_rows,
          .num_draws = ssize(problem.means),
          .found = models::project_steps(problem)};
}

std::string ProjectionReport::text() const {
  std::string text = fmt::format(
      "{}: projections of {} draws on submodels, {} rows; elpd of the reference {:.1f} (error "
      "{:.1f})\n",
      formula, num_draws, num_rows, found.elpd, found.elpd_error);
  std::vector<std::vector<std::string>> rows{
      {"terms", "enters", "divergence", "elpd", "error", "difference", "error"}};
  for (std::size_t k = 0; k < found.steps.size(); ++k) {
    const ProjectionStep& step = found.steps[k];
    rows.push_back({fmt::format("{}", k), step.term.empty() ? "(intercept)" : step.term,
                    fmt::format("{:.4f}", step.divergence), fmt::format("{:.1f}", step.elpd),
                    fmt::format("{:.1f}", step.elpd_error), fmt::format("{:.1f}", step.difference),
                    fmt::format("{:.1f}", step.difference_error)});
  }
  text += text_columns(rows);
  if (found.num_suggested >= 0) {
    std::string terms;
    for (Index k = 1; k <= found.num_suggested; ++k)
      terms += (k == 1 ? "" : " + ") + found.steps[static_cast<std::size_t>(k)].term;
    const char* const verb = found.num_unreliable > 0   ? " would suffice"
                             : found.num_suggested == 1 ? " suffices"
                                                        : " suffice";
    text += fmt::format(
        "{} term{}{}, the fewest whose elpd is within one standard error of the reference's{}\n",
        found.num_suggested, found.num_suggested == 1 ? "" : "s", verb,
        terms.empty() ? "" : ": " + terms);
  } else {
    text += "no submodel comes within one standard error of the reference\n";
  }
  if (found.num_unreliable > 0)
    text += fmt::format(
        "Don't rely on this number: {1} of {0} rows have a Pareto k above the limit, and the "
        "errors above don't show what that adds.\n",
        num_rows, found.num_unreliable);
  return text;
}

results::ArrayList ProjectionReport::answer() const {
  results::ArrayList answer("select");
  answer.set("formula", formula);
  answer.set("num_rows", num_rows);
  answer.set("num_draws", num_draws);
  answer.set("elpd_reference", found.elpd);
  answer.set("elpd_reference_error", found.elpd_error);
  answer.set("num_suggested", found.num_suggested);
  answer.set("num_unreliable", found.num_unreliable);
  auto steps = answer.add_group("steps", {{"step", ssize(found.steps)}});
  auto add = steps.columns(found.steps);
  add("term", &ProjectionStep::term, "term that enters");
  add("divergence", &ProjectionStep::divergence, "from the reference, mean over rows and draws");
  add("elpd", &ProjectionStep::elpd, "log predictive density of rows left out");
  add("elpd_error", &ProjectionStep::elpd_error);
  add("difference", &ProjectionStep::difference, "to the reference");
  add("difference_error", &ProjectionStep::difference_error);
  return answer;
}

}  // namespace credo::cli
