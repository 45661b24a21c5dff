// N x M matrices whose columns are simplexes; column j has the unconstrained values j (N - 1) .. of the
// (N - 1) x M free matrix, column-major.
#include <fmt/format.h>

#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::column_stochastic_matrix_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds& none) {
  const Index rows = unit.rows, cols = unit.cols;
  if (rows == 1) return {graph::fill(unit, 1.0), 0.0};
  std::vector<Expr> columns, log_jacobians;
  for (Index j = 0; j < cols; ++j) {
    const Expr part = slice(free, j * (rows - 1), rows - 1);
    const Constrained column = simplex.constrain(part, graph::vector_shape(rows), none);
    columns.push_back(column.value);
    log_jacobians.push_back(column.log_jacobian);
  }
  return {graph::concat(unit, columns), sum_of(log_jacobians)};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  std::vector<double> free;
  const auto rows = static_cast<std::size_t>(unit.rows);
  for (std::size_t j = 0; j < static_cast<std::size_t>(unit.cols); ++j) {
    const auto column =
        simplex.unconstrain(value.subspan(j * rows, rows), graph::vector_shape(unit.rows), bounds);
    if (!column) return Unexpected{fmt::format("in column {}, {}", j + 1, column.error())};
    free.insert(free.end(), column->begin(), column->end());
  }
  return free;
}

void check(const Expr& value, const Shape& unit, const Bounds&, std::string_view variable,
           Checks& checks) {
  checks.greater_equal(value, 0.0, {variable, "an element", "at least 0"});
  const Expr ones = graph::fill(graph::row_vector_shape(unit.rows), 1.0);
  check_near(graph::matmul(ones, value.reshaped(unit)), 1.0,
             {variable, "sum of a column", "1 (within 1e-8)"}, checks);
}
}  // namespace

const Transform column_stochastic_matrix{
    .name = "column_stochastic_matrix",
    .elementwise = false,
    .free_size = [](const Shape& unit) { return Index{unit.rows - 1} * unit.cols; },
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = check,
    .legal_shape = [](const Shape& unit) { return unit.rows >= 1; },
    .reference = "egozcue2003",
    .renew = renew_columns};

}  // namespace credo::transform::column_stochastic_matrix_row
