// Matrix functions: diagonals, cross products, Cholesky factors.
#include <fmt/format.h>

#include "lang/builtins/matrix.hpp"
#include "lang/builtins/rows.hpp"
#include "lang/trace/builtins.hpp"

namespace credo::lang {

void check_square(const BuiltinCall& c, std::size_t k) {
  if (rows_of(c[k]) == cols_of(c[k])) return;
  c.machine.fail(fmt::format("{}: the matrix has {} rows and {} columns, but must be square",
                             c.name, rows_of(c[k]), cols_of(c[k])));
}

void check_symmetric(const BuiltinCall& c, std::size_t k) {
  if (size_of(c[k]) <= 1) return;
  const Expr a = c.expr(k);
  const Expr scale = graph::fmax(graph::max_element(graph::abs(a)), 1.0);
  c.machine.checks().less_equal(
      graph::max_element(graph::abs(a - graph::transpose(a))), 1e-8 * scale,
      {c.name, "largest difference to the transpose", "symmetric to 1e-8"});
}

void check_pivots(const BuiltinCall& c, const Expr& factor) {
  c.machine.checks().greater(
      diagonal_of(factor, factor.shape().rows), 0.0,
      {c.name, "a pivot of the matrix", "positive (positive definite matrix)"});
}

std::vector<std::int32_t> diagonal_places(Index n) {
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i) index.push_back(narrow(i + i * n));
  return index;
}

Expr diagonal_of(const Expr& square, Index n) {
  return graph::gather(graph::vector_shape(n), square, diagonal_places(n));
}

namespace {

Value transpose(const BuiltinCall& c) {
  const BaseType base = base_of(c[0]);
  const Index n = size_of(c[0]);
  if (base == BaseType::vector)
    return from_expr(c.expr(0).reshaped(graph::row_vector_shape(n)), BaseType::row_vector, {n});
  if (base == BaseType::row_vector)
    return from_expr(c.expr(0).reshaped(graph::vector_shape(n)), BaseType::vector, {n});
  return matrix(graph::transpose(c.expr(0)), cols_of(c[0]), rows_of(c[0]));
}

Value diag_matrix(const BuiltinCall& c) {
  const Index n = size_of(c[0]);
  return matrix(graph::scatter_add(graph::matrix_shape(n, n), c.expr(0), diagonal_places(n)), n, n);
}
Value identity_matrix(const BuiltinCall& c) {
  const Index n = size_argument(c, 0);
  roomy(c, {n, n});
  std::vector<double> values(static_cast<std::size_t>(n * n), 0.0);
  for (const std::int32_t place : diagonal_places(n)) values[static_cast<std::size_t>(place)] = 1.0;
  return matrix(graph::constant(graph::matrix_shape(n, n), values), n, n);
}
Value diagonal(const BuiltinCall& c) {
  const Index n = std::min(rows_of(c[0]), cols_of(c[0])), rows = rows_of(c[0]);
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i) index.push_back(narrow(i + i * rows));
  return from_expr(graph::gather(graph::vector_shape(n), c.expr(0), std::move(index)),
                   BaseType::vector, {n});
}
Value add_diag(const BuiltinCall& c) {
  const Index rows = rows_of(c[0]), cols = cols_of(c[0]), n = std::min(rows, cols);
  if (!c[1].is_scalar() && size_of(c[1]) != n) {
    c.machine.fail(fmt::format("add_diag: {} values for a diagonal of {}", size_of(c[1]), n));
  }
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i) index.push_back(narrow(i + i * rows));
  const Expr diagonal_values =
      c[1].is_scalar() ? graph::broadcast(graph::vector_shape(n), c.expr(1)) : c.expr(1);
  return matrix(c.expr(0) + graph::scatter_add(graph::matrix_shape(rows, cols), diagonal_values,
                                               std::move(index)),
                rows, cols);
}

// Vector element i repeated along row i (or column j).
Expr spread(const Expr& v, Index rows, Index cols, bool along_rows) {
  std::vector<std::int32_t> index;
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) index.push_back(narrow(along_rows ? i : j));
  }
  return graph::gather(graph::matrix_shape(rows, cols), v, std::move(index));
}
Value diag_pre_multiply(const BuiltinCall& c) {
  const Index rows = rows_of(c[1]), cols = cols_of(c[1]);
  if (size_of(c[0]) != rows)
    c.machine.fail(fmt::format("diag_pre_multiply: {} values for {} rows", size_of(c[0]), rows));
  return matrix(spread(c.expr(0), rows, cols, true) * c.expr(1), rows, cols);
}
Value diag_post_multiply(const BuiltinCall& c) {
  const Index rows = rows_of(c[0]), cols = cols_of(c[0]);
  if (size_of(c[1]) != cols) {
    c.machine.fail(
        fmt::format("diag_post_multiply: {} values for {} columns", size_of(c[1]), cols));
  }
  return matrix(c.expr(0) * spread(c.expr(1), rows, cols, false), rows, cols);
}
Value quad_form_diag(const BuiltinCall& c) {
  check_square(c, 0);
  const Index n = rows_of(c[0]);
  if (size_of(c[1]) != n)
    c.machine.fail(fmt::format("quad_form_diag: {} values for {} rows", size_of(c[1]), n));
  const Expr v = c.expr(1);
  return matrix(spread(v, n, n, true) * c.expr(0) * spread(v, n, n, false), n, n);
}

Value crossprod(const BuiltinCall& c) {
  const Index n = cols_of(c[0]);
  return matrix(graph::matmul(c.expr(0), c.expr(0), true, false), n, n);
}
Value tcrossprod(const BuiltinCall& c) {
  const Index n = rows_of(c[0]);
  return matrix(graph::matmul(c.expr(0), c.expr(0), false, true), n, n);
}

Expr lower_triangle(const Expr& a, Index rows, Index cols) {
  std::vector<double> mask(static_cast<std::size_t>(rows * cols), 0.0);
  for (Index j = 0; j < cols; ++j) {
    for (Index i = j; i < rows; ++i) mask[static_cast<std::size_t>(i + j * rows)] = 1.0;
  }
  // select, not a product: what lies above may be NaN or infinite
  return graph::select(graph::constant(graph::matrix_shape(rows, cols), mask), a, 0.0);
}
Value multiply_lower_tri_self_transpose(const BuiltinCall& c) {
  const Index n = rows_of(c[0]);
  const Expr lower = lower_triangle(c.expr(0), n, cols_of(c[0]));
  return matrix(graph::matmul(lower, lower, false, true), n, n);
}

Value cholesky_decompose(const BuiltinCall& c) {
  check_square(c, 0);
  const Index n = rows_of(c[0]);
  if (n == 0) return c[0];
  check_symmetric(c, 0);
  const Expr factor = graph::cholesky(c.expr(0));
  check_pivots(c, factor);
  return matrix(factor, n, n);
}

constexpr Builtin kLinearAlgebraRows[] = {
    {"add_diag", add_diag},
    {"cholesky_decompose", cholesky_decompose},
    {"crossprod", crossprod},
    {"diag_matrix", diag_matrix},
    {"diag_post_multiply", diag_post_multiply},
    {"diag_pre_multiply", diag_pre_multiply},
    {"diagonal", diagonal},
    {"identity_matrix", identity_matrix},
    {"multiply_lower_tri_self_transpose", multiply_lower_tri_self_transpose},
    {"quad_form_diag", quad_form_diag},
    {"tcrossprod", tcrossprod},
    {"transpose", transpose},
};
}  // namespace

std::span<const Builtin> builtins_linear_algebra() { return kLinearAlgebraRows; }

}  // namespace credo::lang
