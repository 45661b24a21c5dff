// N x M matrices whose rows and columns sum to zero: x = H_N Y H_M' with Y the (N - 1) x (M - 1)
// unconstrained values, column-major. Column k of H_n has k a at position k, -a before it and -a at the last
// position, a = 1 / sqrt(k (k + 1)); the columns are orthonormal, so the log Jacobian is 0 and the
// inverse is Y = H_N' x H_M.
#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::sum_to_zero_matrix_row {
namespace {

Expr basis(Index n) {
  std::vector<double> h(static_cast<std::size_t>(n * (n - 1)), 0.0);
  for (Index k = 1; k < n; ++k) {
    double* column = h.data() + (k - 1) * n;
    const double a = 1.0 / std::sqrt(static_cast<double>(k) * static_cast<double>(k + 1));
    std::fill_n(column, k - 1, -a);
    column[k - 1] = static_cast<double>(k) * a;
    column[n - 1] = -a;
  }
  return graph::constant(graph::matrix_shape(n, n - 1), h);
}

Constrained constrain(const Expr& free, const Shape& unit, const Bounds&) {
  const Index rows = unit.rows, cols = unit.cols;
  if (rows < 2 || cols < 2) return {graph::fill(unit, 0.0), 0.0};
  const Expr y = free.reshaped(graph::matrix_shape(rows - 1, cols - 1));
  const Expr left = graph::matmul(basis(rows), y);
  return {graph::matmul(left, basis(cols), false, true), 0.0};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(sum_to_zero_matrix, value, unit, bounds)) {
    return Unexpected{*broken};
  }
  if (unit.rows < 2 || unit.cols < 2) return std::vector<double>{};
  const Expr left = graph::matmul(basis(unit.rows), graph::constant(unit, value), true, false);
  const Expr y = graph::matmul(left, basis(unit.cols));
  const auto values = y.values();
  return std::vector<double>(values.begin(), values.end());
}

void check(const Expr& value, const Shape& unit, const Bounds&, std::string_view variable,
           Checks& checks) {
  const Expr x = value.reshaped(unit);
  const Expr row_ones = graph::fill(graph::row_vector_shape(unit.rows), 1.0);
  const Expr ones = graph::fill(graph::vector_shape(unit.cols), 1.0);
  check_near(graph::matmul(row_ones, x), 0.0, {variable, "sum of a column", "0 (within 1e-8)"},
             checks);
  check_near(graph::matmul(x, ones), 0.0, {variable, "sum of a row", "0 (within 1e-8)"}, checks);
}
}  // namespace

const Transform sum_to_zero_matrix{
    .name = "sum_to_zero_matrix",
    .elementwise = false,
    .free_size = [](const Shape& unit) { return Index{unit.rows - 1} * (unit.cols - 1); },
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = check,
    .legal_shape = [](const Shape& unit) { return unit.rows >= 1 && unit.cols >= 1; },
    .reference = "egozcue2003",
    .renew = renew_zero_sums};

}  // namespace credo::transform::sum_to_zero_matrix_row
