// N x M matrices whose rows are simplexes; the unconstrained values of row i are row i of the N x (M - 1)
// free matrix, column-major.
#include <fmt/format.h>

#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::row_stochastic_matrix_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds& none) {
  const Index rows = unit.rows, cols = unit.cols;
  if (cols == 1) return {graph::fill(unit, 1.0), 0.0};
  std::vector<Expr> stacked, log_jacobians;
  for (Index i = 0; i < rows; ++i) {
    const Expr part = slice(free, i, cols - 1, rows);
    const Constrained row = simplex.constrain(part, graph::vector_shape(cols), none);
    stacked.push_back(row.value);
    log_jacobians.push_back(row.log_jacobian);
  }
  const Expr transposed = graph::concat(graph::matrix_shape(cols, rows), stacked);
  return {graph::transpose(transposed), sum_of(log_jacobians)};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  const auto rows = static_cast<std::size_t>(unit.rows), cols = static_cast<std::size_t>(unit.cols);
  std::vector<double> free(rows * (cols - 1)), row(cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) row[j] = value[i + j * rows];
    const auto part = simplex.unconstrain(row, graph::vector_shape(unit.cols), bounds);
    if (!part) return Unexpected{fmt::format("in row {}, {}", i + 1, part.error())};
    for (std::size_t j = 0; j + 1 < cols; ++j) free[i + j * rows] = part.value()[j];
  }
  return free;
}

void check(const Expr& value, const Shape& unit, const Bounds&, std::string_view variable,
           Checks& checks) {
  checks.greater_equal(value, 0.0, {variable, "an element", "at least 0"});
  const Expr ones = graph::fill(graph::vector_shape(unit.cols), 1.0);
  check_near(graph::matmul(value.reshaped(unit), ones), 1.0,
             {variable, "sum of a row", "1 (within 1e-8)"}, checks);
}
}  // namespace

const Transform row_stochastic_matrix{
    .name = "row_stochastic_matrix",
    .elementwise = false,
    .free_size = [](const Shape& unit) { return Index{unit.rows} * (unit.cols - 1); },
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = check,
    .legal_shape = [](const Shape& unit) { return unit.cols >= 1; },
    .reference = "egozcue2003",
    .renew = renew_rows};

}  // namespace credo::transform::row_stochastic_matrix_row
