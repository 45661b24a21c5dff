#include "cli/tables/gp_report.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"
#include "models/formula/bases.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
using models::CovarianceParameter;
using models::GpOptimum;
constexpr double kNinety = 1.6448536269514722;

std::span<const CovarianceParameter> parameters_of(const models::GpTable& table) {
  return table.problem.covariance.parameters();
}

struct HyperRow {
  std::string term, name;
  double value = 0.0, low = kNaN, high = kNaN;
  bool is_fixed = false;
};
// Mean of parameter p over points with weights, and an interval of 90 %: quantiles of draws, which have equal weights; else that of a normal
// distribution of the unconstrained parameter with the moments of the points, which is what such points are exact for.
void average(const models::HyperPoints& hyper, std::size_t p, const CovarianceParameter& parameter,
             HyperRow& row) {
  std::vector<double> values;
  double mean = 0.0, square = 0.0;
  row.value = 0.0;
  for (std::size_t k = 0; k < hyper.thetas.size(); ++k) {
    const double value = hyper.thetas[k][p], free = parameter.to_free(value);
    values.push_back(value);
    row.value += hyper.weights[k] * value;
    mean += hyper.weights[k] * free, square += hyper.weights[k] * free * free;
  }
  const auto [least, most] = std::ranges::minmax(hyper.weights);
  if (least == most) {
    row.low = models::sample_quantile(values, 0.05);
    row.high = models::sample_quantile(values, 0.95);
    return;
  }
  const double off = kNinety * std::sqrt(std::max(0.0, square - mean * mean));
  row.low = parameter.from_free(mean - off), row.high = parameter.from_free(mean + off);
}

std::vector<HyperRow> hyper_rows(const models::GpTable& table, const GpOptimum& best,
                                 const models::HyperPoints& hyper) {
  std::vector<HyperRow> rows;
  std::size_t estimated = 0;
  for (std::size_t p = 0; p < parameters_of(table).size(); ++p) {
    const CovarianceParameter& parameter = parameters_of(table)[p];
    HyperRow row{.term = parameter.of,
                 .name = parameter.name,
                 .value = best.theta[p],
                 .is_fixed = parameter.is_fixed};
    if (!parameter.is_fixed && hyper.thetas.size() > 1) {
      average(hyper, p, parameter, row);
    } else if (!parameter.is_fixed && !best.free_sds.empty()) {
      const double free = parameter.to_free(row.value), off = kNinety * best.free_sds[estimated];
      row.low = parameter.from_free(free - off), row.high = parameter.from_free(free + off);
    }
    if (!parameter.is_fixed) ++estimated;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string hyper_text(const models::GpTable& table, std::span<const GpOptimum> optima,
                       const models::HyperPoints& hyper) {
  const bool is_averaged = hyper.thetas.size() > 1;
  if (is_averaged) optima = optima.first(1);
  std::vector<std::vector<std::string>> rows{
      {"", "", is_averaged ? "mean" : "value", "5 %", "95 %"}};
  if (optima.size() > 1) rows[0].emplace_back("other optima");
  std::string before;
  std::size_t p = 0;
  for (const HyperRow& row : hyper_rows(table, optima[0], hyper)) {
    std::vector<std::string> cells{row.term == before ? "" : row.term, row.name,
                                   fmt::format("{:.4g}", row.value)};
    before = row.term;
    const bool has_interval = std::isfinite(row.low);
    cells.push_back(row.is_fixed ? "fixed" : has_interval ? fmt::format("{:.3g}", row.low) : "");
    cells.push_back(has_interval ? fmt::format("{:.3g}", row.high) : "");
    for (std::size_t k = 1; k < std::min<std::size_t>(optima.size(), 4); ++k)
      cells.push_back(fmt::format("{:.4g}", optima[k].theta[p]));
    rows.push_back(std::move(cells));
    ++p;
  }
  if (optima.size() > 1) {
    std::vector<std::string> cells{"log evidence", "", fmt::format("{:.3f}", optima[0].evidence),
                                   "", ""};
    for (std::size_t k = 1; k < std::min<std::size_t>(optima.size(), 4); ++k)
      cells.push_back(fmt::format("{:.3f}", optima[k].evidence));
    rows.push_back(std::move(cells));
  }
  return text_columns(rows);
}

bool is_of_classes(const GpReport& report) {
  const models::OutcomeFamily* family = report.table.outcomes.family;
  return family != nullptr && family->is_categorical;
}
// Columns of the outcome's prediction.
std::vector<std::string> outcome_names(const GpReport& report) {
  const models::GpOutcome& outcomes = report.table.outcomes;
  if (outcomes.family == nullptr || outcomes.family->is_normal) return {"sd of outcomes"};
  if (is_of_classes(report)) {
    std::vector<std::string> names;
    for (const std::string& one : outcomes.classes) names.push_back("P(" + one + ")");
    return names;
  }
  if (!outcomes.classes.empty()) return {"P(" + outcomes.classes[1] + ")"};
  return {outcomes.family->takes_rate || outcomes.family->is_scaled ? "mean of outcomes"
                                                                    : "probability"};
}

std::string points_text(const GpReport& report, const models::GpAtPoints& at) {
  constexpr std::size_t kShownPoints = 12;
  std::vector<std::vector<std::string>> rows{{}};
  for (const models::GpInput& input : report.table.inputs) rows[0].push_back(input.name());
  const bool is_categorical = is_of_classes(report);
  if (!is_categorical)
    for (const char* name : {"mean", "sd"}) rows[0].emplace_back(name);
  for (const std::string& name : outcome_names(report)) rows[0].push_back(name);
  if (!at.slope.mean.empty())
    rows[0].push_back("d/d" + report.derivative), rows[0].emplace_back("sd");
  const std::size_t count = at.all.mean.size();
  for (std::size_t i = 0; i < std::min(count, kShownPoints); ++i) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < at.points.columns.size(); ++c) {
      const models::GpInput& input = report.table.inputs[c];
      const auto code = static_cast<std::size_t>(at.points.columns[c][i]);
      cells.push_back(!input.is_factor              ? fmt::format("{:.6g}", at.points.columns[c][i])
                      : code <= input.levels.size() ? input.levels[code - 1]
                                                    : "a new level");
    }
    if (!is_categorical) {
      cells.push_back(fmt::format("{:.5g}", at.all.mean[i]));
      cells.push_back(report.is_ridge ? "" : fmt::format("{:.3g}", std::sqrt(at.all.variance[i])));
    }
    if (at.outcomes.empty())
      cells.push_back(report.is_ridge
                          ? ""
                          : fmt::format("{:.3g}", std::sqrt(at.all.variance[i] +
                                                            report.averages.noise_variance)));
    for (const std::vector<double>& one : at.outcomes)
      cells.push_back(fmt::format("{:.4g}", one[i]));
    if (!at.slope.mean.empty()) {
      cells.push_back(fmt::format("{:.4g}", at.slope.mean[i]));
      cells.push_back(fmt::format("{:.3g}", std::sqrt(at.slope.variance[i])));
    }
    rows.push_back(std::move(cells));
  }
  std::string text = "\n" + text_columns(rows);
  if (count > kShownPoints) text += fmt::format("... {} points in all: -o FILE has them\n", count);
  return text;
}

std::vector<double> roots(std::vector<double> variance) {
  for (double& v : variance) v = std::sqrt(v);
  return variance;
}

// Names of NetCDF files have no slash.
std::string name_in_file(std::string name) {
  std::ranges::replace(name, '/', ':');
  return name;
}

void add_points(results::ArrayList& answer, const GpReport& report, const models::GpAtPoints& at) {
  const Index count = ssize(at.all.mean);
  const std::string dim = at.name == "fitted" ? "row" : "point";
  auto points = answer.add_group(at.name, {{dim, count}});
  for (std::size_t c = 0; c < at.points.columns.size(); ++c)
    points.add({.name = name_in_file(report.table.inputs[c].name()),
                .dims = {dim},
                .help = "input",
                .labels = {}},
               at.points.columns[c]);
  if (is_of_classes(report)) {
    const auto& classes = report.table.outcomes.classes;
    points.add_dimension("class", ssize(classes)).add_labels("class", classes);
    std::vector<double> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      for (const std::vector<double>& one : at.outcomes) all.push_back(one[i]);
    points.add({.name = "probability", .dims = {dim, "class"}, .help = "probability of a class"},
               all);
    return;
  }
  points.add({.name = "mean", .dims = {dim}, .help = "mean of the function"}, at.all.mean);
  if (!report.is_ridge)
    points.add({.name = "sd", .dims = {dim}, .help = "sd of the function"}, roots(at.all.variance));
  if (!at.outcomes.empty())
    points.add({.name = "outcome",
                .dims = {dim},
                .help = "mean of the outcome, for one trial or a unit of its rate"},
               at.outcomes[0]);
  if (!report.is_ridge && at.outcomes.empty()) {
    std::vector<double> outcomes = at.all.variance;
    for (double& v : outcomes) v += report.averages.noise_variance;
    points.add({.name = "sd_outcome", .dims = {dim}, .help = "sd of an outcome"},
               roots(std::move(outcomes)));
  }
  if (!at.slope.mean.empty()) {
    points.add({.name = "slope", .dims = {dim}, .help = "derivative by " + report.derivative},
               at.slope.mean);
    points.add({.name = "slope_sd", .dims = {dim}}, roots(at.slope.variance));
  }
  const auto rows_first = [count](std::size_t num, auto value_of) {
    std::vector<double> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      for (std::size_t t = 0; t < num; ++t) all.push_back(value_of(t, i));
    return all;
  };
  if (!at.terms.empty() && !report.is_ridge) {
    points.add_dimension("term", ssize(at.terms));
    points.add(
        {.name = "term_mean", .dims = {dim, "term"}, .help = "mean of the function of one term"},
        rows_first(at.terms.size(),
                   [&](std::size_t t, std::size_t i) { return at.terms[t].mean[i]; }));
    points.add({.name = "term_sd", .dims = {dim, "term"}},
               rows_first(at.terms.size(), [&](std::size_t t, std::size_t i) {
                 return std::sqrt(at.terms[t].variance[i]);
               }));
  }
  if (!at.draws.empty()) {
    points.add_dimension("draw", ssize(at.draws));
    points.add(
        {.name = "draws", .dims = {dim, "draw"}, .help = "draws of the function"},
        rows_first(at.draws.size(), [&](std::size_t s, std::size_t i) { return at.draws[s][i]; }));
  }
}

std::string check_text(const GpReport& report) {
  std::string text;
  if (report.check) {
    const models::GpCheck& check = *report.check;
    text += fmt::format(
        "covariance of the rows: {} eigenvalues from {:.4g} to {:.3g}, {}; rank {}, effective "
        "number of parameters {:.4g}\n",
        check.eigenvalues.size(), check.eigenvalues.front(), check.eigenvalues.back(),
        check.is_positive ? "positive semi-definite" : "NOT positive semi-definite", check.rank,
        check.effective);
    if (!check.rows.empty()) {
      text += fmt::format(
          "means by {} weights of features and by {} weights of rows differ by {:.2g} at most\n",
          check.rank, check.eigenvalues.size(), check.feature_error);
      text += fmt::format(
          "the prediction at the {} point is a sum of outcomes with weights of sum {:.6g}; the "
          "largest are",
          report.at.back().name == "fitted" ? "last" : "first", check.weight_sum);
      for (std::size_t k = 0; k < check.rows.size(); ++k)
        text += fmt::format("{} row {}: {:.4g}", k == 0 ? "" : ",", check.rows[k] + 1,
                            check.row_weights[k]);
      text += "\n";
      text += fmt::format(
          "means and covariances at {} of {} points, in another order, are those of the joint "
          "distribution to {:.1g}\n",
          check.num_marginal, check.num_joint, check.marginal_error);
    }
  }
  for (const models::GpSpectrum& one : report.spectra)
    text += fmt::format(
        "spectrum of {}: half of the variance below {:.4g} cycles per unit, 95 % below {:.4g}; "
        "density at 0: {:.4g}\n",
        one.term, one.half, one.most, one.density.front());
  return text.empty() ? "" : "\n" + text;
}

void add_checks(results::ArrayList& answer, const GpReport& report) {
  if (report.check) {
    const models::GpCheck& check = *report.check;
    answer.set_all("rank", check.rank, "positive", check.is_positive, "effective_parameters",
                   check.effective, "feature_error", check.feature_error, "weight_sum",
                   check.weight_sum, "marginal_error", check.marginal_error);
    results::add_list(answer, "eigenvalues", "eigenvalue", check.eigenvalues);
    std::vector<double> rows;
    for (const Index row : check.rows) rows.push_back(static_cast<double>(row + 1));
    results::add_list(answer, "weighted_rows", "weighted_row", rows);
    results::add_list(answer, "row_weights", "row_weight", check.row_weights);
  }
  if (report.spectra.empty()) return;
  std::vector<double> frequency, density;
  std::vector<std::string> terms;
  for (const models::GpSpectrum& one : report.spectra)
    for (std::size_t k = 0; k < one.frequency.size(); ++k) {
      terms.push_back(one.term);
      frequency.push_back(one.frequency[k]), density.push_back(one.density[k]);
    }
  auto group = answer.add_group("spectrum", {{"cell", ssize(terms)}});
  group.add_texts({.name = "of_term", .dims = {"cell"}}, terms);
  group.add({.name = "frequency", .dims = {"cell"}, .help = "cycles per unit of the input"},
            frequency);
  group.add({.name = "density", .dims = {"cell"}}, density);
}

std::string mean_text(const GpReport& report) {
  std::vector<std::vector<std::string>> rows{{"mean", "coefficient", "sd"}};
  const std::vector<std::string> names = report.table.mean_names();
  for (std::size_t c = 0; c < names.size(); ++c)
    rows.push_back({names[c], fmt::format("{:.5g}", report.averages.coefficients[c]),
                    fmt::format("{:.3g}", report.averages.coefficient_sds[c])});
  return names.empty() ? "" : text_columns(rows);
}
}  // namespace

std::vector<std::string> gp_findings(const models::GpTable& table,
                                     std::span<const GpOptimum> optima) {
  std::vector<std::string> all;
  const GpOptimum& best = optima.front();
  const Index num = ssize(models::estimated_parameters(table.problem.covariance));
  for (const Index p : best.at_limit)
    all.push_back(
        fmt::format("{} ran to the end of its range, {:.3g}: the data don't bound it. Leave the "
                    "term out, or state the number.",
                    table.parameter_name(p), best.theta[static_cast<std::size_t>(p)]));
  if (!best.has_converged)
    all.emplace_back(
        "The best climb did not come to an end: its numbers are not an optimum. --starts takes "
        "more of them.");
  // intervals of more than two orders of magnitude
  constexpr double kOpen = 1.4;
  const std::vector<Index> estimated = models::estimated_parameters(table.problem.covariance);
  for (std::size_t k = 0; k < best.free_sds.size(); ++k)
    if (best.free_sds[k] > kOpen &&
        std::ranges::find(best.at_limit, estimated[k]) == best.at_limit.end())
      all.push_back(fmt::format("{} is hardly determined: its interval spans a factor of {:.2g}.",
                                table.parameter_name(estimated[k]),
                                std::exp(2.0 * kNinety * best.free_sds[k])));
  for (std::size_t k = 1; k < optima.size(); ++k)
    if (optima[0].evidence - optima[k].evidence < 3.0) {
      all.push_back(fmt::format(
          "Another optimum has an evidence lower by {:.2g} only, and explains the data in another "
          "way: see its column. Means and bands are those of the first alone.",
          optima[0].evidence - optima[k].evidence));
      break;
    }
  if (num > 0 && table.num_rows() < 5 * num)
    all.push_back(
        fmt::format("{} rows for {} hyperparameters: they are hardly determined, and bands that "
                    "take them as known are too narrow.",
                    table.num_rows(), num));
  else if (num > 0 && best.free_sds.empty() && best.at_limit.empty() && best.has_converged)
    all.emplace_back(
        "The evidence is flat in some direction at the optimum: hyperparameters have no "
        "intervals.");
  return all;
}

std::string GpReport::text() const {
  const models::Covariance& covariance = table.problem.covariance;
  std::string text =
      fmt::format("{}: Gaussian process, {} rows{}\n", table.formula, table.num_rows(),
                  table.num_dropped > 0 ? fmt::format(" ({} left out)", table.num_dropped) : "");
  if (search) text = search->text() + text;
  const int smooth = covariance.smoothness();
  for (const models::KernelNode* term : covariance.terms()) {
    std::string words;
    const auto collect = [&](const auto& self, const models::KernelNode& node) -> void {
      if (node.kind == models::KernelNode::Kind::atom)
        words += (words.empty()    ? ""
                  : node.atom >= 0 ? ", times "
                                   : "") +
                 std::string(node.row->words);
      for (const models::KernelNode& part : node.parts) self(self, part);
    };
    collect(collect, *term);
    text += fmt::format("  {}: {}\n", term->text, words);
  }
  text += smooth < 0                  ? "  the function isn't continuous"
          : smooth >= models::kSmooth ? "  the function has all derivatives"
          : smooth == 0
              ? "  the function is continuous, without derivatives"
              : fmt::format("  the function has {} derivative{}", smooth, smooth == 1 ? "" : "s");
  text += covariance.is_stationary() ? "; stationary\n" : "\n";
  text += solver_words;
  if (!std::isnan(optima[0].evidence))
    text +=
        fmt::format(" | log evidence {}{:.4f}", is_bound ? "at least " : "", optima[0].evidence);
  text += "\n\n";
  text += hyper_text(table, optima, hyper);
  if (!averages.coefficients.empty()) text += mean_text(*this);
  if (is_ridge)
    text += fmt::format(
        "kernel ridge regression: penalty {:.4g}, squared norm of the function {:.6g}, sum of "
        "squared residuals {:.6g}\nthe function is the sum of {} weights times kernels at the rows "
        "(`weights` in the answer)\n",
        averages.noise_variance, norm, loss, averages.weights.size());
  for (const models::GpAtPoints& one : at)
    if (one.name == "predictions") text += points_text(*this, one);
  text += check_text(*this);
  if (flow) text += flow->text();
  std::vector<std::string> findings =
      !hyper.notes.empty() ? std::vector<std::string>{} : gp_findings(table, optima);
  findings.insert(findings.end(), remarks.begin(), remarks.end());
  text += "\n";
  if (findings.empty()) text += "No fault found.\n";
  for (const std::string& finding : findings) text += finding + "\n";
  return text;
}

results::ArrayList GpReport::answer() const {
  results::ArrayList answer("gp");
  answer.set("formula", table.formula);
  answer.set("solver", solver);
  answer.set("num_rows", table.num_rows());
  if (!std::isnan(optima[0].evidence)) answer.set("log_evidence", optima[0].evidence);
  answer.set("num_optima", ssize(optima));
  answer.set("smoothness", static_cast<Index>(table.problem.covariance.smoothness()));
  answer.set("stationary", table.problem.covariance.is_stationary());
  if (is_ridge) answer.set_all("squared_norm", norm, "squared_residuals", loss);
  const std::vector<HyperRow> rows = hyper_rows(table, optima[0], this->hyper);
  auto group = answer.add_group("hyperparameters", {{"hyperparameter", ssize(rows)}});
  auto add = group.columns(rows);
  add("term", &HyperRow::term);
  add("name", &HyperRow::name);
  add("value", &HyperRow::value);
  add("low", &HyperRow::low, "5 % by the curvature of the log evidence");
  add("high", &HyperRow::high, "95 %");
  add("fixed", &HyperRow::is_fixed);
  auto optimum =
      answer.add_group("optima", {{"optimum", ssize(optima)}, {"hyperparameter", ssize(rows)}},
                       {.shape = results::Shape::object});
  std::vector<double> evidences, values;
  for (const GpOptimum& one : optima) {
    evidences.push_back(one.evidence);
    values.insert(values.end(), one.theta.begin(), one.theta.end());
  }
  optimum.add({.name = "evidence", .dims = {"optimum"}, .help = "log evidence"}, evidences);
  optimum.add({.name = "hyperparameters", .dims = {"optimum", "hyperparameter"}}, values);
  std::vector<std::string> terms;
  for (const models::KernelNode* term : table.problem.covariance.terms())
    terms.push_back(term->text);
  results::add_list(answer, "terms", "term", terms);
  const std::vector<std::string> names = table.mean_names();
  if (!averages.coefficients.empty()) {
    auto mean = answer.add_group("mean", {{"coefficient", ssize(names)}});
    mean.add_labels("coefficient", names, "name");
    mean.add({.name = "value", .dims = {"coefficient"}}, averages.coefficients);
    mean.add({.name = "sd", .dims = {"coefficient"}}, averages.coefficient_sds);
  }
  for (const models::GpAtPoints& one : at) add_points(answer, *this, one);
  add_checks(answer, *this);
  if (search) search->add_to(answer);
  if (flow) flow->add_to(answer);
  if (is_ridge) results::add_list(answer, "weights", "row", averages.weights);
  std::vector<std::string> findings =
      !hyper.notes.empty() ? std::vector<std::string>{} : gp_findings(table, optima);
  findings.insert(findings.end(), remarks.begin(), remarks.end());
  results::add_list(answer, "findings", "finding", findings);
  return answer;
}

}  // namespace credo::cli
