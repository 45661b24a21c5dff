// Cholesky factor and its adjoint.
//
// Both go by blocks of columns and read the finished columns: a tile starts from its elements,
// runs its chains over the finished columns, and ends with a solve against the diagonal block.
// Along, the matrix lies in panels of kPanel rows, [column][row]; it is filled up with the unit
// matrix.
#include "base/stop.hpp"
#include "numerics/linear_algebra/dense.hpp"
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/linear_algebra/factors.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "numerics/simd/dense-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics::HWY_NAMESPACE {
namespace {

constexpr double kNotPositive = std::numeric_limits<double>::quiet_NaN();

template <class D>
HWY_INLINE hn::Vec<D> pivot_root(D d, hn::Vec<D> rest) {
  return hn::IfThenElse(hn::Gt(rest, hn::Zero(d)), hn::Sqrt(rest), hn::Set(d, kNotPositive));
}

// ---- across: column-major matrices of lanes

// The matrices of one group of lanes. `step` doubles lie between elements.
struct Across {
  Index n, step;
  LaneOperand in;     // A, or the adjoint G
  LaneOperand lower;  // L, for the adjoint
  double* out;        // columns are `column` elements apart
  Index column;
  double* inverse;  // reciprocal pivots

  double* at(Index i, Index j) const { return out + (i + j * column) * step; }
};

// Loads elements (i, j) ... of an operand into a tile.
template <int MR, int NR, class D>
HWY_INLINE void load_operand(D d, const LaneOperand& m, Index lanes, Index i, Index j,
                             Tile<D, MR, NR>& tile) {
  const Index step = m.shared ? 1 : lanes;
  const double* from = m.data + (i * m.row + j * m.col) * step;
  if (m.shared) {
    load<Read::spread>(d, from, m.row * step, m.col * step, tile);
  } else {
    load<Read::vector>(d, from, m.row * step, m.col * step, tile);
  }
}

// Diagonal block: chains over the columns before it, then the factor of the rest.
template <int NR, class D>
HWY_INLINE void factor_diagonal(D d, const Across& m, Index j) {
  Tile<D, NR, NR> tile;
  load_operand(d, m.in, m.step, j, j, tile);
  const Walk rows{m.at(j, 0), m.step, m.column * m.step};
  accumulate<Read::vector, Read::vector, true>(d, j, rows, rows, tile);
  CREDO_UNROLL
  for (int c = 0; c < NR; ++c) {
    CREDO_UNROLL
    for (int q = 0; q < NR; ++q) {
      CREDO_UNROLL
      for (int r = 0; r < NR; ++r) {
        if (q < c && r >= c) tile.v[r][c] = hn::NegMulAdd(tile.v[r][q], tile.v[c][q], tile.v[r][c]);
      }
    }
    const auto pivot = pivot_root(d, tile.v[c][c]);
    const auto reciprocal = hn::Div(hn::Set(d, 1.0), pivot);
    hn::StoreU(reciprocal, d, m.inverse + (j + c) * m.step);
    tile.v[c][c] = pivot;
    CREDO_UNROLL
    for (int r = 0; r < NR; ++r) {
      if (r > c) tile.v[r][c] = hn::Mul(tile.v[r][c], reciprocal);
      if (r >= c) hn::StoreU(tile.v[r][c], d, m.at(j + r, j + c));
    }
  }
}

template <int NR, class D>
void factor_block(D d, const Across& m, Index j) {
  for (Index c = j; c < j + NR; ++c) {
    for (Index i = 0; i < c; ++i) hn::StoreU(hn::Zero(d), d, m.at(i, c));
  }
  factor_diagonal<NR>(d, m, j);
  for (Index i = j + NR; i < m.n; i += kAcrossRows) {
    with_count<kAcrossRows>(std::min<Index>(kAcrossRows, m.n - i), [&](auto mr) HWY_ATTR {
      Tile<D, decltype(mr)::value, NR> tile;
      load_operand(d, m.in, m.step, i, j, tile);
      const Index column = m.column * m.step;
      accumulate<Read::vector, Read::vector, true>(d, j, Walk{m.at(i, 0), m.step, column},
                                                   Walk{m.at(j, 0), m.step, column}, tile);
      solve_in_tile<Read::vector>(d, tile, m.at(j, j), m.step, column, m.inverse + j * m.step,
                                  m.step);
      store(d, tile, m.at(i, j), m.step, column);
    });
  }
}

template <class D>
void cholesky_across(D d, const Across& m) {
  for (Index j = 0; j < m.n; j += kAcrossCols) {
    with_count<kAcrossCols>(std::min<Index>(kAcrossCols, m.n - j),
                            [&](auto nr) HWY_ATTR { factor_block<decltype(nr)::value>(d, m, j); });
  }
}

// ---- the adjoint, across: `out` (in scratch) holds S, both triangles

template <int MR, int NR, class D>
HWY_INLINE void store_symmetric(D d, const Tile<D, MR, NR>& tile, const Across& m, Index i,
                                Index j) {
  store(d, tile, m.at(i, j), m.step, m.column * m.step);
  store(d, tile, m.at(j, i), m.column * m.step, m.step);
}

// Runs f(L's elements from (i, j) on, how they are read, strides) whether L is shared or not.
template <class F>
HWY_INLINE void with_lower(const Across& m, Index i, Index j, F f) {
  const LaneOperand& l = m.lower;
  const Index step = l.shared ? 1 : m.step;
  const double* at = l.data + (i * l.row + j * l.col) * step;
  if (l.shared) {
    f(std::integral_constant<Read, Read::spread>(), at, l.row * step, l.col * step);
  } else {
    f(std::integral_constant<Read, Read::vector>(), at, l.row * step, l.col * step);
  }
}

// tile -= S(i.., k) L(k, j..) for k = n - 1, ..., first.
template <int MR, int NR, class D>
HWY_INLINE void subtract_products(D d, const Across& m, Index i, Index j, Index first,
                                  Tile<D, MR, NR>& tile) {
  const Index column = m.column * m.step;
  with_lower(
      m, m.n - 1, j, [&](auto how, const double* at, Index row, Index col) CREDO_TILE_LAMBDA {
        accumulate<Read::vector, decltype(how)::value, true>(
            d, m.n - first, Walk{m.at(i, m.n - 1), m.step, -column}, Walk{at, col, -row}, tile);
      });
}

// Columns j ... j + NR - 1 of S within their own rows.
template <int NR, class D>
HWY_INLINE void adjoint_diagonal(D d, const Across& m, Index j) {
  Tile<D, NR, NR> s, l;
  load_operand(d, m.in, m.step, j, j, s);
  load_operand(d, m.lower, m.step, j, j, l);
  subtract_products(d, m, j, j, j + NR, s);
  CREDO_UNROLL
  for (int c = NR - 1; c >= 0; --c) {
    const auto reciprocal = hn::LoadU(d, m.inverse + (j + c) * m.step);
    const auto finish = [&](int r) CREDO_TILE_LAMBDA {
      CREDO_UNROLL
      for (int k = NR - 1; k >= 0; --k) {  // the upper triangle mirrors the lower one
        if (k > c) s.v[r][c] = hn::NegMulAdd(s.v[r][k], l.v[k][c], s.v[r][c]);
      }
      s.v[r][c] = hn::Mul(s.v[r][c], reciprocal);
      s.v[c][r] = s.v[r][c];
    };
    CREDO_UNROLL
    for (int r = 0; r < NR; ++r) {
      if (r > c) finish(r);
    }
    finish(c);
  }
  store(d, s, m.at(j, j), m.step, m.column * m.step);
}

// The solve in a tile, from the last column to the first: the block and its pivots turned round.
template <int MR, int NR, class D>
HWY_INLINE void solve_backwards(D d, const Across& m, Index j, Tile<D, MR, NR>& tile) {
  with_lower(m, j, j, [&](auto how, const double* at, Index row, Index col) CREDO_TILE_LAMBDA {
    CREDO_UNROLL
    for (int c = NR - 1; c >= 0; --c) {
      CREDO_UNROLL
      for (int k = NR - 1; k >= 0; --k) {
        if (k <= c) continue;
        const auto factor = read<decltype(how)::value>(d, at + k * row + c * col);
        CREDO_UNROLL
        for (int r = 0; r < MR; ++r)
          tile.v[r][c] = hn::NegMulAdd(tile.v[r][k], factor, tile.v[r][c]);
      }
      const auto reciprocal = hn::LoadU(d, m.inverse + (j + c) * m.step);
      CREDO_UNROLL
      for (int r = 0; r < MR; ++r) tile.v[r][c] = hn::Mul(tile.v[r][c], reciprocal);
    }
  });
}

template <int NR, class D>
void adjoint_block(D d, const Across& m, Index j) {
  for (Index i = j + NR; i < m.n; i += kAcrossRows) {
    with_count<kAcrossRows>(std::min<Index>(kAcrossRows, m.n - i), [&](auto mr) HWY_ATTR {
      Tile<D, decltype(mr)::value, NR> tile;
      load_operand(d, m.in, m.step, i, j, tile);
      subtract_products(d, m, i, j, j + NR, tile);
      solve_backwards(d, m, j, tile);
      store_symmetric(d, tile, m, i, j);
    });
  }
  adjoint_diagonal<NR>(d, m, j);
}

// The lower triangle of S, the diagonal halved, zeros above.
template <class D>
void copy_lower(D d, const Across& m, double* out) {
  for (Index j = 0; j < m.n; ++j) {
    double* column = out + j * m.n * m.step;
    for (Index i = 0; i < j; ++i) hn::StoreU(hn::Zero(d), d, column + i * m.step);
    for (Index i = j; i < m.n; ++i) hn::StoreU(hn::LoadU(d, m.at(i, j)), d, column + i * m.step);
    hn::StoreU(hn::Mul(hn::LoadU(d, m.at(j, j)), hn::Set(d, 0.5)), d, column + j * m.step);
  }
}

template <class D>
void cholesky_adjoint_across(D d, const Across& m, double* out) {
  for (Index j = 0; j < m.n; ++j) {
    Tile<D, 1, 1> pivot;
    load_operand(d, m.lower, m.step, j, j, pivot);
    hn::StoreU(hn::Div(hn::Set(d, 1.0), pivot.v[0][0]), d, m.inverse + j * m.step);
  }
  const Index tail = m.n % kAcrossCols;
  with_count<kAcrossCols>(
      tail, [&](auto nr) HWY_ATTR { adjoint_block<decltype(nr)::value>(d, m, m.n - tail); });
  for (Index j = m.n - tail - kAcrossCols; j >= 0; j -= kAcrossCols)
    adjoint_block<kAcrossCols>(d, m, j);
  copy_lower(d, m, out);
}

// ---- along: one lane in panels

struct Panels {
  Index n, columns;  // columns: n filled up to a multiple of kAlongCols
  double* data;
  double* panel(Index i) const { return data + i / kPanel * kPanel * columns; }  // panel of row i
  double* at(Index i, Index j) const { return panel(i) + j * kPanel + i % kPanel; }
  Index num_rows() const { return (n + kPanel - 1) / kPanel * kPanel; }
};
using AlongTile = Tile<AlongTag, kAlongVectors, kAlongCols>;

Panels make_panels(Index n, double* data) {
  return {n, (n + kAlongCols - 1) / kAlongCols * kAlongCols, data};
}

// The lower triangle of one lane to panels, the rest as the unit matrix.
void unpack(const LaneOperand& from, Index lanes, Index lane, const Panels& to) {
  const Index step = from.shared ? 1 : lanes;
  const double* data = from.data + (from.shared ? 0 : lane);
  std::fill_n(to.data, to.num_rows() * to.columns, 0.0);
  for (Index j = 0; j < to.n; ++j) {
    for (Index begin = j / kPanel * kPanel; begin < to.n; begin += kPanel) {
      const Index first = std::max(begin, j), end = std::min(to.n, begin + kPanel);
      double* target = to.panel(begin) + j * kPanel - begin;
      for (Index i = first; i < end; ++i) target[i] = data[(i * from.row + j * from.col) * step];
    }
  }
  for (Index j = to.n; j < to.columns; ++j) *to.at(j, j) = 1.0;
}

void pack_lower(const Panels& from, Index lanes, double* out) {
  for (Index j = 0; j < from.n; ++j) {
    double* column = out + j * from.n * lanes;
    for (Index i = 0; i < j; ++i) column[i * lanes] = 0.0;
    for (Index begin = j / kPanel * kPanel; begin < from.n; begin += kPanel) {
      const Index end = std::min(from.n, begin + kPanel);
      const double* source = from.panel(begin) + j * kPanel - begin;
      for (Index i = std::max(begin, j); i < end; ++i) column[i * lanes] = source[i];
    }
  }
}

// A tile of kPanel rows less the products with the rows of the diagonal block, over j columns.
HWY_INLINE void start_tile(const AlongTag& d, const Panels& m, Index i, Index j, AlongTile& tile) {
  const double* panel = m.panel(i);
  load<Read::vector>(d, panel + j * kPanel, kWidth, kPanel, tile);
  accumulate<Read::vector, Read::spread, true>(d, j, Walk{panel, kWidth, kPanel},
                                               Walk{m.at(j, 0), 1, kPanel}, tile);
}

// The panel of the diagonal block: column by column, each pivot from the stored values. Rows above the
// block hold values that aren't used.
void factor_diagonal_panel(const Panels& m, Index j, double* inverse) {
  const AlongTag d;
  AlongTile tile;
  start_tile(d, m, j, j, tile);
  CREDO_UNROLL
  for (int c = 0; c < kAlongCols; ++c) {
    double* column = m.panel(j) + (j + c) * kPanel;
    CREDO_UNROLL
    for (int q = 0; q < kAlongCols; ++q) {
      if (q >= c) continue;
      const auto factor = hn::Set(d, *m.at(j + c, j + q));
      CREDO_UNROLL
      for (int r = 0; r < kAlongVectors; ++r)
        tile.v[r][c] = hn::NegMulAdd(tile.v[r][q], factor, tile.v[r][c]);
    }
    CREDO_UNROLL
    for (int r = 0; r < kAlongVectors; ++r) hn::StoreU(tile.v[r][c], d, column + r * kWidth);
    const double rest = *m.at(j + c, j + c);
    const double pivot = rest > 0.0 ? std::sqrt(rest) : kNotPositive;
    inverse[c] = 1.0 / pivot;
    CREDO_UNROLL
    for (int r = 0; r < kAlongVectors; ++r) {
      tile.v[r][c] = hn::Mul(tile.v[r][c], hn::Set(d, inverse[c]));
      hn::StoreU(tile.v[r][c], d, column + r * kWidth);
    }
    *m.at(j + c, j + c) = pivot;
  }
}

void cholesky_along(const Panels& m) {
  const AlongTag d;
  for (Index j = 0; j < m.columns; j += kAlongCols) {
    stop_if_asked();
    double inverse[kAlongCols];
    factor_diagonal_panel(m, j, inverse);
    for (Index i = (j / kPanel + 1) * kPanel; i < m.n; i += kPanel) {
      AlongTile tile;
      start_tile(d, m, i, j, tile);
      solve_in_tile<Read::spread>(d, tile, m.at(j, j), 1, kPanel, inverse, 1);
      store(d, tile, m.panel(i) + j * kPanel, kWidth, kPanel);
    }
  }
}

// ---- the adjoint, along: the panels hold S, both triangles

// The part of L that the columns of one block need: rows from the block on, [row][column], and pivots.
struct LowerBlock {
  const double* rows;  // row k at rows + k * kAlongCols
  double inverse[kAlongCols];
  const double* row(Index k) const { return rows + k * kAlongCols; }
};

void take_lower_block(const LaneOperand& l, Index lanes, Index lane, const Panels& m, Index j,
                      double* rows, LowerBlock& block) {
  const Index step = l.shared ? 1 : lanes;
  const double* data = l.data + (l.shared ? 0 : lane);
  std::fill(rows + j * kAlongCols, rows + m.columns * kAlongCols, 0.0);
  for (Index c = 0; c < kAlongCols; ++c) {
    for (Index k = j + c; k < m.n; ++k)
      rows[k * kAlongCols + c] = data[(k * l.row + (j + c) * l.col) * step];
    if (j + c >= m.n) rows[(j + c) * kAlongCols + c] = 1.0;
    block.inverse[c] = 1.0 / rows[(j + c) * kAlongCols + c];
  }
  block.rows = rows;
}

// Rows of one panel below the block; `tile` starts as G.
HWY_INLINE void adjoint_tile(const AlongTag& d, const Panels& m, const LowerBlock& l, Index i,
                             Index j, AlongTile& tile) {
  const Index depth = m.columns - j - kAlongCols;
  const double* panel = m.panel(i);
  accumulate<Read::vector, Read::spread, true>(
      d, depth, Walk{panel + (m.columns - 1) * kPanel, kWidth, -kPanel},
      Walk{l.row(m.columns - 1), 1, -kAlongCols}, tile);
  CREDO_UNROLL
  for (int c = kAlongCols - 1; c >= 0; --c) {
    CREDO_UNROLL
    for (int k = kAlongCols - 1; k >= 0; --k) {
      if (k <= c) continue;
      const auto factor = hn::Set(d, l.row(j + k)[c]);
      CREDO_UNROLL
      for (int r = 0; r < kAlongVectors; ++r)
        tile.v[r][c] = hn::NegMulAdd(tile.v[r][k], factor, tile.v[r][c]);
    }
    CREDO_UNROLL
    for (int r = 0; r < kAlongVectors; ++r)
      tile.v[r][c] = hn::Mul(tile.v[r][c], hn::Set(d, l.inverse[c]));
  }
}

// Rows i ... i + kPanel - 1 of the finished columns to the rows of the block.
void mirror(const Panels& m, Index i, Index j) {
  const Index first = std::max(i, j + kAlongCols), end = std::min(m.columns, i + kPanel);
  double* target = m.at(j, 0);
  for (Index k = first; k < end; ++k) {
    for (Index c = 0; c < kAlongCols; ++c)
      target[k * kPanel + c] = m.panel(i)[(j + c) * kPanel + k - i];
  }
}

// The block's own rows: chains over the columns behind it by vectors, the rest number by number.
void adjoint_own_rows(const Panels& m, const LowerBlock& l, const double* grad, Index j) {
  const AlongTag d;
  constexpr int kVectors = kAlongCols / kWidth;
  Tile<AlongTag, kVectors, kAlongCols> tile;
  load<Read::vector>(d, grad, kWidth, kAlongCols, tile);
  accumulate<Read::vector, Read::spread, true>(d, m.columns - j - kAlongCols,
                                               Walk{m.at(j, m.columns - 1), kWidth, -kPanel},
                                               Walk{l.row(m.columns - 1), 1, -kAlongCols}, tile);
  const hn::CappedTag<double, 1> one;
  HWY_ALIGN double s[kAlongCols * kAlongCols];  // column-major
  store(d, tile, s, kWidth, kAlongCols);
  for (int c = kAlongCols - 1; c >= 0; --c) {
    for (int step = 1; step <= kAlongCols - c; ++step) {
      const int i = step < kAlongCols - c ? c + step : c;  // the diagonal last
      auto total = hn::Set(one, s[c * kAlongCols + i]);
      for (int k = kAlongCols - 1; k > c; --k) {
        total = hn::NegMulAdd(hn::Set(one, s[k * kAlongCols + i]), hn::Set(one, l.row(j + k)[c]),
                              total);
      }
      const double value = hn::GetLane(total) * l.inverse[c];
      s[c * kAlongCols + i] = s[i * kAlongCols + c] = value;
    }
  }
  for (Index c = 0; c < kAlongCols; ++c) {
    for (Index i = 0; i < kAlongCols; ++i) *m.at(j + i, j + c) = s[c * kAlongCols + i];
  }
}

void adjoint_block_along(const Panels& m, const LowerBlock& l, Index j) {
  const AlongTag d;
  HWY_ALIGN double own[kAlongCols * kAlongCols];
  for (Index c = 0; c < kAlongCols; ++c) {
    for (Index i = 0; i < kAlongCols; ++i) own[c * kAlongCols + i] = *m.at(j + i, j + c);
  }
  for (Index i = j / kPanel * kPanel; i < m.columns; i += kPanel) {
    AlongTile tile;
    load<Read::vector>(d, m.panel(i) + j * kPanel, kWidth, kPanel, tile);
    adjoint_tile(d, m, l, i, j, tile);
    store(d, tile, m.panel(i) + j * kPanel, kWidth, kPanel);
    mirror(m, i, j);
  }
  adjoint_own_rows(m, l, own, j);
}

// ---- choice: it changes no bit

bool across_pays(Index lanes, Index n) {
  if (lanes >= kWidth) return n <= 64;
  return n <= (lanes == 1 ? 12 : std::min<Index>(64, 16 * lanes));
}

LaneOperand at_lane(LaneOperand operand, Index lane) {
  if (!operand.shared) operand.data += lane;
  return operand;
}

void cholesky_kernel(Index lanes, Index n, const LaneOperand& a, double* out, double* scratch) {
  if (across_pays(lanes, n)) {
    for_lane_groups(lanes, [&](auto d, Index lane) HWY_ATTR {
      cholesky_across(d, Across{n, lanes, at_lane(a, lane), {}, out + lane, n, scratch + lane});
    });
    return;
  }
  const Panels panels = make_panels(n, scratch);
  for (Index lane = 0; lane < lanes; ++lane) {
    unpack(a, lanes, lane, panels);
    cholesky_along(panels);
    pack_lower(panels, lanes, out + lane);
  }
}

void cholesky_adjoint_kernel(Index lanes, Index n, const LaneOperand& l, const LaneOperand& grad,
                             double* out, double* scratch) {
  if (across_pays(lanes, n)) {
    for_lane_groups(lanes, [&](auto d, Index lane) HWY_ATTR {
      // an odd number of elements between columns spreads them over the sets of the cache
      cholesky_adjoint_across(d,
                              Across{n, lanes, at_lane(grad, lane), at_lane(l, lane),
                                     scratch + n * lanes + lane, n | 1, scratch + lane},
                              out + lane);
    });
    return;
  }
  const Panels panels = make_panels(n, scratch);
  double* rows = scratch + panels.num_rows() * panels.columns;
  for (Index lane = 0; lane < lanes; ++lane) {
    unpack(grad, lanes, lane, panels);
    for (Index j = panels.columns - kAlongCols; j >= 0; j -= kAlongCols) {
      stop_if_asked();
      LowerBlock block;
      take_lower_block(l, lanes, lane, panels, j, rows, block);
      adjoint_block_along(panels, block, j);
    }
    for (Index j = 0; j < n; ++j) *panels.at(j, j) *= 0.5;
    pack_lower(panels, lanes, out + lane);
  }
}

}  // namespace
}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(cholesky_kernel);
HWY_EXPORT(cholesky_adjoint_kernel);
constexpr Index kLargestPanel = 24, kLargestBlock = 8, kLargestAcross = 64;

Index panel_elements(Index n) {
  return (n + kLargestPanel) * (n + kLargestBlock);  // at least the reciprocal pivots of 8 lanes
}
}  // namespace

void cholesky(Index lanes, Index n, const LaneOperand& a, double* out, double* scratch) {
  HWY_DYNAMIC_DISPATCH(cholesky_kernel)(lanes, n, a, out, scratch);
}
Index cholesky_scratch(Index n) { return panel_elements(n); }

void cholesky_adjoint(Index lanes, Index n, const LaneOperand& l, const LaneOperand& grad,
                      double* out, double* scratch) {
  HWY_DYNAMIC_DISPATCH(cholesky_adjoint_kernel)(lanes, n, l, grad, out, scratch);
}
Index cholesky_adjoint_scratch(Index n) {  // at least S and the reciprocal pivots
  const Index across = n <= kLargestAcross ? n * ((n | 1) + 1) : 0;
  return std::max(across, panel_elements(n) + (n + kLargestBlock) * kLargestBlock);
}

}  // namespace credo::numerics
#endif
