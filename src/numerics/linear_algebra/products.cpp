// Products of dense matrices.
//
// Across: tiles of elements, each a vector of lanes, read where they lie. Along: one lane at a
// time; rows of A are packed to panels [inner][rows], columns of B to [inner][columns], in blocks
// of the inner index so that a panel stays in the first cache. A block continues the chains of the
// one before through `out`, so the blocks don't show in the result.
#include "base/stop.hpp"
#include "numerics/linear_algebra/dense.hpp"
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/linear_algebra/products.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "numerics/simd/dense-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics::HWY_NAMESPACE {
namespace {

constexpr Index kInnerBlock = 256;   // a panel of 24 rows: 48 KiB
constexpr Index kColumnBlock = 512;  // a block of B: 1 MiB

// ---- across

template <Read RA, Read RB, class D>
void multiply_across(D d, Index lanes, const ProductSizes& sizes, const LaneOperand& a,
                     const LaneOperand& b, double* out) {
  const Index ea = RA == Read::spread ? 1 : lanes, eb = RB == Read::spread ? 1 : lanes;
  for (Index j = 0; j < sizes.cols; j += kAcrossCols) {
    with_count<kAcrossCols>(std::min<Index>(kAcrossCols, sizes.cols - j), [&](auto nr) HWY_ATTR {
      const Walk right{b.data + j * b.col * eb, b.col * eb, b.row * eb};
      for (Index i = 0; i < sizes.rows; i += kAcrossRows) {
        with_count<kAcrossRows>(
            std::min<Index>(kAcrossRows, sizes.rows - i), [&](auto mr) HWY_ATTR {
              Tile<D, decltype(mr)::value, decltype(nr)::value> tile;
              clear(d, tile);
              const Walk left{a.data + i * a.row * ea, a.row * ea, a.col * ea};
              accumulate<RA, RB, false>(d, sizes.inner, left, right, tile);
              store(d, tile, out + (i + j * sizes.rows) * lanes, lanes, sizes.rows * lanes);
            });
      }
    });
  }
}

// The operand as one group of lanes sees it.
LaneOperand at_lane(LaneOperand operand, Index lane) {
  if (!operand.shared) operand.data += lane;
  return operand;
}

void multiply_lanes(Index lanes, const ProductSizes& sizes, const LaneOperand& a,
                    const LaneOperand& b, double* out) {
  for_lane_groups(lanes, [&](auto d, Index lane) HWY_ATTR {
    const LaneOperand left = at_lane(a, lane), right = at_lane(b, lane);
    if (a.shared && b.shared) {
      multiply_across<Read::spread, Read::spread>(d, lanes, sizes, left, right, out + lane);
    } else if (a.shared) {
      multiply_across<Read::spread, Read::vector>(d, lanes, sizes, left, right, out + lane);
    } else if (b.shared) {
      multiply_across<Read::vector, Read::spread>(d, lanes, sizes, left, right, out + lane);
    } else {
      multiply_across<Read::vector, Read::vector>(d, lanes, sizes, left, right, out + lane);
    }
  });
}

// ---- along

// One lane's elements, strides in doubles.
struct OneLane {
  const double* data;
  Index row, col;
};
OneLane one_lane(const LaneOperand& operand, Index lanes, Index lane) {
  const Index step = operand.shared ? 1 : lanes;
  return {operand.data + (operand.shared ? 0 : lane), operand.row * step, operand.col * step};
}

// to[p][width]: `lines` rows of `from`, the rest zeros.
void pack(const OneLane& from, Index lines, Index depth, Index width, double* to) {
  if (from.row == 1 || from.col != 1) {
    for (Index p = 0; p < depth; ++p) {
      for (Index r = 0; r < lines; ++r) to[p * width + r] = from.data[r * from.row + p * from.col];
      std::fill(to + p * width + lines, to + (p + 1) * width, 0.0);
    }
    return;
  }
  for (Index r = 0; r < width; ++r) {
    for (Index p = 0; p < depth; ++p)
      to[p * width + r] = r < lines ? from.data[r * from.row + p] : 0.0;
  }
}

// One lane's product and where a block of it is.
struct Block {
  double* out;  // element (i, j) at (i + j * rows) * lanes
  Index rows, lanes;
  Index depth;  // depth of this block of the inner index
  bool first;   // chains start here
};

template <int kVectors>
void multiply_panel(const Block& block, Index i, Index num_rows, Index j, Index num_cols,
                    const double* left, const double* right) {
  const AlongTag d;
  constexpr Index kHeight = kVectors * kWidth;
  HWY_ALIGN double buffer[kHeight * kAlongCols];
  Tile<AlongTag, kVectors, kAlongCols> tile;
  const auto at = [&](Index r, Index c) -> double& {
    return block.out[(i + r + (j + c) * block.rows) * block.lanes];
  };
  if (block.first) {
    clear(d, tile);
  } else {
    for (Index c = 0; c < kAlongCols; ++c) {
      for (Index r = 0; r < kHeight; ++r)
        buffer[c * kHeight + r] = r < num_rows && c < num_cols ? at(r, c) : 0.0;
    }
    load<Read::vector>(d, buffer, kWidth, kHeight, tile);
  }
  accumulate<Read::vector, Read::spread, false>(d, block.depth, Walk{left, kWidth, kHeight},
                                                Walk{right, 1, kAlongCols}, tile);
  if (num_rows == kHeight && num_cols == kAlongCols && block.lanes == 1) {
    return store(d, tile, &at(0, 0), kWidth, block.rows);
  }
  store(d, tile, buffer, kWidth, kHeight);
  for (Index c = 0; c < num_cols; ++c) {
    for (Index r = 0; r < num_rows; ++r) at(r, c) = buffer[c * kHeight + r];
  }
}

// All of one panel of rows against the packed columns j ... j + num_cols - 1.
void multiply_rows(const Block& block, const OneLane& a, Index i, Index j, Index num_cols,
                   const double* packed, double* panel) {
  const Index num_rows = std::min<Index>(kPanel, block.rows - i);
  with_count<kAlongVectors>((num_rows + kWidth - 1) / kWidth, [&](auto vectors) HWY_ATTR {
    pack(a, num_rows, block.depth, decltype(vectors)::value * kWidth, panel);
    for (Index c = 0; c < num_cols; c += kAlongCols) {
      multiply_panel<decltype(vectors)::value>(block, i, num_rows, j + c,
                                               std::min<Index>(kAlongCols, num_cols - c), panel,
                                               packed + c * block.depth);
    }
  });
}

void multiply_one(const ProductSizes& sizes, const OneLane& a, const OneLane& b, Index lanes,
                  double* out, double* scratch) {
  double* panel = scratch;
  double* packed = scratch + kPanel * kInnerBlock;
  for (Index j = 0; j < sizes.cols; j += kColumnBlock) {
    const Index num_cols = std::min(kColumnBlock, sizes.cols - j);
    for (Index p = 0; p < sizes.inner; p += kInnerBlock) {
      const Block block{out, sizes.rows, lanes, std::min(kInnerBlock, sizes.inner - p), p == 0};
      for (Index c = 0; c < num_cols; c += kAlongCols) {
        const OneLane columns{b.data + (j + c) * b.col + p * b.row, b.col, b.row};
        pack(columns, std::min<Index>(kAlongCols, num_cols - c), block.depth, kAlongCols,
             packed + c * block.depth);
      }
      for (Index i = 0; i < sizes.rows; i += kPanel) {
        stop_if_asked();
        const OneLane rows{a.data + i * a.row + p * a.col, a.row, a.col};
        multiply_rows(block, rows, i, j, num_cols, packed, panel);
      }
    }
  }
}

// Unpacking pays from this many multiplications of a lane on: measured (bench/linear_algebra). Bits
// don't depend on it.
bool worth_unpacking(Index lanes, const ProductSizes& sizes) {
  if (sizes.rows < kWidth || sizes.inner == 0) return false;
  const Index across_width = std::min<Index>(lanes, kWidth);
  const double limit =
      across_width == kWidth ? 3e5 : 6e2 * static_cast<double>(across_width * across_width);
  return static_cast<double>(sizes.rows) * static_cast<double>(sizes.inner) *
             static_cast<double>(sizes.cols) >
         limit;
}

void multiply_kernel(Index lanes, const ProductSizes& sizes, const LaneOperand& a,
                     const LaneOperand& b, double* out, double* scratch) {
  if (!worth_unpacking(lanes, sizes)) return multiply_lanes(lanes, sizes, a, b, out);
  for (Index lane = 0; lane < lanes; ++lane) {
    multiply_one(sizes, one_lane(a, lanes, lane), one_lane(b, lanes, lane), lanes, out + lane,
                 scratch);
  }
}

// ---- -A B', the lower triangle

template <class D>
void lower_outer_across(D d, Index lanes, Index n, Index inner, const LaneOperand& a,
                        const LaneOperand& b, double* out) {
  const Index ea = a.shared ? 1 : lanes, eb = b.shared ? 1 : lanes;
  const auto at = [&](const LaneOperand& m, Index e, Index i, Index p) HWY_ATTR {
    const double* from = m.data + (i * m.row + p * m.col) * e;
    return m.shared ? hn::Set(d, *from) : hn::LoadU(d, from);
  };
  for (Index j = 0; j < n; ++j) {
    stop_if_asked();
    double* column = out + j * n * lanes;
    for (Index i = 0; i < j; ++i) hn::StoreU(hn::Zero(d), d, column + i * lanes);
    for (Index i = j; i < n; ++i) {
      auto total = hn::Zero(d);
      for (Index p = 0; p < inner; ++p)
        total = hn::NegMulAdd(at(a, ea, i, p), at(b, eb, j, p), total);
      hn::StoreU(total, d, column + i * lanes);
    }
  }
}

// One column at a time, vectors along the rows; the rows past the end are the next column's.
void lower_outer_along(Index n, Index inner, const double* a, const double* b, double* out) {
  const AlongTag d;
  for (Index j = 0; j < n; ++j) {
    stop_if_asked();
    double* column = out + j * n;
    std::fill_n(column, j, 0.0);
    std::fill_n(column + j, n - j, 0.0);
    for (Index p = 0; p < inner; ++p) {
      const auto factor = hn::Set(d, b[j + p * n]);
      Index i = j;
      for (; i + kWidth <= n; i += kWidth) {
        hn::StoreU(hn::NegMulAdd(hn::LoadU(d, a + i + p * n), factor, hn::LoadU(d, column + i)), d,
                   column + i);
      }
      const hn::CappedTag<double, 1> one;
      for (; i < n; ++i) {
        const auto left = hn::LoadU(one, a + i + p * n), right = hn::LoadU(one, b + j + p * n);
        hn::StoreU(hn::NegMulAdd(left, right, hn::LoadU(one, column + i)), one, column + i);
      }
    }
  }
}

void lower_outer_kernel(Index lanes, Index n, Index inner, const LaneOperand& a,
                        const LaneOperand& b, double* out) {
  if (lanes == 1) return lower_outer_along(n, inner, a.data, b.data, out);
  for_lane_groups(lanes, [&](auto d, Index lane) HWY_ATTR {
    lower_outer_across(d, lanes, n, inner, at_lane(a, lane), at_lane(b, lane), out + lane);
  });
}

}  // namespace
}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(multiply_kernel);
HWY_EXPORT(lower_outer_kernel);
constexpr Index kLargestPanel = 24, kLargestTile = 8;
}  // namespace

void multiply(Index lanes, const ProductSizes& sizes, const LaneOperand& a, const LaneOperand& b,
              double* out, double* scratch) {
  HWY_DYNAMIC_DISPATCH(multiply_kernel)(lanes, sizes, a, b, out, scratch);
}

Index multiply_scratch(const ProductSizes& sizes) {
  const Index columns = std::min<Index>(512, sizes.cols + kLargestTile);
  return kLargestPanel * 256 + columns * 256;
}

void lower_outer(Index lanes, Index n, Index inner, const LaneOperand& a, const LaneOperand& b,
                 double* out) {
  HWY_DYNAMIC_DISPATCH(lower_outer_kernel)(lanes, n, inner, a, b, out);
}

}  // namespace credo::numerics
#endif
