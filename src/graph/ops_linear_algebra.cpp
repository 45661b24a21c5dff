// Linear algebra on single matrices, one lane at a time or [row][lane] where the sizes ask for it.
//
// Inner sums run over the inner index in order, with one fused multiply-add a step, whatever the
// number of lanes; only A' B is a table of dot products, in the order of `dot`. Attributes: ints =
// {rows, inner, cols, transpose_a, transpose_b} (matmul), {n, right_cols, transposed} (solves), {n}
// (cholesky).
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/ops_linear_algebra.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "graph/ops.hpp"
#include "graph/reduce-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {
namespace {  // kernels of other files may have the same names

// One lane's scalar fused multiply-add in the arithmetic of this target.
HWY_INLINE double fused(double a, double b, double c) {
  const hn::CappedTag<double, 1> d;
  return hn::GetLane(hn::MulAdd(hn::Set(d, a), hn::Set(d, b), hn::Set(d, c)));
}

// A strided view of one operand in one lane.
struct LaneMatrix {
  LaneMatrix(const Call& call, Index k, Index lane, Index row_stride, Index col_stride)
      : data(call.in(k) + (call.shared(k) ? 0 : lane)), rows(row_stride), cols(col_stride) {
    if (!call.shared(k)) rows *= call.lanes, cols *= call.lanes;
  }
  double operator()(Index i, Index j) const { return data[i * rows + j * cols]; }
  const double* data;
  Index rows, cols;
};

// out[i] += a[i] * b for a contiguous column: vectors run along the rows.
HWY_NOINLINE void add_column(const double* a, double b, double* out, Index rows) {
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d));
  const auto factor = hn::Set(d, b);
  Index i = 0;
  for (; i + width <= rows; i += width) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, a + i), factor, hn::LoadU(d, out + i)), d, out + i);
  }
  for (; i < rows; ++i) out[i] = fused(a[i], b, out[i]);
}

// Column j of the result in one lane: columns of A times a contiguous vector x, added in order.
void add_columns(const double* a, const double* x, double* out, Index rows, Index inner) {
  std::fill_n(out, rows, 0.0);
  for (Index p = 0; p < inner; ++p) add_column(a + p * rows, x[p], out, rows);
}

// A is the same for all lanes: B is unpacked lane by lane, the kernels see one lane, and the result
// is packed again.
void matmul_shared(const Call& call, Index rows, Index inner, Index cols) {
  const Index lanes = call.lanes;
  double* x = call.scratch;
  double* y = call.scratch + inner;
  for (Index j = 0; j < cols; ++j) {
    for (Index l = 0; l < lanes; ++l) {
      for (Index p = 0; p < inner; ++p) x[p] = call.at(1, p + j * inner, l);
      if (call.attributes->ints[3] != 0) {
        for (Index i = 0; i < rows; ++i) {
          BlockReader a(call.in(0) + i * inner, 1, true, false), b(x, 1, true, false);
          dot_blocks(inner, 1, y + i, a, b);
        }
      } else {
        add_columns(call.in(0), x, y, rows, inner);
      }
      for (Index i = 0; i < rows; ++i) call.out[(i + j * rows) * lanes + l] = y[i];
    }
  }
}

// A' B: columns of A against columns of B, in the order of every other sum.
void matmul_dots(const Call& call, Index rows, Index inner, Index cols) {
  const Index step_a = inner * (call.shared(0) ? 1 : call.lanes),
              step_b = inner * (call.shared(1) ? 1 : call.lanes);
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      BlockReader a(call.in(0) + i * step_a, call.lanes, call.shared(0), false);
      BlockReader b(call.in(1) + j * step_b, call.lanes, call.shared(1), false);
      dot_blocks(inner, call.lanes, call.out + (i + j * rows) * call.lanes, a, b);
    }
  }
}

void matmul_kernel(const Call& call) {
  const auto& ints = call.attributes->ints;
  const Index rows = ints[0], inner = ints[1], cols = ints[2];
  if (ints[4] == 0 && call.shared(0) && call.lanes > 1)
    return matmul_shared(call, rows, inner, cols);
  if (ints[4] == 0 && ints[3] != 0) return matmul_dots(call, rows, inner, cols);
  if (ints[4] == 0 && call.lanes == 1) {
    for (Index j = 0; j < cols; ++j)
      add_columns(call.in(0), call.in(1) + j * inner, call.out + j * rows, rows, inner);
    return;
  }
  for (Index l = 0; l < call.lanes; ++l) {
    const LaneMatrix a =
        ints[3] ? LaneMatrix(call, 0, l, inner, 1) : LaneMatrix(call, 0, l, 1, rows);  // A' B'
    const LaneMatrix b =
        ints[4] ? LaneMatrix(call, 1, l, cols, 1) : LaneMatrix(call, 1, l, 1, inner);
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        double total = 0.0;
        for (Index p = 0; p < inner; ++p) total = fused(a(i, p), b(p, j), total);
        call.out[(i + j * rows) * call.lanes + l] = total;
      }
    }
  }
}

// Lower Cholesky factor, column by column; NaN from the first pivot on that isn't positive.
void cholesky_kernel(const Call& call) {
  const Index n = call.attributes->ints[0], lanes = call.lanes;
  for (Index l = 0; l < lanes; ++l) {
    const LaneMatrix a(call, 0, l, 1, n);
    const auto out = [&](Index i, Index j) -> double& { return call.out[(i + j * n) * lanes + l]; };
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < j; ++i) out(i, j) = 0.0;
      for (Index i = j; i < n; ++i) {
        double rest = a(i, j);
        for (Index p = 0; p < j; ++p) rest = fused(-out(i, p), out(j, p), rest);
        if (i == j) {
          out(j, j) = rest > 0.0 ? std::sqrt(rest) : kNaN;
        } else {
          out(i, j) = rest / out(j, j);
        }
      }
    }
  }
}

// L x = b (forward) or L' x = b (backward), for each column of b.
void solve_lower_kernel(const Call& call) {
  const auto& ints = call.attributes->ints;
  const Index n = ints[0], cols = ints[1], lanes = call.lanes;
  const bool transposed = ints[2] != 0;
  for (Index l = 0; l < lanes; ++l) {
    const LaneMatrix factor =
        transposed ? LaneMatrix(call, 0, l, n, 1) : LaneMatrix(call, 0, l, 1, n);
    for (Index j = 0; j < cols; ++j) {
      const auto x = [&](Index i) -> double& { return call.out[(i + j * n) * lanes + l]; };
      for (Index step = 0; step < n; ++step) {
        const Index i = transposed ? n - 1 - step : step;
        double rest = call.at(1, i + j * n, l);
        for (Index s = 0; s < step; ++s) {
          const Index p = transposed ? n - 1 - s : s;
          rest = fused(-factor(i, p), x(p), rest);
        }
        x(i) = rest / factor(i, i);
      }
    }
  }
}

}  // namespace
}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/error.hpp"

namespace credo::graph {
namespace {
HWY_EXPORT(matmul_kernel);
HWY_EXPORT(cholesky_kernel);
HWY_EXPORT(solve_lower_kernel);

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

// Keeps the lower triangle, the diagonal times `diagonal`.
Expr lower_part(const Expr& a, double diagonal) {
  const Index n = a.shape().rows;
  std::vector<double> mask(static_cast<std::size_t>(n * n), 0.0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i)
      mask[static_cast<std::size_t>(i + j * n)] = i == j ? diagonal : 1.0;
  }
  return a * constant(a.shape(), mask);
}

// [murray2016, eq. 8]: S = L^-T P L^-1 with P = Phi(L' dL); the adjoint is the lower triangle of S
// + S', the diagonal once, because only the lower triangle is read.
std::vector<Expr> cholesky_rule(const RuleArgs& r) {
  const Index n = r.attributes->ints[0];
  const Expr l = r.out.reshaped(matrix_shape(n, n)), grad = r.grad.reshaped(matrix_shape(n, n));
  const Expr p = lower_part(matmul(l, lower_part(grad, 1.0), true, false), 0.5);
  const Expr left = solve_lower(l, p, true);  // L^-T P
  const Expr s =
      transpose(solve_lower(l, transpose(left), true));  // (L^-T (L^-T P)')' = L^-T P L^-1
  return {lower_part(s + transpose(s), 0.5)};
}

// x = op(L)^-1 b: db = op(L)^-T dx, and dL is the lower triangle of -db x' (or of -x db').
std::vector<Expr> solve_lower_rule(const RuleArgs& r) {
  const auto& ints = r.attributes->ints;
  const Index n = ints[0], cols = ints[1];
  const bool transposed = ints[2] != 0;
  const Expr l = r.in[0].reshaped(matrix_shape(n, n)), x = r.out.reshaped(matrix_shape(n, cols));
  const Expr db = solve_lower(l, r.grad.reshaped(matrix_shape(n, cols)), !transposed);
  const Expr dl = transposed ? matmul(x, db, false, true) : matmul(db, x, false, true);
  return {lower_part(-dl, 1.0), db};
}

const Op matmul_row{
    .name = "matmul",
    .kind = OpKind::general,
    .arity = 2,
    .rule = matmul_rule,
    .kernel = CREDO_SELECT(matmul),
    .shape = [](Shapes, const Attributes& a) { return matrix_shape(a.ints[0], a.ints[2]); },
    .scratch = [](Shapes, const Attributes& a) { return Index{a.ints[0]} + a.ints[1]; }};
const Op cholesky_row{
    .name = "cholesky",
    .kind = OpKind::general,
    .rule = cholesky_rule,
    .kernel = CREDO_SELECT(cholesky),
    .shape = [](Shapes, const Attributes& a) { return matrix_shape(a.ints[0], a.ints[0]); }};
const Op solve_lower_row{
    .name = "solve_lower",
    .kind = OpKind::general,
    .arity = 2,
    .rule = solve_lower_rule,
    .kernel = CREDO_SELECT(solve_lower),
    .shape = [](Shapes, const Attributes& a) { return matrix_shape(a.ints[0], a.ints[1]); }};
}  // namespace

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
  return apply(matmul_row, {a, b}, {{rows, inner, cols, transpose_a, transpose_b}, {}});
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
  static const std::array<const Op*, 3> rows{&cholesky_row, &matmul_row, &solve_lower_row};
  return rows;
}

}  // namespace credo::graph
#endif
