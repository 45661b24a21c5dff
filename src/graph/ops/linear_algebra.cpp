// Linear algebra on single matrices: products, Cholesky factors, triangular solves.
//
// The kernels are those of numerics/linear_algebra; every inner sum runs over the inner index in
// order, with one fused multiply-add a step, whatever the number of lanes. Only products of a
// vector with the columns of a matrix are in the order of `dot`. Attributes: ints = {rows, inner,
// cols, transpose_a, transpose_b} (matmul), {n, right_cols, transposed} (solves), {n} (cholesky and
// its adjoint), {n, inner} (lower_outer).
#include "graph/ops/linear_algebra.hpp"
#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::graph {
namespace {
using numerics::LaneOperand;

// Operand k as a column-major matrix with so many rows; a matrix that all lanes share has the layout of one
// lane.
LaneOperand matrix_operand(const Call& call, Index k, Index rows) {
  return {call.in(k), 1, rows, call.shared(k) && call.lanes > 1};
}

// A product with a vector reads the matrix once, as it lies.
bool multiply_with_vector(const Call& call) {
  const auto& ints = call.attributes->ints;
  const Index rows = ints[0], inner = ints[1], cols = ints[2];
  if (rows != 1 && cols != 1) return false;
  const Index k = cols == 1 ? 0 : 1;  // the matrix; B' as seen from a row vector on its left
  const bool transposed = cols == 1 ? ints[3] != 0 : ints[4] == 0;
  const Index results = cols == 1 ? rows : cols;
  if (transposed) {
    multiply_vector_transposed(call.lanes, inner, results, matrix_operand(call, k, inner),
                               matrix_operand(call, 1 - k, inner), call.out);
  } else {
    multiply_vector(call.lanes, results, inner, matrix_operand(call, k, results),
                    matrix_operand(call, 1 - k, inner), call.out);
  }
  return true;
}

void matmul_kernel(const Call& call) {
  const auto& ints = call.attributes->ints;
  const Index rows = ints[0], inner = ints[1], cols = ints[2];
  if (multiply_with_vector(call)) return;
  const LaneOperand a = matrix_operand(call, 0, ints[3] ? inner : rows),
                    b = matrix_operand(call, 1, ints[4] ? cols : inner);
  numerics::multiply(call.lanes, {rows, inner, cols}, ints[3] ? a.transposed() : a,
                     ints[4] ? b.transposed() : b, call.out, call.scratch);
}

Index matmul_scratch(Shapes, const Attributes& a) {
  const bool with_vector = a.ints[0] == 1 || a.ints[2] == 1;
  return with_vector ? 0 : numerics::multiply_scratch({a.ints[0], a.ints[1], a.ints[2]});
}

void cholesky_kernel(const Call& call) {
  const Index n = call.attributes->ints[0];
  numerics::cholesky(call.lanes, n, matrix_operand(call, 0, n), call.out, call.scratch);
}

void cholesky_adjoint_kernel(const Call& call) {
  const Index n = call.attributes->ints[0];
  numerics::cholesky_adjoint(call.lanes, n, matrix_operand(call, 0, n), matrix_operand(call, 1, n),
                             call.out, call.scratch);
}

void solve_lower_kernel(const Call& call) {
  const auto& ints = call.attributes->ints;
  const Index n = ints[0];
  numerics::solve_lower(call.lanes, {n, ints[1], ints[2] != 0}, matrix_operand(call, 0, n),
                        matrix_operand(call, 1, n), call.out, call.scratch);
}

void lower_outer_kernel(const Call& call) {
  const Index n = call.attributes->ints[0], inner = call.attributes->ints[1];
  numerics::lower_outer(call.lanes, n, inner, matrix_operand(call, 0, n),
                        matrix_operand(call, 1, n), call.out);
}

Shape square_shape(Shapes, const Attributes& a) { return matrix_shape(a.ints[0], a.ints[0]); }

// C = op(A) op(B). With the flags folded in, dA and dB are again products.
std::vector<Expr> matmul_rule(const RuleArgs& r) {
  const auto& ints = r.attributes->ints;
  const bool ta = ints[3] != 0, tb = ints[4] != 0;
  const Expr grad = r.grad.reshaped(matrix_shape(ints[0], ints[2]));
  const Expr a =
      r.in[0].reshaped(ta ? matrix_shape(ints[1], ints[0]) : matrix_shape(ints[0], ints[1]));
  const Expr b =
      r.in[1].reshaped(tb ? matrix_shape(ints[2], ints[1]) : matrix_shape(ints[1], ints[2]));
  const Expr da = ta ? matmul(b, grad, tb, true) : matmul(grad, b, false, !tb);
  const Expr db = tb ? matmul(grad, a, true, ta) : matmul(a, grad, !ta, false);
  return {da, db};
}

extern const Op cholesky_adjoint_row, lower_outer_row;

// The lower triangle of -a b'.
Expr lower_outer(const Expr& a, const Expr& b) {
  return apply(lower_outer_row, {a, b}, {{a.shape().rows, a.shape().cols}, {}});
}

std::vector<Expr> cholesky_rule(const RuleArgs& r) {
  const std::int32_t n = r.attributes->ints[0];
  const Expr l = r.out.reshaped(matrix_shape(n, n)), grad = r.grad.reshaped(matrix_shape(n, n));
  return {apply(cholesky_adjoint_row, {l, grad}, {{n}, {}})};
}

// The lower triangle of S L is that of G, S symmetric, and the result is S with half its diagonal.
// It is, applied to G, the transpose of the differential of the factor, dL = L Phi(L^-1 dA
// L^-T), where Phi keeps the lower triangle and half the diagonal and dA is read from its lower
// triangle; and tril(dS L) = -tril(S dL).
std::vector<Expr> cholesky_adjoint_rule(const RuleArgs& r) {
  const Index n = r.attributes->ints[0];
  const Shape square = matrix_shape(n, n);
  const Expr l = lower_part(r.in[0].reshaped(square), 1.0), out = r.out.reshaped(square);
  const Expr lower = lower_part(r.grad.reshaped(square), 0.5);
  const Expr da = lower + transpose(lower);  // its diagonal once
  const Expr half = solve_lower(l, transpose(solve_lower(l, da)));
  const Expr grad = lower_part(matmul(l, lower_part(half, 0.5)), 1.0);
  return {lower_part(-matmul(out + transpose(out), grad), 1.0), grad};
}

// x = op(L)^-1 b: db = op(L)^-T dx, and dL is the lower triangle of -db x' (or of -x db').
std::vector<Expr> solve_lower_rule(const RuleArgs& r) {
  const auto& ints = r.attributes->ints;
  const Index n = ints[0], cols = ints[1];
  const bool transposed = ints[2] != 0;
  const Expr l = r.in[0].reshaped(matrix_shape(n, n)), x = r.out.reshaped(matrix_shape(n, cols));
  const Expr db = solve_lower(l, r.grad.reshaped(matrix_shape(n, cols)), !transposed);
  return {transposed ? lower_outer(x, db) : lower_outer(db, x), db};
}

std::vector<Expr> lower_outer_rule(const RuleArgs& r) {
  const auto& ints = r.attributes->ints;
  const Shape shape = matrix_shape(ints[0], ints[1]);
  const Expr grad = lower_part(r.grad.reshaped(matrix_shape(ints[0], ints[0])), 1.0);
  return {-matmul(grad, r.in[1].reshaped(shape)),
          -matmul(grad, r.in[0].reshaped(shape), true, false)};
}

const Op cholesky_row{
    .name = "cholesky",
    .kind = OpKind::general,
    .rule = cholesky_rule,
    .kernel = []() -> Kernel { return cholesky_kernel; },
    .shape = square_shape,
    .scratch = [](Shapes, const Attributes& a) { return numerics::cholesky_scratch(a.ints[0]); }};
const Op cholesky_adjoint_row{
    .name = "cholesky_adjoint",
    .kind = OpKind::general,
    .arity = 2,
    .rule = cholesky_adjoint_rule,
    .kernel = []() -> Kernel { return cholesky_adjoint_kernel; },
    .shape = square_shape,
    .scratch = [](Shapes,
                  const Attributes& a) { return numerics::cholesky_adjoint_scratch(a.ints[0]); }};
const Op solve_lower_row{
    .name = "solve_lower",
    .kind = OpKind::general,
    .arity = 2,
    .rule = solve_lower_rule,
    .kernel = []() -> Kernel { return solve_lower_kernel; },
    .shape = [](Shapes, const Attributes& a) { return matrix_shape(a.ints[0], a.ints[1]); },
    .scratch =
        [](Shapes, const Attributes& a) {
          return numerics::solve_lower_scratch(a.ints[0], a.ints[1]);
        }};
const Op lower_outer_row{.name = "lower_outer",
                         .kind = OpKind::general,
                         .arity = 2,
                         .rule = lower_outer_rule,
                         .kernel = []() -> Kernel { return lower_outer_kernel; },
                         .shape = square_shape};
}  // namespace

const Op ops::matmul{
    .name = "matmul",
    .kind = OpKind::general,
    .arity = 2,
    .rule = matmul_rule,
    .kernel = []() -> Kernel { return matmul_kernel; },
    .shape = [](Shapes, const Attributes& a) { return matrix_shape(a.ints[0], a.ints[2]); },
    .scratch = matmul_scratch};

Expr lower_part(const Expr& a, double diagonal) {
  const Index n = a.shape().rows;
  std::vector<double> mask(static_cast<std::size_t>(n * n), 0.0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i)
      mask[static_cast<std::size_t>(i + j * n)] = i == j ? diagonal : 1.0;
  }
  return a * constant(a.shape(), mask);
}

Expr transpose(const Expr& a) {
  const Index rows = a.shape().rows, cols = a.shape().cols;
  const Shape shape = matrix_shape(cols, rows);
  if (rows == 1 || cols == 1) return a.reshaped(shape);
  std::vector<std::int32_t> index;
  index.reserve(static_cast<std::size_t>(rows * cols));
  for (Index j = 0; j < rows; ++j) {
    for (Index i = 0; i < cols; ++i) index.push_back(static_cast<std::int32_t>(j + i * rows));
  }
  return gather(shape, a, std::move(index));
}

Expr matmul(const Expr& a, const Expr& b, bool transpose_a, bool transpose_b) {
  const std::int32_t rows = transpose_a ? a.shape().cols : a.shape().rows;
  const std::int32_t inner = transpose_a ? a.shape().rows : a.shape().cols;
  const std::int32_t cols = transpose_b ? b.shape().rows : b.shape().cols;
  CREDO_ASSERT(inner == (transpose_b ? b.shape().cols : b.shape().rows), "inner sizes agree");
  return apply(ops::matmul, {a, b}, {{rows, inner, cols, transpose_a, transpose_b}, {}});
}

Expr cholesky(const Expr& a) {
  CREDO_ASSERT(a.shape().rows == a.shape().cols, "a square matrix");
  return apply(cholesky_row, {a}, {{a.shape().rows}, {}});
}

Expr solve_lower(const Expr& l, const Expr& b, bool transposed) {
  CREDO_ASSERT(l.shape().rows == b.shape().rows, "inner sizes agree");
  return apply(solve_lower_row, {l, b}, {{l.shape().rows, b.shape().cols, transposed}, {}});
}

std::span<const Op* const> ops::linear_algebra_rows() {
  static const std::array<const Op*, 5> rows{&cholesky_row, &cholesky_adjoint_row, &lower_outer_row,
                                             &ops::matmul, &solve_lower_row};
  return rows;
}

}  // namespace credo::graph
