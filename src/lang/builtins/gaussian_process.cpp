// gp_NAME_cov: the rows of dist/covariance.hpp.
#include <fmt/format.h>

#include "dist/covariance.hpp"
#include "lang/builtins/matrix.hpp"
#include "lang/trace/builtins.hpp"

namespace credo::lang {
namespace {

// Coordinate k of every x along the columns, or of every y along the rows.
Expr coordinates(const BuiltinCall& c, const dist::PairsOfPoints& points, const Value& from,
                 Index k, bool of_x) {
  std::vector<std::int32_t> index;
  for (Index j = 0; j < points.shape.cols; ++j) {
    for (Index i = 0; i < points.shape.rows; ++i)
      index.push_back(narrow((of_x ? i : j) * points.dimension + k));
  }
  return graph::gather(points.shape, c.machine.expr(from), std::move(index));
}

// Arrays of reals or of vectors; y is x where only one is given.
dist::PairsOfPoints points_of(const BuiltinCall& c, const Value& x, const Value& y) {
  const Index rows = dims_of(x)[0], cols = dims_of(y)[0];
  dist::PairsOfPoints points{.shape = graph::matrix_shape(rows, cols),
                             .dimension = rows == 0 ? 1 : size_of(x) / rows};
  const Index others = cols == 0 ? points.dimension : size_of(y) / cols;
  if (rows != 0 && others != points.dimension) {
    c.machine.fail(
        fmt::format("{}: points of {} and of {} dimensions", c.name, points.dimension, others));
  }
  return points;
}

std::vector<Expr> checked_parameters(const BuiltinCall& c, const dist::Covariance& row,
                                     std::size_t first) {
  std::vector<Expr> all;
  for (const dist::HyperParameter& parameter : row.parameters) {
    all.push_back(c.expr(first + all.size()));
    if (parameter.may_be_zero)
      c.machine.checks().greater_equal(all.back(), 0.0, {c.name, parameter.name, "nonnegative"});
    else
      c.machine.checks().greater(all.back(), 0.0, {c.name, parameter.name, "positive"});
  }
  return all;
}

Value gp_covariance(const BuiltinCall& c) {
  const dist::Covariance& row = *std::ranges::find_if(dist::covariances(), [&](const auto& one) {
    return c.name.substr(3, c.name.size() - 7) == one.name;  // gp_NAME_cov
  });
  const std::size_t first = c.size() - row.parameters.size();
  const Value &x = c[0], &y = c[first - 1];
  dist::PairsOfPoints points = points_of(c, x, y);
  const std::vector<Expr> parameters = checked_parameters(c, row, first);
  const Index rows = points.shape.rows, cols = points.shape.cols;
  if (rows * cols == 0) return matrix(graph::fill(points.shape, 0.0), rows, cols);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Index size = parameters[k].size();
    if (row.parameters[k].by_coordinate && !parameters[k].is_scalar() && size != points.dimension) {
      c.machine.fail(fmt::format("{}: {} {}s for {} dimensions", c.name, size,
                                 row.parameters[k].name, points.dimension));
    }
  }
  points.x = [&](Index k) { return coordinates(c, points, x, k, true); };
  points.y = [&](Index k) { return coordinates(c, points, y, k, false); };
  return matrix(row.matrix(points, parameters), rows, cols);
}

// For rows that the language lacks: points as reals or vectors, once or twice; length scales of coordinates only for vectors.
std::string signatures_of(const dist::Covariance& row) {
  std::string one, many;
  bool has_lengths = false;
  for (const dist::HyperParameter& parameter : row.parameters) {
    has_lengths = has_lengths || parameter.by_coordinate;
    one += ", real";
    many += parameter.by_coordinate ? ", real[]" : ", real";
  }
  std::string text = fmt::format(
      "{{real[]|vector[]}}{0} => matrix\nreal[], real[]{0} => matrix\nvector[], vector[]{0} => "
      "matrix",
      one);
  if (has_lengths)
    text += fmt::format("\nvector[]{0} => matrix\nvector[], vector[]{0} => matrix", many);
  return text;
}

struct GaussianProcessRows {
  std::vector<std::pair<std::string, std::string>> texts;  // behind the views of the rows
  std::vector<Builtin> rows;
  GaussianProcessRows() {
    for (const dist::Covariance& row : dist::covariances())
      texts.emplace_back(fmt::format("gp_{}_cov", row.name), signatures_of(row));
    for (const auto& [name, signatures] : texts)
      rows.push_back({.name = name, .run = gp_covariance, .signatures = signatures});
  }
};
}  // namespace

std::span<const Builtin> builtins_gaussian_process() {
  static const GaussianProcessRows all;
  return all.rows;
}

}  // namespace credo::lang
