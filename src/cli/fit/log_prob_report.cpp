#include "cli/fit/log_prob_report.hpp"

#include <fmt/format.h>

#include <set>

#include "density/matrix_field.hpp"
#include "infer/optimise/mode.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
using density::Want;

// ---- gathering

// Each statement that adds to the target, in the order of the text.
std::vector<PointReport::Statement> statements_at(const model::Model& model,
                                                  const std::vector<double>& point) {
  std::set<std::int32_t> numbers;
  for (const model::TermSummary& term : model.trace(point)->terms) numbers.insert(term.statement);
  std::vector<PointReport::Statement> statements;
  for (const std::int32_t k : numbers) {
    const auto asked = model.with({.terms = density::Terms::statement, .statement = k});
    statements.push_back({model.source().where(k), asked->evaluate_in_full(point).log_density});
  }
  return statements;
}

void add_rows(const model::Model& model, const std::vector<double>& point, PointReport& report) {
  const std::vector<model::StatementRowCount> statements = model.rows(point);
  std::vector<double> values(static_cast<std::size_t>(model.num_rows()));
  density::Request request{.position = point, .gradient = {}, .status = {}, .pointwise = values};
  model.make_evaluator()->evaluate(Want::pointwise, std::array{&request});
  if (!request.status.ok()) {
    report.rows_error = model.describe(request.status);
    return;
  }
  report.rows.emplace();
  auto next = values.begin();
  for (const auto& [statement, count] : statements) {
    report.rows->push_back({model.source().where(statement), {next, next + count}});
    next += count;
  }
}

// Rows 1, K + 1, 2 K + 1, ... in each statement, then those from 2 on: nearly equally many in each batch.
std::vector<PointReport::Batch> batches_at(const model::Model& model,
                                           const std::vector<double>& point, Index num_batches) {
  const std::vector<model::StatementRowCount> statements = model.rows(point);
  const Index num_rows = statements.empty() ? 0 : statements[0].count;
  std::vector<PointReport::Batch> batches;
  for (Index first = 0; first < std::min(num_batches, num_rows); ++first) {
    std::vector<double> rows;
    for (Index k = first; k < num_rows; k += num_batches) rows.push_back(static_cast<double>(k));
    const auto asked = model.with({.terms = density::Terms::likelihood, .batch = ssize(rows)});
    PointReport::Batch& batch = batches.emplace_back();
    batch = {ssize(rows), 0.0, std::vector<double>(point.size())};
    density::Request request{.position = point, .gradient = batch.gradient, .status = {}};
    request.rows = rows;
    asked->make_evaluator()->evaluate(Want::gradient, std::array{&request});
    batch.log_density = request.log_density;
  }
  return batches;
}

// Derivatives are by continuous coordinates; the program of a sweep has no second ones.
void require_hessian(const model::Model& model, const char* option) {
  if (model.has_hessian()) return;
  throw Error(ErrorCode::usage,
              "second derivatives aren't known where discrete parameters are drawn", option,
              "sum them out: --discrete sum");
}

PointMatrix matrix_at(const model::Model& model, const std::vector<double>& point, Want want) {
  const bool expected = want == Want::information;
  PointMatrix matrix =
      expected ? PointMatrix{"information",
                             "expected information of the likelihood, less the second derivatives "
                             "of the log prior",
                             {}}
               : PointMatrix{"hessian", "second derivatives of the log density", {}};
  matrix.values.resize(point.size() * point.size());
  density::Request request{
      .position = point, .gradient = {}, .status = {}, .matrix = matrix.values};
  try {
    model.make_evaluator()->evaluate(want, std::array{&request});
  } catch (const Error& error) {
    if (!expected || error.code() != ErrorCode::program) throw;
    throw Error(error.code(), error.message(), error.where(), "--hessian needs no expected values");
  }
  if (!request.status.ok()) matrix.error = model.describe(request.status);
  return matrix;
}

PointMatrix information_at(const model::Model& model, const std::vector<double>& point,
                           const PointQuestions& questions) {
  require_hessian(model, questions.information ? "--information" : "--inverse-information");
  PointMatrix matrix = matrix_at(model, point, Want::information);
  if (questions.of_likelihood) matrix.title = "expected information of the likelihood";
  return matrix;
}

PointMatrix hessian_at(const model::Model& model, const std::vector<double>& point) {
  require_hessian(model, "--hessian");
  return matrix_at(model, point, Want::hessian);
}

// The lower triangle of a symmetric matrix becomes its Cholesky factor; false unless it is positive definite to rounding.
bool factorise(std::vector<double>& a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const double whole = a[j * n + j];
    for (std::size_t k = 0; k < j; ++k) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    if (!(a[j * n + j] > 1e-13 * whole)) return false;
    const double pivot = a[j * n + j] = std::sqrt(a[j * n + j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= pivot;
    }
  }
  return true;
}

// ½ log |I|, the logarithm of Jeffreys' prior up to a constant [jeffreys1946]; NaN where the information is singular.
double log_jeffreys(std::vector<double> information, std::size_t n) {
  if (!factorise(information, n)) return kNaN;
  double sum = 0.0;
  for (std::size_t j = 0; j < n; ++j) sum += std::log(information[j * n + j]);
  return sum;
}

// With the Cholesky factor L the inverse is M' M, M = L^-1.
std::optional<std::vector<double>> inverse_of(std::vector<double> a, std::size_t n) {
  if (!factorise(a, n)) return std::nullopt;
  std::vector<double> m(n * n, 0.0), inverse(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      double sum = i == j ? 1.0 : 0.0;
      for (std::size_t k = j; k < i; ++k) sum -= a[i * n + k] * m[k * n + j];
      m[i * n + j] = sum / a[i * n + i];
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = std::max(i, j); k < n; ++k)
        inverse[i * n + j] += m[k * n + i] * m[k * n + j];
  return inverse;
}

PointMatrix inverse_information_of(const PointMatrix& information, std::size_t dimension,
                                   bool of_likelihood) {
  PointMatrix matrix{"inverse_information",
                     of_likelihood
                         ? "Cramer and Rao: no unbiased estimates have a smaller covariance"
                         : "inverse of the information",
                     {},
                     information.error};
  if (!matrix.error.empty()) return matrix;
  if (const auto inverse = inverse_of(information.values, dimension))
    matrix.values = *inverse;
  else
    matrix.error = "the information is singular: of some direction the data say nothing";
  return matrix;
}

// The declared parameters y by the unconstrained values x: element (i, j) = dy_i/dx_j is at i * n + j. By central differences,
// whose relative error is about 1e-10.
std::vector<double> parameter_slopes(const model::Model& model, const std::vector<double>& point) {
  const std::size_t n = point.size();
  const auto parameters_at = [&](std::size_t j, double x) {
    std::vector<double> moved = point;
    moved[j] = x;
    Rng rng({.seed = 1, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0});
    return model.draw_outputs().write(
        moved, rng, nullptr, {.last = density::Block::parameters, .density_prints = false});
  };
  std::vector<double> slopes(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    const double h = 6e-6 * std::max(1.0, std::fabs(point[j]));
    const std::vector<double> up = parameters_at(j, point[j] + h),
                              down = parameters_at(j, point[j] - h);
    if (up.size() != n)
      throw Error(
          ErrorCode::usage,
          fmt::format("the parameters have {} elements and {} unconstrained values, so that "
                      "the information by all elements isn't defined",
                      up.size(), n),
          "--by-parameters",
          "leave it out, or declare parameters whose elements are all free: a simplex, for "
          "one, isn't");
    for (std::size_t i = 0; i < n; ++i) slopes[i * n + j] = (up[i] - down[i]) / (2.0 * h);
  }
  return slopes;
}

std::vector<std::string> parameter_names(const model::Model& model, std::size_t count) {
  std::vector<std::string> names = model.outputs().element_names();
  names.resize(count);  // parameters are the first outputs
  return names;
}

// The inverse of an information has the slopes dy/dx where an information has dx/dy.
void add_information_by_parameters(const model::Model& model, const std::vector<double>& point,
                                   const PointMatrix& information, const PointQuestions& questions,
                                   PointReport& report) {
  const std::size_t n = point.size();
  PointMatrix bound = inverse_information_of(information, n, questions.of_likelihood);
  bound.names = parameter_names(model, n);
  PointMatrix own = information;
  own.names = bound.names, own.error = bound.error;
  if (bound.error.empty()) {
    const std::vector<double> inverse = bound.values, slopes = parameter_slopes(model, point);
    density::transform_information(inverse, slopes, bound.values);
    if (const auto turned = inverse_of(bound.values, n))
      own.values = *turned;
    else
      own.error = "the parameters hardly depend on the unconstrained values here";
  }
  if (questions.information) report.matrices.push_back(own);
  if (questions.inverse_information) report.matrices.push_back(bound);
}

PointMatrix inverse_hessian_at(const model::Model& model, const std::vector<double>& point) {
  require_hessian(model, "--inverse-hessian");
  PointMatrix matrix{"inv_metric", "inverse of minus the second derivatives", {}};
  try {
    matrix.values = infer::inverse_hessian(model, point);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    matrix.error = error.message();
  }
  return matrix;
}

// ---- JSON

// A matrix of each point: the reason why it isn't defined, or its rows and their names. `of`: the group of the points.
void add_matrices(results::ArrayList& answer, const std::string& of,
                  std::span<const PointReport* const> points, std::size_t number) {
  using Found = std::vector<const PointMatrix*>;
  const auto matrices_if = [&](bool is_defined) {
    return results::elements_within(points, [=](const PointReport* point) {
      const PointMatrix& matrix = point->matrices[number];
      return matrix.error.empty() == is_defined ? Found{&matrix} : Found{};
    });
  };
  const std::string& name = points.front()->matrices[number].name;
  const results::InJson within{.key = results::kWithin, .shape = results::Shape::row, .of = of};
  const auto undefined = matrices_if(false), defined = matrices_if(true);
  answer.add_rows(name + "_errors", undefined, within)
      .add_column({.name = name + "_error"}, undefined, &PointMatrix::error);
  if (defined.empty()) return;
  std::vector<double> values;
  for (const auto& one : defined)
    values.insert(values.end(), one.element->values.begin(), one.element->values.end());
  const auto size = std::lround(std::sqrt(double(defined.front().element->values.size())));
  answer.add_rows(name + "_rows", defined, within, {{"row", size}, {"column", size}})
      .add({.name = name, .dims = {name + "_rows", "row", "column"}}, std::move(values));
  if (!defined.front().element->names.empty())
    answer.add_lists(name + "_rows", name + "_names",
                     results::elements_within(defined, &PointMatrix::names));
}

// Rows of the likelihood by statement, or the reason why a point has none. `of`: the group of the points.
void add_pointwise(results::ArrayList& answer, const std::string& of,
                   std::span<const PointReport* const> points) {
  const results::InJson within{.key = results::kWithin, .shape = results::Shape::row, .of = of};
  const auto without_rows = results::elements_within(points, [](const PointReport* p) {
    return p->rows_error.empty() ? std::vector<std::string>{} : std::vector{p->rows_error};
  });
  answer.add_rows("without_rows", without_rows, within)
      .add_column({.name = "pointwise_error"}, without_rows, std::identity());
  const auto with_rows = results::elements_within(points, [](const PointReport* p) {
    return p->rows ? std::vector{&*p->rows} : std::vector<const std::vector<PointReport::Rows>*>{};
  });
  answer.add_rows("with_rows", with_rows, within);
  const auto rows = results::elements_within(with_rows, [](const auto* all) { return *all; });
  answer.add_rows("pointwise", rows, {.of = "with_rows", .has_lines = false})
      .add_column({.name = "where"}, rows, &PointReport::Rows::where);
  answer.add_lists("pointwise", "log_likelihood",
                   results::elements_within(rows, &PointReport::Rows::log_likelihood));
}

// The members of the points that aren't refused; `names`: names of the unconstrained values.
void add_points(results::ArrayList& answer, std::span<const PointReport* const> points,
                std::span<const std::string> names) {
  const std::string of = "values";
  const PointReport& first = *points.front();
  if (first.statements) {
    const auto statements =
        results::elements_within(points, [](const PointReport* p) { return *p->statements; });
    answer.add_rows("statements", statements, {.of = of, .has_lines = false})
        .add_column({.name = "where"}, statements, &PointReport::Statement::where)
        .add_column({.name = "log_density"}, statements, &PointReport::Statement::log_density);
  }
  add_pointwise(answer, of, points);
  if (!first.batches.empty()) {
    const auto batches = results::elements_within(points, &PointReport::batches);
    answer.add_rows("batches", batches, {.of = of, .has_lines = false})
        .add_column({.name = "num_rows"}, batches, &PointReport::Batch::num_rows)
        .add_column({.name = "log_density"}, batches, &PointReport::Batch::log_density);
    answer.add_lists("batches", "gradient",
                     results::elements_within(batches, &PointReport::Batch::gradient));
  }
  if (first.matrices.empty()) return;
  const std::vector<std::string> all(names.begin(), names.end());
  answer.add_lists(of, "free_names",
                   results::elements_within(points, [&](const PointReport*) { return all; }));
  for (std::size_t k = 0; k < first.matrices.size(); ++k) add_matrices(answer, of, points, k);
}

// ---- text

constexpr int kLineWidth = 80, kNumberWidth = 12;

int widest(std::span<const std::string> names) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  return static_cast<int>(width);
}

// Prints as many columns at a time as fit into a line.
std::string matrix_text(const PointMatrix& matrix, std::span<const std::string> names) {
  std::string text = fmt::format("{} ({})\n", matrix.name, matrix.title);
  if (!matrix.error.empty()) return text + "  " + matrix.error + "\n";
  const int rows = widest(names), column = std::max(kNumberWidth, rows);
  const auto size = names.size();
  const auto at_once =
      static_cast<std::size_t>(std::max(1, (kLineWidth - rows - 2) / (column + 1)));
  for (std::size_t first = 0; first < size; first += at_once) {
    const std::size_t last = std::min(size, first + at_once);
    text += fmt::format("  {:{}}", "", rows);
    for (std::size_t j = first; j < last; ++j) text += fmt::format(" {:>{}}", names[j], column);
    text += "\n";
    for (std::size_t i = 0; i < size; ++i) {
      text += fmt::format("  {:{}}", names[i], rows);
      for (std::size_t j = first; j < last; ++j)
        text += fmt::format(" {:>{}.6g}", matrix.values[i * size + j], column);
      text += "\n";
    }
  }
  return text;
}

std::string point_text(const PointReport& point, std::span<const std::string> names) {
  if (!point.error.empty()) return "  " + point.error + "\n";
  std::string text = fmt::format("log density {:.10g}, without Jacobian terms {:.10g}\ngradient\n",
                                 point.log_density, point.log_density_no_jacobian);
  for (std::size_t d = 0; d < names.size(); ++d)
    text += fmt::format("  {:{}} {:>{}.6g}\n", names[d], widest(names), point.gradient[d],
                        kNumberWidth);
  if (point.statements) text += "statements\n";
  for (const auto& [where, value] :
       point.statements.value_or(std::vector<PointReport::Statement>{}))
    text += fmt::format("  {} {:.6g}\n", where, value);
  if (!point.rows_error.empty()) text += "rows\n  " + point.rows_error + "\n";
  for (const auto& [where, values] : point.rows.value_or(std::vector<PointReport::Rows>{}))
    text += fmt::format("rows of {}\n  {:.6g}\n", where, fmt::join(values, "\n  "));
  for (const PointMatrix& matrix : point.matrices)
    text += matrix_text(matrix, matrix.names.empty() ? names : matrix.names);
  if (!std::isnan(point.log_jeffreys))
    text += fmt::format("log density of Jeffreys' prior, up to a constant: {:.10g}\n",
                        point.log_jeffreys);
  return text;
}
}  // namespace

PointReport report_at(const model::Model& model, const model::Model& whole,
                      const std::vector<double>& point, const PointQuestions& questions) {
  const auto result = model.evaluate_in_full(point);
  PointReport report;
  if (!result.status.ok()) {
    report.error = model.describe(result.status);
    return report;
  }
  report.log_density = result.log_density;
  report.log_density_no_jacobian = result.log_density_no_jacobian;
  report.gradient = result.gradient;
  if (questions.statements) report.statements = statements_at(whole, point);
  if (questions.pointwise) add_rows(whole, point, report);
  if (questions.num_batches > 0) report.batches = batches_at(whole, point, questions.num_batches);
  if (questions.hessian) report.matrices.push_back(hessian_at(model, point));
  if (questions.information || questions.inverse_information) {
    const PointMatrix information = information_at(model, point, questions);
    if (questions.by_parameters)
      add_information_by_parameters(model, point, information, questions, report);
    if (questions.information && !questions.by_parameters) report.matrices.push_back(information);
    if (questions.inverse_information && !questions.by_parameters)
      report.matrices.push_back(
          inverse_information_of(information, point.size(), questions.of_likelihood));
  }
  if (questions.information && questions.of_likelihood)
    for (const PointMatrix& matrix : report.matrices)
      if (matrix.name == "information" && matrix.error.empty())
        report.log_jeffreys = log_jeffreys(matrix.values, point.size());
  if (questions.inverse_hessian) report.matrices.push_back(inverse_hessian_at(model, point));
  return report;
}

std::string points_json(std::span<const PointReport> points, std::span<const std::string> names) {
  results::ArrayList answer;
  answer.add_rows("points", points)
      .add_column({.name = "error", .missing = results::Missing::left_out}, points,
                  &PointReport::error);
  const auto found = results::elements_within(points, [](const PointReport& point) {
    return point.error.empty() ? std::vector{&point} : std::vector<const PointReport*>{};
  });
  if (found.empty()) return rows_json(answer);
  answer
      .add_rows("values", found,
                {.key = results::kWithin, .shape = results::Shape::row, .of = "points"})
      .add_column({.name = "log_density"}, found, &PointReport::log_density)
      .add_column({.name = "log_density_no_jacobian"}, found,
                  &PointReport::log_density_no_jacobian)
      .add_column({.name = "log_jeffreys", .missing = results::Missing::left_out}, found,
                  &PointReport::log_jeffreys);
  answer.add_lists("values", "gradient", results::elements_within(found, &PointReport::gradient));
  std::vector<const PointReport*> reports;
  for (const auto& one : found) reports.push_back(one.element);
  add_points(answer, reports, names);
  return rows_json(answer);
}

std::string points_text(std::span<const PointReport> points, std::span<const std::string> names) {
  std::string text;
  for (std::size_t k = 0; k < points.size(); ++k)
    text += (points.size() > 1 ? fmt::format("{}point {}\n", k > 0 ? "\n" : "", k + 1) : "") +
            point_text(points[k], names);
  return text;
}

}  // namespace credo::cli
