// Matrix functions and covariance functions of Gaussian processes.
#include <fmt/format.h>

#include "lang/builtins.hpp"

namespace credo::lang {
namespace {

Index rows_of(const Value& v) { return shape_of(base_of(v), dims_of(v)).rows; }
Index cols_of(const Value& v) { return shape_of(base_of(v), dims_of(v)).cols; }
std::int32_t narrow(Index n) { return static_cast<std::int32_t>(n); }

Value matrix(const Expr& x, Index rows, Index cols) {
  return from_expr(x, BaseType::matrix, {rows, cols});
}

void check_square(const BuiltinCall& c, std::size_t k) {
  if (rows_of(c[k]) == cols_of(c[k])) return;
  c.machine.fail(fmt::format("{}: the matrix has {} rows and {} columns, but must be square",
                             c.name, rows_of(c[k]), cols_of(c[k])));
}

// Element i of a vector goes to the diagonal.
std::vector<std::int32_t> diagonal_places(Index n) {
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i) index.push_back(narrow(i + i * n));
  return index;
}

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
  const Index n = c[0].integer();
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

// Not positive definite: the factor's diagonal is NaN from the first bad pivot on.
Value cholesky_decompose(const BuiltinCall& c) {
  check_square(c, 0);
  const Index n = rows_of(c[0]);
  const Expr a = c.expr(0);
  if (n == 0) return c[0];
  const Expr asymmetry = graph::abs(a - graph::transpose(a));
  const Expr scale = graph::fmax(graph::max_element(graph::abs(a)), 1.0);
  c.machine.checks().less_equal(
      graph::max_element(asymmetry), 1e-8 * scale,
      {"cholesky_decompose", "largest difference to the transpose", "symmetric to 1e-8"});
  const Expr factor = graph::cholesky(a);
  c.machine.checks().greater(
      graph::gather(graph::vector_shape(n), factor, diagonal_places(n)), 0.0,
      {"cholesky_decompose", "a pivot of the matrix", "positive (positive definite matrix)"});
  return matrix(factor, n, n);
}
Value log_determinant_spd(const BuiltinCall& c) {
  check_square(c, 0);
  const Index n = rows_of(c[0]);
  const Expr diagonal_of_factor =
      graph::gather(graph::vector_shape(n), graph::cholesky(c.expr(0)), diagonal_places(n));
  c.machine.checks().greater(
      diagonal_of_factor, 0.0,
      {"log_determinant_spd", "a pivot of the matrix", "positive (positive definite matrix)"});
  return Scalar(2.0 * graph::sum(graph::log(diagonal_of_factor)));
}
Value mdivide_left_tri_low(const BuiltinCall& c) {
  check_square(c, 0);
  if (rows_of(c[0]) != rows_of(c[1])) {
    c.machine.fail(
        fmt::format("mdivide_left_tri_low: {} rows against {}", rows_of(c[0]), rows_of(c[1])));
  }
  return like(graph::solve_lower(c.expr(0), c.expr(1)), c[1]);
}

// ---- covariance functions

// Coordinate k of every point of x, repeated along the columns (or of y, along the rows).
Expr coordinates(const Expr& points, Index dimension, Index k, const graph::Shape& shape,
                 bool along_rows) {
  std::vector<std::int32_t> index;
  for (Index j = 0; j < shape.cols; ++j) {
    for (Index i = 0; i < shape.rows; ++i)
      index.push_back(narrow((along_rows ? i : j) * dimension + k));
  }
  return graph::gather(shape, points, std::move(index));
}

// sum over k of ((x_k - y_k) / rho_k)^2; x and y are arrays of reals or of vectors, rho one length
// scale or one each.
Expr scaled_distances(const BuiltinCall& c, const Value& x, const Value& y,
                      const Expr& lengthscale) {
  const Index n = dims_of(x)[0], m = dims_of(y)[0];
  const Index dimension = n == 0 ? 1 : size_of(x) / n;
  if (!lengthscale.is_scalar() && lengthscale.size() != dimension) {
    c.machine.fail(fmt::format("{}: {} length scales for {} dimensions", c.name, lengthscale.size(),
                               dimension));
  }
  const graph::Shape shape = graph::matrix_shape(n, m);
  const Expr inverse_square = 1.0 / graph::square(lengthscale);
  Expr total = graph::fill(shape, 0.0);
  for (Index k = 0; k < dimension; ++k) {
    const Expr difference = coordinates(c.machine.expr(x), dimension, k, shape, true) -
                            coordinates(c.machine.expr(y), dimension, k, shape, false);
    const Expr weight = lengthscale.is_scalar() ? inverse_square : inverse_square.element(k);
    total = total + graph::square(difference) * weight;
  }
  return total;
}

// alpha^2 exp(-d^2 / 2) with d the distance in units of the length scales [rasmussen2006, eq. 4.9].
Value gp_exp_quad_cov(const BuiltinCall& c) {
  const bool two = c.size() == 4;
  const Value& x = c[0];
  const Value& y = two ? c[1] : c[0];
  const std::size_t first = two ? 2 : 1;
  const Expr amplitude = c.expr(first), lengthscale = c.expr(first + 1);
  graph::Checks& checks = c.machine.checks();
  checks.greater(amplitude, 0.0, {c.name, "magnitude", "positive"});
  checks.greater(lengthscale, 0.0, {c.name, "length scale", "positive"});
  const Expr distances = scaled_distances(c, x, y, lengthscale);
  return matrix(graph::square(amplitude) * graph::exp(-0.5 * distances), dims_of(x)[0],
                dims_of(y)[0]);
}

constexpr Builtin kRows[] = {
    {"add_diag", add_diag},
    {"cholesky_decompose", cholesky_decompose},
    {"crossprod", crossprod},
    {"diag_matrix", diag_matrix},
    {"diag_post_multiply", diag_post_multiply},
    {"diag_pre_multiply", diag_pre_multiply},
    {"diagonal", diagonal},
    {"gp_exp_quad_cov", gp_exp_quad_cov},
    {"identity_matrix", identity_matrix},
    {"log_determinant_spd", log_determinant_spd},
    {"mdivide_left_tri_low", mdivide_left_tri_low},
    {"multiply_lower_tri_self_transpose", multiply_lower_tri_self_transpose},
    {"quad_form_diag", quad_form_diag},
    {"tcrossprod", tcrossprod},
    {"transpose", transpose},
};
}  // namespace

std::span<const Builtin> builtins_linear_algebra() { return kRows; }

}  // namespace credo::lang
