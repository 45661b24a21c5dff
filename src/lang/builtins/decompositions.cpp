// Solves, determinants, quadratic forms, eigenvalues, singular values, QR and the matrix
// exponential.
#include <fmt/format.h>

#include "graph/ops/linear_algebra.hpp"
#include "lang/builtins/matrix.hpp"
#include "lang/trace/builtins.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::lang {
namespace {

void check_inner(const BuiltinCall& c, Index left, Index right) {
  if (left == right) return;
  c.machine.fail(
      fmt::format("{}: inner sizes are {} and {}, but must be equal", c.name, left, right));
}

// The factor of argument k, which must be symmetric and positive definite.
Expr checked_factor(const BuiltinCall& c, std::size_t k) {
  check_square(c, k);
  check_symmetric(c, k);
  const Expr factor = graph::cholesky(c.expr(k));
  check_pivots(c, factor);
  return factor;
}
Expr solve_by_factor(const Expr& l, const Expr& b) {
  return graph::solve_lower(l, graph::solve_lower(l, b), true);
}

// ---- solves: A \ b and b / A = (A' \ b')'

template <class F>
Value left(const BuiltinCall& c, F solver) {
  check_square(c, 0);
  check_inner(c, cols_of(c[0]), rows_of(c[1]));
  if (size_of(c[1]) == 0) return c[1];
  return like(solver(c.expr(1)), c[1]);
}
template <class F>
Value right(const BuiltinCall& c, F solver_of_transpose) {
  check_square(c, 1);
  check_inner(c, cols_of(c[0]), rows_of(c[1]));
  if (size_of(c[0]) == 0) return c[0];
  const Expr b = graph::transpose(c.expr(0));
  return like(graph::transpose(solver_of_transpose(b)), c[0]);
}

Value mdivide_left(const BuiltinCall& c) {
  return left(c, [&](const Expr& b) { return graph::solve(c.expr(0), b); });
}
Value mdivide_right(const BuiltinCall& c) {
  return right(c, [&](const Expr& b) { return graph::solve(c.expr(1), b, true); });
}
Value mdivide_left_spd(const BuiltinCall& c) {
  return left(c, [&](const Expr& b) { return solve_by_factor(checked_factor(c, 0), b); });
}
Value mdivide_right_spd(const BuiltinCall& c) {
  return right(c, [&](const Expr& b) { return solve_by_factor(checked_factor(c, 1), b); });
}
Value mdivide_left_tri_low(const BuiltinCall& c) {
  return left(c, [&](const Expr& b) { return graph::solve_lower(c.expr(0), b); });
}
Value mdivide_right_tri_low(const BuiltinCall& c) {
  return right(c, [&](const Expr& b) { return graph::solve_lower(c.expr(1), b, true); });
}

Value inverse(const BuiltinCall& c) {
  check_square(c, 0);
  const Index n = rows_of(c[0]);
  return n == 0 ? c[0] : matrix(graph::solve(c.expr(0), graph::identity(n)), n, n);
}
// (L L')^-1
Value inverse_from_factor(const Expr& l, Index n) {
  const Expr half = graph::solve_lower(l, graph::identity(n));
  return matrix(graph::matmul(half, half, true, false), n, n);
}
Value inverse_spd(const BuiltinCall& c) {
  return size_of(c[0]) == 0 ? c[0] : inverse_from_factor(checked_factor(c, 0), rows_of(c[0]));
}
Value chol2inv(const BuiltinCall& c) {
  check_square(c, 0);
  return size_of(c[0]) == 0 ? c[0] : inverse_from_factor(c.expr(0), rows_of(c[0]));
}

Value determinant(const BuiltinCall& c) {
  check_square(c, 0);
  return Scalar(graph::determinant(c.expr(0)));
}
Value log_determinant(const BuiltinCall& c) {
  check_square(c, 0);
  return Scalar(graph::log_abs_determinant(c.expr(0)));
}
Value log_determinant_spd(const BuiltinCall& c) {
  if (size_of(c[0]) == 0) return Scalar(0.0);
  const Expr pivots = diagonal_of(checked_factor(c, 0), rows_of(c[0]));
  return Scalar(2.0 * graph::sum(graph::log(pivots)));
}

// ---- quadratic forms and traces

Expr quadratic(const BuiltinCall& c, std::size_t a, std::size_t b) {
  check_square(c, a);
  check_inner(c, cols_of(c[a]), rows_of(c[b]));
  return graph::matmul(c.expr(b), graph::matmul(c.expr(a), c.expr(b)), true, false);
}
Value quad_form(const BuiltinCall& c) {
  const Expr form = quadratic(c, 0, 1);
  const Index n = cols_of(c[1]);
  if (base_of(c[1]) == BaseType::vector) return Scalar(form);
  return matrix(form, n, n);
}
Value quad_form_sym(const BuiltinCall& c) {
  check_square(c, 0);
  check_symmetric(c, 0);
  const Expr form = quadratic(c, 0, 1);
  const Index n = cols_of(c[1]);
  if (base_of(c[1]) == BaseType::vector) return Scalar(form);
  return matrix(0.5 * (form + graph::transpose(form)), n, n);
}
Value trace(const BuiltinCall& c) {
  check_square(c, 0);
  return Scalar(graph::sum(diagonal_of(c.expr(0), rows_of(c[0]))));
}
// trace(A B)
Value trace_dot(const BuiltinCall& c) {
  check_inner(c, cols_of(c[0]), rows_of(c[1]));
  check_inner(c, rows_of(c[0]), cols_of(c[1]));
  return Scalar(graph::dot(graph::transpose(c.expr(0)), c.expr(1)));
}
Value trace_quad_form(const BuiltinCall& c) {
  check_square(c, 0);
  check_inner(c, cols_of(c[0]), rows_of(c[1]));
  return Scalar(graph::dot(c.expr(1), graph::matmul(c.expr(0), c.expr(1))));
}
// trace(D B' A B)
Value trace_gen_quad_form(const BuiltinCall& c) {
  check_square(c, 0);
  check_inner(c, cols_of(c[0]), cols_of(c[2]));
  return Scalar(graph::dot(graph::transpose(c.expr(0)), quadratic(c, 1, 2)));
}

// ---- sums of products along rows or columns

Expr products(const BuiltinCall& c) {
  const std::size_t other = c.size() == 2 ? 1 : 0;
  check_inner(c, rows_of(c[0]), rows_of(c[other]));
  check_inner(c, cols_of(c[0]), cols_of(c[other]));
  return (c.expr(0) * c.expr(other)).reshaped(graph::matrix_shape(rows_of(c[0]), cols_of(c[0])));
}
Value columns_dot(const BuiltinCall& c) {
  const Expr ones = graph::fill(graph::row_vector_shape(rows_of(c[0])), 1.0);
  return from_expr(graph::matmul(ones, products(c)), BaseType::row_vector, {cols_of(c[0])});
}
Value rows_dot(const BuiltinCall& c) {
  const Expr ones = graph::fill(graph::vector_shape(cols_of(c[0])), 1.0);
  return from_expr(graph::matmul(products(c), ones), BaseType::vector, {rows_of(c[0])});
}

Value symmetrize_from_lower_tri(const BuiltinCall& c) {
  check_square(c, 0);
  const Index n = rows_of(c[0]);
  std::vector<std::int32_t> index;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) index.push_back(narrow(std::max(i, j) + std::min(i, j) * n));
  }
  return matrix(graph::gather(graph::matrix_shape(n, n), c.expr(0), std::move(index)), n, n);
}

// ---- decompositions

Value pair(Value first, Value second) {
  auto tuple = std::make_shared<TupleValue>();
  tuple->elements = {std::move(first), std::move(second)};
  return tuple;
}

graph::SymmetricEigen eigen(const BuiltinCall& c) {
  check_square(c, 0);
  check_symmetric(c, 0);
  return graph::symmetric_eigen(c.expr(0));
}
Value eigenvalues_sym(const BuiltinCall& c) {
  return from_expr(eigen(c).values, BaseType::vector, {rows_of(c[0])});
}
Value eigenvectors_sym(const BuiltinCall& c) {
  return matrix(eigen(c).vectors, rows_of(c[0]), rows_of(c[0]));
}
Value eigendecompose_sym(const BuiltinCall& c) {
  return pair(eigenvectors_sym(c), eigenvalues_sym(c));
}

Index smaller_side(const BuiltinCall& c) { return std::min(rows_of(c[0]), cols_of(c[0])); }

Value singular_values(const BuiltinCall& c) {
  const Expr values = graph::singular_values(c.expr(0)).values;
  return from_expr(values, BaseType::vector, {smaller_side(c)});
}
Value svd_u(const BuiltinCall& c) {
  return matrix(graph::singular_values(c.expr(0)).u, rows_of(c[0]), smaller_side(c));
}
Value svd_v(const BuiltinCall& c) {
  return matrix(graph::singular_values(c.expr(0)).v, cols_of(c[0]), smaller_side(c));
}
Value svd(const BuiltinCall& c) {
  auto tuple = std::make_shared<TupleValue>();
  tuple->elements = {svd_u(c), singular_values(c), svd_v(c)};
  return tuple;
}

Value qr_thin_q(const BuiltinCall& c) {
  return matrix(graph::qr_factors(c.expr(0)).q, rows_of(c[0]), smaller_side(c));
}
Value qr_thin_r(const BuiltinCall& c) {
  return matrix(graph::qr_factors(c.expr(0)).r, smaller_side(c), cols_of(c[0]));
}
Value qr_thin(const BuiltinCall& c) { return pair(qr_thin_q(c), qr_thin_r(c)); }

// All columns of Q. Those that complete the space aren't a function of A alone, so a tall A must be
// known.
Value qr_q(const BuiltinCall& c) {
  const Index rows = rows_of(c[0]), cols = cols_of(c[0]);
  if (rows <= cols) return qr_thin_q(c);
  const Expr a = c.expr(0);
  if (!a.is_constant()) {
    c.machine.fail("qr_Q: the complement of a tall matrix that depends on parameters isn't unique",
                   "use qr_thin_Q");
  }
  std::vector<double> work(a.values().begin(), a.values().end()),
      q(static_cast<std::size_t>(rows * rows)), more(static_cast<std::size_t>(rows * cols));
  numerics::qr({rows, cols, rows}, work.data(), q.data(), more.data());
  return matrix(graph::constant(graph::matrix_shape(rows, rows), q), rows, rows);
}
Value qr_r(const BuiltinCall& c) {
  const Index rows = rows_of(c[0]), cols = cols_of(c[0]);
  if (rows <= cols) return qr_thin_r(c);
  std::vector<std::int32_t> index;
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < cols; ++i) index.push_back(narrow(i + j * rows));
  }
  const Expr r = graph::qr_factors(c.expr(0)).r;
  return matrix(graph::scatter_add(graph::matrix_shape(rows, cols), r, std::move(index)), rows,
                cols);
}
Value qr(const BuiltinCall& c) { return pair(qr_q(c), qr_r(c)); }

// Inverse of a matrix of full rank: R^-1 Q' for a tall one, the transpose of that of A' for a wide one.
Value generalized_inverse(const BuiltinCall& c) {
  const Index rows = rows_of(c[0]), cols = cols_of(c[0]);
  if (rows * cols == 0) return matrix(graph::transpose(c.expr(0)), cols, rows);
  const Expr a = c.expr(0);
  const auto of_tall = [](const Expr& tall) {
    const graph::QrFactors f = graph::qr_factors(tall);
    return graph::solve_lower(graph::transpose(f.r), graph::transpose(f.q), true);
  };
  const Expr result = rows >= cols ? of_tall(a) : graph::transpose(of_tall(graph::transpose(a)));
  return matrix(result, cols, rows);
}

// ---- powers and exponential

Value matrix_exp(const BuiltinCall& c) {
  check_square(c, 0);
  const Index n = rows_of(c[0]);
  return n == 0 ? c[0] : matrix(graph::matrix_exp(c.expr(0)), n, n);
}
Value exp_times(const BuiltinCall& c, const Expr& a, std::size_t k) {
  check_square(c, k - 1);
  check_inner(c, cols_of(c[k - 1]), rows_of(c[k]));
  if (size_of(c[k]) == 0) return c[k];
  return like(graph::matmul(graph::matrix_exp(a), c.expr(k)), c[k]);
}
Value matrix_exp_multiply(const BuiltinCall& c) { return exp_times(c, c.expr(0), 1); }
Value scale_matrix_exp_multiply(const BuiltinCall& c) {
  return exp_times(c, c.expr(0) * c.expr(1), 2);
}
// By squaring.
Value matrix_power(const BuiltinCall& c) {
  check_square(c, 0);
  const Index n = rows_of(c[0]);
  Index left_over = c[1].integer();
  if (left_over < 0)
    c.machine.reject("matrix_power", "exponent", static_cast<double>(left_over), "nonnegative");
  if (left_over == 0) return matrix(graph::identity(n), n, n);
  Expr square = c.expr(0), result;
  for (;; square = graph::matmul(square, square)) {
    if (left_over % 2 == 1) result = result.empty() ? square : graph::matmul(result, square);
    left_over /= 2;
    if (left_over == 0) return matrix(result, n, n);
  }
}

constexpr Builtin kDecompositionsRows[] = {
    {"chol2inv", chol2inv},
    {"columns_dot_product", columns_dot},
    {"columns_dot_self", columns_dot},
    {"determinant", determinant},
    {"eigendecompose_sym", eigendecompose_sym},
    {"eigenvalues_sym", eigenvalues_sym},
    {"eigenvectors_sym", eigenvectors_sym},
    {"generalized_inverse", generalized_inverse},
    {"inverse", inverse},
    {"inverse_spd", inverse_spd},
    {"log_determinant", log_determinant},
    {"log_determinant_spd", log_determinant_spd},
    {"matrix_exp", matrix_exp},
    {"matrix_exp_multiply", matrix_exp_multiply},
    {"matrix_power", matrix_power},
    {"mdivide_left", mdivide_left},
    {"mdivide_left_spd", mdivide_left_spd},
    {"mdivide_left_tri_low", mdivide_left_tri_low},
    {"mdivide_right", mdivide_right},
    {"mdivide_right_spd", mdivide_right_spd},
    {"mdivide_right_tri_low", mdivide_right_tri_low},
    {"qr", qr},
    {"qr_Q", qr_q},
    {"qr_R", qr_r},
    {"qr_thin", qr_thin},
    {"qr_thin_Q", qr_thin_q},
    {"qr_thin_R", qr_thin_r},
    {"quad_form", quad_form},
    {"quad_form_sym", quad_form_sym},
    {"rows_dot_product", rows_dot},
    {"rows_dot_self", rows_dot},
    {"scale_matrix_exp_multiply", scale_matrix_exp_multiply},
    {"singular_values", singular_values},
    {"svd", svd},
    {"svd_U", svd_u},
    {"svd_V", svd_v},
    {"symmetrize_from_lower_tri", symmetrize_from_lower_tri},
    {"trace", trace},
    {"trace_dot", trace_dot},
    {"trace_gen_quad_form", trace_gen_quad_form},
    {"trace_quad_form", trace_quad_form},
};
}  // namespace

std::span<const Builtin> builtins_decompositions() { return kDecompositionsRows; }

}  // namespace credo::lang
