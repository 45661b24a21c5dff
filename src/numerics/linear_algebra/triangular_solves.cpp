// Triangular solves for many right-hand sides: L X = B, or L' X = B with everything turned round.
//
// The transposed unknowns Y = X' are the rows of a tile and the equations its columns, as in a
// Cholesky factor: y(r, i) is b(i, r) less y(r, p) l(i, p) for p = 0, ..., i - 1, times the
// reciprocal pivot. For L' the equations are numbered from the last.
#include "base/stop.hpp"
#include "numerics/linear_algebra/dense.hpp"
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/linear_algebra/triangular_solves.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "numerics/simd/dense-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics::HWY_NAMESPACE {
namespace {

// The triangle in the order of the equations: t(i, p) at data[i * row + p * col], in doubles.
struct Triangle {
  Index n;
  const double* data;
  Index row, col;
  const double* at(Index i, Index p) const { return data + i * row + p * col; }
};

Triangle triangle_of(const LaneOperand& l, const SolveSizes& sizes, Index lanes) {
  const Index step = l.shared ? 1 : lanes, n = sizes.n;
  if (!sizes.transposed) return {n, l.data, l.row * step, l.col * step};
  return {n, l.data + (n - 1) * (l.row + l.col) * step, -l.col * step, -l.row * step};
}

// The unknowns: y(r, i) at data[r * row + i * col], in doubles.
struct Unknowns {
  Index count;  // number of right-hand sides
  double* data;
  Index row, col;
  double* at(Index r, Index i) const { return data + r * row + i * col; }
};

// ---- across

// Equations i ... i + NR - 1 for all right-hand sides, in place.
template <Read R, int MR, int NR, class D>
HWY_INLINE void solve_tile(D d, const Triangle& t, const Unknowns& y, Index r, Index i,
                           const double* inverse, Index lanes) {
  Tile<D, MR, NR> tile;
  load<Read::vector>(d, y.at(r, i), y.row, y.col, tile);
  accumulate<Read::vector, R, true>(d, i, Walk{y.at(r, 0), y.row, y.col},
                                    Walk{t.at(i, 0), t.row, t.col}, tile);
  CREDO_UNROLL
  for (int c = 0; c < NR; ++c) {
    CREDO_UNROLL
    for (int q = 0; q < NR; ++q) {
      if (q >= c) continue;
      const auto factor = read<R>(d, t.at(i + c, i + q));
      CREDO_UNROLL
      for (int row = 0; row < MR; ++row)
        tile.v[row][c] = hn::NegMulAdd(tile.v[row][q], factor, tile.v[row][c]);
    }
    const auto reciprocal = hn::LoadU(d, inverse + (i + c) * lanes);
    CREDO_UNROLL
    for (int row = 0; row < MR; ++row) tile.v[row][c] = hn::Mul(tile.v[row][c], reciprocal);
  }
  store(d, tile, y.at(r, i), y.row, y.col);
}

template <Read R, int MR, int NR, class D>
void solve_rows(D d, const Triangle& t, const Unknowns& y, Index r, const double* inverse,
                Index lanes) {
  for (Index i = 0; i < t.n; i += NR) {
    with_count<NR>(std::min<Index>(NR, t.n - i), [&](auto nr) HWY_ATTR {
      solve_tile<R, MR, decltype(nr)::value>(d, t, y, r, i, inverse, lanes);
    });
  }
}

template <Read R, class D>
void solve_across(D d, const Triangle& t, const Unknowns& y, double* inverse, Index lanes) {
  for (Index i = 0; i < t.n; ++i) {
    const auto pivot = read<R>(d, t.at(i, i));
    hn::StoreU(hn::Div(hn::Set(d, 1.0), pivot), d, inverse + i * lanes);
  }
  if (y.count == 1) return solve_rows<R, 1, 8>(d, t, y, 0, inverse, lanes);
  for (Index r = 0; r < y.count; r += kAcrossRows) {
    with_count<kAcrossRows>(std::min<Index>(kAcrossRows, y.count - r), [&](auto mr) HWY_ATTR {
      solve_rows<R, decltype(mr)::value, kAcrossCols>(d, t, y, r, inverse, lanes);
    });
  }
}

void copy_in(Index lanes, const SolveSizes& sizes, const LaneOperand& b, double* out) {
  const Index step = b.shared ? 1 : lanes;
  for (Index j = 0; j < sizes.cols; ++j) {
    for (Index i = 0; i < sizes.n; ++i) {
      const double* from = b.data + (i * b.row + j * b.col) * step;
      double* to = out + (i + j * sizes.n) * lanes;
      for (Index l = 0; l < lanes; ++l) to[l] = from[b.shared ? 0 : l];
    }
  }
}

// ---- along: a panel of right-hand sides at a time, [equation][right-hand side]

constexpr Index padded(Index n) { return (n + kAlongCols - 1) / kAlongCols * kAlongCols; }

// Rows of the triangle by blocks, [block][column][row of the block], filled up as the unit matrix.
void pack_triangle(const Triangle& t, double* packed, double* inverse) {
  const Index n = padded(t.n);
  for (Index i = 0; i < n; i += kAlongCols) {
    double* block = packed + i * n;
    for (Index p = 0; p < i + kAlongCols; ++p) {
      for (Index c = 0; c < kAlongCols; ++c) {
        const bool there = i + c < t.n && p <= i + c;
        block[p * kAlongCols + c] = there ? *t.at(i + c, p) : (p == i + c ? 1.0 : 0.0);
      }
    }
    for (Index c = 0; c < kAlongCols; ++c) inverse[i + c] = 1.0 / block[(i + c) * kAlongCols + c];
  }
}

void solve_panel(Index n, const double* packed, const double* inverse, double* panel) {
  const AlongTag d;
  for (Index i = 0; i < n; i += kAlongCols) {
    Tile<AlongTag, kAlongVectors, kAlongCols> tile;
    double* unknowns = panel + i * kPanel;
    const double* block = packed + i * n;
    load<Read::vector>(d, unknowns, kWidth, kPanel, tile);
    accumulate<Read::vector, Read::spread, true>(d, i, Walk{panel, kWidth, kPanel},
                                                 Walk{block, 1, kAlongCols}, tile);
    solve_in_tile<Read::spread>(d, tile, block + i * kAlongCols, 1, kAlongCols, inverse + i, 1);
    store(d, tile, unknowns, kWidth, kPanel);
  }
}

void solve_along(const Triangle& t, const Unknowns& y, double* scratch) {
  const Index n = padded(t.n);
  double* packed = scratch;
  double* inverse = packed + n * n;
  double* panel = inverse + n;
  pack_triangle(t, packed, inverse);
  for (Index r = 0; r < y.count; r += kPanel) {
    stop_if_asked();
    const Index count = std::min<Index>(kPanel, y.count - r);
    std::fill_n(panel, n * kPanel, 0.0);
    for (Index k = 0; k < count; ++k) {
      for (Index i = 0; i < t.n; ++i) panel[i * kPanel + k] = *y.at(r + k, i);
    }
    solve_panel(n, packed, inverse, panel);
    for (Index k = 0; k < count; ++k) {
      for (Index i = 0; i < t.n; ++i) *y.at(r + k, i) = panel[i * kPanel + k];
    }
  }
}

// ---- choice: it changes no bit

bool across_pays(Index lanes, const SolveSizes& sizes) {
  if (sizes.cols < kWidth) return true;
  if (lanes >= kWidth) return sizes.n <= 64;
  return sizes.n <= (lanes == 1 ? 12 : 16 * lanes);
}

void solve_lower_kernel(Index lanes, const SolveSizes& sizes, const LaneOperand& l,
                        const LaneOperand& b, double* out, double* scratch) {
  copy_in(lanes, sizes, b, out);
  const Triangle all = triangle_of(l, sizes, lanes);
  const Index row = sizes.n * lanes;
  const Unknowns unknowns = sizes.transposed
                                ? Unknowns{sizes.cols, out + (sizes.n - 1) * lanes, row, -lanes}
                                : Unknowns{sizes.cols, out, row, lanes};
  const auto at_lane = [&](Index lane, Triangle& t, Unknowns& y) {
    if (!l.shared) t.data += lane;
    y.data += lane;
  };
  if (across_pays(lanes, sizes)) {
    for_lane_groups(lanes, [&](auto d, Index lane) HWY_ATTR {
      Triangle t = all;
      Unknowns y = unknowns;
      at_lane(lane, t, y);
      if (l.shared) return solve_across<Read::spread>(d, t, y, scratch + lane, lanes);
      solve_across<Read::vector>(d, t, y, scratch + lane, lanes);
    });
    return;
  }
  for (Index lane = 0; lane < lanes; ++lane) {
    Triangle t = all;
    Unknowns y = unknowns;
    at_lane(lane, t, y);
    solve_along(t, y, scratch);
  }
}

}  // namespace
}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(solve_lower_kernel);
}  // namespace

void solve_lower(Index lanes, const SolveSizes& sizes, const LaneOperand& l, const LaneOperand& b,
                 double* out, double* scratch) {
  if (sizes.n == 0 || sizes.cols == 0) return;
  HWY_DYNAMIC_DISPATCH(solve_lower_kernel)(lanes, sizes, l, b, out, scratch);
}

Index solve_lower_scratch(Index n, Index cols) {
  if (cols == 1) return n;  // reciprocal pivots of a lane
  const Index whole = n + 8;
  return whole * (whole + 1 + 24);
}

}  // namespace credo::numerics
#endif
