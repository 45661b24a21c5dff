// General solves, determinants, eigenvalues, singular values, QR and the exponential.
//
// One lane at a time, unpacked to scratch, with the plain arithmetic of
// numerics/linear_algebra/decompositions. A decomposition's parts are one node, part behind part;
// the functions below take them apart. Attributes: ints = {n, right_cols, transposed} (solve),
// {rows, cols} (singular values, QR), {n} (the others).
#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/ops/linear_algebra.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::graph {
namespace {

void unpack(const Call& call, Index k, Index lane, Index count, double* to) {
  for (Index e = 0; e < count; ++e) to[e] = call.at(k, e, lane);
}
void pack_lane(const Call& call, Index lane, const double* from, Index first, Index count) {
  for (Index e = 0; e < count; ++e) call.out[(first + e) * call.lanes + lane] = from[e];
}

// scratch: the matrix (n n), its pivots (n), the right-hand sides.
void solve_kernel(const Call& call) {
  const auto& ints = call.attributes->ints;
  const Index n = ints[0], cols = ints[1];
  double *a = call.scratch, *pivots = a + n * n, *b = pivots + n;
  for (Index lane = 0; lane < call.lanes; ++lane) {
    if (lane == 0 || !call.shared(0)) {
      unpack(call, 0, lane, n * n, a);
      numerics::lu_factor(n, a, pivots);
    }
    unpack(call, 1, lane, n * cols, b);
    numerics::lu_solve({n, cols, ints[2] != 0}, a, pivots, b);
    pack_lane(call, lane, b, 0, n * cols);
  }
}

// f(the diagonal of U, the permutation's sign) for each lane.
template <class F>
void from_lu_diagonal(const Call& call, F f) {
  const Index n = call.attributes->ints[0];
  double *a = call.scratch, *pivots = a + n * n;
  for (Index lane = 0; lane < call.lanes; ++lane) {
    unpack(call, 0, lane, n * n, a);
    const double sign = numerics::lu_factor(n, a, pivots);
    for (Index i = 0; i < n; ++i) pivots[i] = a[i + i * n];
    call.out[lane] = f(std::span<const double>(pivots, static_cast<std::size_t>(n)), sign);
  }
}
void determinant_kernel(const Call& call) {
  from_lu_diagonal(call, [](std::span<const double> diagonal, double sign) {
    for (const double x : diagonal) sign *= x;
    return sign;
  });
}
void log_abs_determinant_kernel(const Call& call) {
  from_lu_diagonal(call, [](std::span<const double> diagonal, double) {
    double total = 0.0;
    for (const double x : diagonal) total += numerics::log(std::fabs(x));
    return total;
  });
}

void symmetric_eigen_kernel(const Call& call) {
  const Index n = call.attributes->ints[0];
  double *a = call.scratch, *values = a + n * n, *work = values + n;
  for (Index lane = 0; lane < call.lanes; ++lane) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i)
        a[i + j * n] = 0.5 * (call.at(0, i + j * n, lane) + call.at(0, j + i * n, lane));
    }
    numerics::symmetric_eigen(n, a, values, work);
    pack_lane(call, lane, values, 0, n);
    pack_lane(call, lane, a, n, n * n);
  }
}

void singular_values_kernel(const Call& call) {
  const Index rows = call.attributes->ints[0], cols = call.attributes->ints[1];
  double *a = call.scratch, *values = a + rows * cols, *v = values + cols;
  for (Index lane = 0; lane < call.lanes; ++lane) {
    unpack(call, 0, lane, rows * cols, a);
    numerics::singular_values(rows, cols, a, values, v);
    pack_lane(call, lane, values, 0, cols);
    pack_lane(call, lane, a, cols, rows * cols);
    pack_lane(call, lane, v, cols + rows * cols, cols * cols);
  }
}

void qr_kernel(const Call& call) {
  const Index rows = call.attributes->ints[0], cols = call.attributes->ints[1];
  double *a = call.scratch, *q = a + rows * cols, *work = q + rows * cols;
  for (Index lane = 0; lane < call.lanes; ++lane) {
    unpack(call, 0, lane, rows * cols, a);
    numerics::qr({rows, cols, cols}, a, q, work);
    pack_lane(call, lane, q, 0, rows * cols);
    for (Index j = 0; j < cols; ++j)
      pack_lane(call, lane, a + j * rows, rows * cols + j * cols, cols);
  }
}

void matrix_exp_kernel(const Call& call) {
  const Index n = call.attributes->ints[0];
  double *a = call.scratch, *out = a + n * n, *work = out + n * n;
  for (Index lane = 0; lane < call.lanes; ++lane) {
    unpack(call, 0, lane, n * n, a);
    numerics::matrix_exp(n, a, out, work);
    pack_lane(call, lane, out, 0, n * n);
  }
}

// ---- pieces of the rules

// out(i, j) = v[j] or v[i]
Expr repeated(const Expr& v, Index rows, Index cols, bool by_column) {
  std::vector<std::int32_t> index;
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) index.push_back(static_cast<std::int32_t>(by_column ? j : i));
  }
  return gather(matrix_shape(rows, cols), v, std::move(index));
}
Expr diagonal_matrix(const Expr& v) {
  const Index n = v.size();
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i) index.push_back(static_cast<std::int32_t>(i + i * n));
  return scatter_add(matrix_shape(n, n), v, std::move(index));
}
// 1 / x, and 0 for 0: what stands beside it is 0 there too, or the derivative doesn't exist.
Expr inverse_or_zero(const Expr& x) {
  const Expr zero = equal(x, 0.0);
  return select(zero, 0.0, 1.0 / select(zero, 1.0, x));
}
// f(i, j) = 1 / (v[j] - v[i]), 0 on the diagonal
Expr inverse_gaps(const Expr& v) {
  const Index n = v.size();
  return inverse_or_zero(repeated(v, n, n, true) - repeated(v, n, n, false));
}
Expr times_transposed(const Expr& a, const Expr& b) { return matmul(a, b, false, true); }

// ---- rules

// x = op(A)^-1 b: db = op(A)^-T dx, dA = -db x' (or -x db').
std::vector<Expr> solve_rule(const RuleArgs& r) {
  const auto& ints = r.attributes->ints;
  const bool transposed = ints[2] != 0;
  const Shape right = matrix_shape(ints[0], ints[1]);
  const Expr a = r.in[0].reshaped(matrix_shape(ints[0], ints[0])), x = r.out.reshaped(right);
  const Expr db = solve(a, r.grad.reshaped(right), !transposed);
  return {transposed ? -times_transposed(x, db) : -times_transposed(db, x), db};
}

Expr inverse_transposed(const RuleArgs& r) {
  const Index n = r.attributes->ints[0];
  return solve(r.in[0].reshaped(matrix_shape(n, n)), identity(n), true);
}
std::vector<Expr> determinant_rule(const RuleArgs& r) {
  return {(r.grad * r.out) * inverse_transposed(r)};
}
std::vector<Expr> log_abs_determinant_rule(const RuleArgs& r) {
  return {r.grad * inverse_transposed(r)};
}

// dA = V (diag(dvalues) + F .* (M - M') / 2) V' with M = V' dV and f(i, j) = 1 / (value_j -
// value_i) [giles2008, section 3.1, its symmetric part]. M - M' comes first: where values nearly
// meet, F is huge and what a function of A makes of M nearly symmetric.
std::vector<Expr> symmetric_eigen_rule(const RuleArgs& r) {
  const Index n = r.attributes->ints[0];
  const Shape square = matrix_shape(n, n);
  const Expr values = slice(vector_shape(n), r.out, 0), v = slice(square, r.out, n);
  const Expr dvalues = slice(vector_shape(n), r.grad, 0), dv = slice(square, r.grad, n);
  const Expr m = matmul(v, dv, true);
  const Expr inner = diagonal_matrix(dvalues) + 0.5 * (inverse_gaps(values) * (m - transpose(m)));
  const Expr da = times_transposed(matmul(v, inner), v);
  return {0.5 * (da + transpose(da))};
}

// With M_U = U' dU, M_V = V' dV, K = F .* (M - M') for each and f(i, j) = 1 / (s_j^2 - s_i^2):
//   dA = U (diag(ds) + K_U S + S K_V) V' + (I - U U') dU S^-1 V'.
std::vector<Expr> singular_values_rule(const RuleArgs& r) {
  const Index rows = r.attributes->ints[0], cols = r.attributes->ints[1];
  const Shape tall = matrix_shape(rows, cols), square = matrix_shape(cols, cols);
  const auto parts = [&](const Expr& x) {
    return SingularValues{slice(tall, x, cols), slice(vector_shape(cols), x, 0),
                          slice(square, x, cols + rows * cols)};
  };
  const SingularValues out = parts(r.out), grad = parts(r.grad);
  const Expr gaps = inverse_gaps(credo::graph::square(out.values));
  const Expr overlap = matmul(out.u, grad.u, true), right = matmul(out.v, grad.v, true);
  const Expr ku = gaps * (overlap - transpose(overlap)), kv = gaps * (right - transpose(right));
  const Expr inner = diagonal_matrix(grad.values) + ku * repeated(out.values, cols, cols, true) +
                     kv * repeated(out.values, cols, cols, false);
  const Expr beside =
      (grad.u - matmul(out.u, overlap)) * repeated(inverse_or_zero(out.values), rows, cols, true);
  return {times_transposed(matmul(out.u, inner) + beside, out.v)};
}

// dA = (dQ + Q T) R^-T, where T is the symmetric matrix that has the lower triangle of R dR' - dQ'
// Q; only the upper triangle of dR counts.
std::vector<Expr> qr_rule(const RuleArgs& r) {
  const Index rows = r.attributes->ints[0], cols = r.attributes->ints[1];
  const Shape tall = matrix_shape(rows, cols), square = matrix_shape(cols, cols);
  const Expr q = slice(tall, r.out, 0), dq = slice(tall, r.grad, 0);
  const Expr upper = slice(square, r.out, rows * cols);
  const Expr lower_grad = lower_part(transpose(slice(square, r.grad, rows * cols)));
  const Expr m = matmul(upper, lower_grad) - matmul(dq, q, true);
  const Expr half = lower_part(m, 0.5);
  const Expr right = dq + matmul(q, half + transpose(half));
  return {transpose(solve_lower(transpose(upper), transpose(right), true))};
}

// exp of [[A', G], [0, A']] has the adjoint of A on its upper right [higham2008, eq. 10.43].
std::vector<Expr> matrix_exp_rule(const RuleArgs& r) {
  const Index n = r.attributes->ints[0];
  const Shape square = matrix_shape(n, n), big = matrix_shape(2 * n, 2 * n);
  const auto block = [&](Index row, Index col) {
    std::vector<std::int32_t> index;
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i)
        index.push_back(static_cast<std::int32_t>(row * n + i + (col * n + j) * 2 * n));
    }
    return index;
  };
  const Expr a = transpose(r.in[0].reshaped(square));
  const Expr joined = scatter_add(big, a, block(0, 0)) + scatter_add(big, a, block(1, 1)) +
                      scatter_add(big, r.grad.reshaped(square), block(0, 1));
  return {gather(square, matrix_exp(joined), block(0, 1))};
}

// ---- rows

Index first_int(const Attributes& a) { return a.ints[0]; }

const Op solve_row{
    .name = "solve",
    .kind = OpKind::general,
    .arity = 2,
    .rule = solve_rule,
    .kernel = []() -> Kernel { return solve_kernel; },
    .shape = [](Shapes, const Attributes& a) { return matrix_shape(a.ints[0], a.ints[1]); },
    .scratch =
        [](Shapes, const Attributes& a) {
          return first_int(a) * (first_int(a) + 1 + Index{a.ints[1]});
        }};
const Op determinant_row{
    .name = "determinant",
    .kind = OpKind::general,
    .rule = determinant_rule,
    .kernel = []() -> Kernel { return determinant_kernel; },
    .shape = [](Shapes, const Attributes&) { return Shape{}; },
    .scratch = [](Shapes, const Attributes& a) { return first_int(a) * (first_int(a) + 1); }};
const Op log_abs_determinant_row{
    .name = "log_abs_determinant",
    .kind = OpKind::general,
    .rule = log_abs_determinant_rule,
    .kernel = []() -> Kernel { return log_abs_determinant_kernel; },
    .shape = [](Shapes, const Attributes&) { return Shape{}; },
    .scratch = [](Shapes, const Attributes& a) { return first_int(a) * (first_int(a) + 1); }};
const Op symmetric_eigen_row{
    .name = "symmetric_eigen",
    .kind = OpKind::general,
    .rule = symmetric_eigen_rule,
    .kernel = []() -> Kernel { return symmetric_eigen_kernel; },
    .shape = [](Shapes,
                const Attributes& a) { return vector_shape(first_int(a) * (first_int(a) + 1)); },
    .scratch = [](Shapes, const Attributes& a) { return first_int(a) * (first_int(a) + 3); }};
const Op singular_values_row{.name = "singular_values",
                             .kind = OpKind::general,
                             .rule = singular_values_rule,
                             .kernel = []() -> Kernel { return singular_values_kernel; },
                             .shape =
                                 [](Shapes, const Attributes& a) {
                                   const Index m = a.ints[0], n = a.ints[1];
                                   return vector_shape(n * (m + 1 + n));
                                 },
                             .scratch =
                                 [](Shapes, const Attributes& a) {
                                   const Index m = a.ints[0], n = a.ints[1];
                                   return n * (m + 1 + n);
                                 }};
const Op qr_row{
    .name = "qr",
    .kind = OpKind::general,
    .rule = qr_rule,
    .kernel = []() -> Kernel { return qr_kernel; },
    .shape =
        [](Shapes, const Attributes& a) {
          const Index m = a.ints[0], n = a.ints[1];
          return vector_shape(n * (m + n));
        },
    .scratch = [](Shapes, const Attributes& a) { return Index{3} * a.ints[0] * a.ints[1]; }};
const Op matrix_exp_row{
    .name = "matrix_exp",
    .kind = OpKind::general,
    .rule = matrix_exp_rule,
    .kernel = []() -> Kernel { return matrix_exp_kernel; },
    .shape = [](Shapes, const Attributes& a) { return matrix_shape(a.ints[0], a.ints[0]); },
    .scratch =
        [](Shapes, const Attributes& a) {
          return 2 * first_int(a) * first_int(a) + numerics::matrix_exp_work(first_int(a));
        }};

std::int32_t rows_of(const Expr& a) { return a.shape().rows; }
std::int32_t cols_of(const Expr& a) { return a.shape().cols; }
}  // namespace

Expr identity(Index n) {
  std::vector<double> values(static_cast<std::size_t>(n * n), 0.0);
  for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i + i * n)] = 1.0;
  return constant(matrix_shape(n, n), values);
}

Expr solve(const Expr& a, const Expr& b, bool transposed) {
  CREDO_ASSERT(rows_of(a) == rows_of(b), "inner sizes agree");
  return apply(solve_row, {a, b}, {{rows_of(a), cols_of(b), transposed}, {}});
}
Expr determinant(const Expr& a) { return apply(determinant_row, {a}, {{rows_of(a)}, {}}); }
Expr log_abs_determinant(const Expr& a) {
  return apply(log_abs_determinant_row, {a}, {{rows_of(a)}, {}});
}
Expr matrix_exp(const Expr& a) { return apply(matrix_exp_row, {a}, {{rows_of(a)}, {}}); }

SymmetricEigen symmetric_eigen(const Expr& a) {
  const Index n = rows_of(a);
  const Expr both = apply(symmetric_eigen_row, {a}, {{rows_of(a)}, {}});
  return {slice(vector_shape(n), both, 0), slice(matrix_shape(n, n), both, n)};
}

SingularValues singular_values(const Expr& a) {
  const Index m = rows_of(a), n = cols_of(a);
  if (m < n) {
    const SingularValues turned = singular_values(transpose(a));
    return {turned.v, turned.values, turned.u};
  }
  const Expr all = apply(singular_values_row, {a}, {{rows_of(a), cols_of(a)}, {}});
  return {slice(matrix_shape(m, n), all, n), slice(vector_shape(n), all, 0),
          slice(matrix_shape(n, n), all, n + m * n)};
}

QrFactors qr_factors(const Expr& a) {
  const Index m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Expr first = m >= n ? a : slice(matrix_shape(m, m), a, 0);
  const Expr both = apply(qr_row, {first}, {{rows_of(first), cols_of(first)}, {}});
  const Expr q = slice(matrix_shape(m, k), both, 0), r = slice(matrix_shape(k, k), both, m * k);
  if (m >= n) return {q, r};
  const Expr rest = matmul(q, slice(matrix_shape(m, n - m), a, m * m), true);
  return {q, concat(matrix_shape(m, n), std::array{r, rest})};
}

std::span<const Op* const> ops::decomposition_rows() {
  static const std::array<const Op*, 7> rows{
      &determinant_row, &log_abs_determinant_row, &matrix_exp_row, &qr_row, &singular_values_row,
      &solve_row,       &symmetric_eigen_row};
  return rows;
}

}  // namespace credo::graph
