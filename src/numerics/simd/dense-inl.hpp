// Tiles of dense linear algebra, per SIMD target.
//
// A tile is MR x NR vectors of accumulators. A vector holds either the lanes of one element
// ("across") or some rows of one lane ("along"); the inner loop is the same: each accumulator is a
// chain of fused multiply-adds over the inner index. An operand is read as a vector or spread from
// one number.
#if defined(CREDO_NUMERICS_SIMD_DENSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_DENSE_INL
#undef CREDO_NUMERICS_SIMD_DENSE_INL
#else
#define CREDO_NUMERICS_SIMD_DENSE_INL
#endif

#include "hwy/highway.h"

#include "numerics/linear_algebra/dense.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lambdas of this target that must disappear into their caller.
#define CREDO_TILE_LAMBDA HWY_ATTR __attribute__((always_inline))

using AlongTag = hn::ScalableTag<double>;
inline constexpr bool kWideRegisterFile = HWY_TARGET <= HWY_AVX3;  // 32 registers, else 16
inline constexpr int kWidth = static_cast<int>(HWY_MAX_BYTES / sizeof(double));
// Across: rows and columns of a tile.
inline constexpr int kAcrossRows = kWideRegisterFile ? 4 : 2, kAcrossCols = 4;
// Along: vectors of rows and columns of a tile; a panel has kPanel rows, a multiple of kAlongCols.
inline constexpr int kAlongVectors = kWidth == 2 ? 2 : 3, kAlongCols = kWidth == 8 ? 8 : 4;
inline constexpr int kPanel = kAlongVectors * kWidth;

// A loop with a constant count, unrolled whole so that arrays of vectors stay in registers.
#if HWY_COMPILER_CLANG
#define CREDO_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CREDO_UNROLL _Pragma("GCC unroll 16")
#endif

// f(count) with a compile-time count 1 ... N.
template <int N, class F>
HWY_INLINE void with_count(Index count, F f) {
  if (count == N) return f(std::integral_constant<int, N>());
  if constexpr (N > 1) with_count<N - 1>(count, f);
}

enum class Read { vector, spread };

template <Read R, class D>
HWY_INLINE hn::Vec<D> read(D d, const double* p) {
  if constexpr (R == Read::spread) return hn::Set(d, *p);
  if constexpr (R == Read::vector) return hn::LoadU(d, p);
}

// Layout of a tile's operand, in doubles: `line` leads from one row (or column) of the tile
// to the next, `step` along the inner index.
struct Walk {
  const double* at;
  Index line, step;
};

template <class D, int MR, int NR>
struct Tile {
  hn::Vec<D> v[MR][NR];
};

template <int MR, int NR, class D>
HWY_INLINE void clear(D d, Tile<D, MR, NR>& tile) {
  CREDO_UNROLL
  for (int c = 0; c < NR; ++c) {
    CREDO_UNROLL
    for (int r = 0; r < MR; ++r) tile.v[r][c] = hn::Zero(d);
  }
}
template <Read R, int MR, int NR, class D>
HWY_INLINE void load(D d, const double* from, Index row, Index col, Tile<D, MR, NR>& tile) {
  CREDO_UNROLL
  for (int c = 0; c < NR; ++c) {
    CREDO_UNROLL
    for (int r = 0; r < MR; ++r) tile.v[r][c] = read<R>(d, from + r * row + c * col);
  }
}
template <int MR, int NR, class D>
HWY_INLINE void store(D d, const Tile<D, MR, NR>& tile, double* to, Index row, Index col) {
  CREDO_UNROLL
  for (int c = 0; c < NR; ++c) {
    CREDO_UNROLL
    for (int r = 0; r < MR; ++r) hn::StoreU(tile.v[r][c], d, to + r * row + c * col);
  }
}

// tile += A B, or -= A B, over `depth` steps in order.
template <Read RA, Read RB, bool kSubtract, int MR, int NR, class D>
HWY_INLINE void accumulate(D d, Index depth, Walk a, Walk b, Tile<D, MR, NR>& tile) {
  Tile<D, MR, NR> sum = tile;  // in registers, whatever may alias `tile`
  for (Index p = 0; p < depth; ++p) {
    hn::Vec<D> left[MR];
    CREDO_UNROLL
    for (int r = 0; r < MR; ++r) left[r] = read<RA>(d, a.at + r * a.line);
    CREDO_UNROLL
    for (int c = 0; c < NR; ++c) {
      const auto right = read<RB>(d, b.at + c * b.line);
      CREDO_UNROLL
      for (int r = 0; r < MR; ++r) {
        sum.v[r][c] = kSubtract ? hn::NegMulAdd(left[r], right, sum.v[r][c])
                                : hn::MulAdd(left[r], right, sum.v[r][c]);
      }
    }
    a.at += a.step;
    b.at += b.step;
  }
  tile = sum;
}

// The rest of a solve Y T' = B inside a tile whose columns are those of a diagonal block of T:
// t(c, q) at block[c * row + q * col], reciprocal pivots at inverse[c * step].
template <Read R, int MR, int NR, class D>
HWY_INLINE void solve_in_tile(D d, Tile<D, MR, NR>& tile, const double* block, Index row, Index col,
                              const double* inverse, Index step) {
  CREDO_UNROLL
  for (int c = 0; c < NR; ++c) {
    CREDO_UNROLL
    for (int q = 0; q < NR; ++q) {
      if (q >= c) continue;
      const auto factor = read<R>(d, block + c * row + q * col);
      CREDO_UNROLL
      for (int r = 0; r < MR; ++r) tile.v[r][c] = hn::NegMulAdd(tile.v[r][q], factor, tile.v[r][c]);
    }
    const auto reciprocal = read<R>(d, inverse + c * step);
    CREDO_UNROLL
    for (int r = 0; r < MR; ++r) tile.v[r][c] = hn::Mul(tile.v[r][c], reciprocal);
  }
}

// Runs f(d, lane) for groups of lanes that fill a vector: one vector of `lanes`, or several.
template <class F>
HWY_INLINE void for_lane_groups(Index lanes, F f) {
  if constexpr (kWidth >= 8) {
    if (lanes == 8) return f(hn::CappedTag<double, 8>(), Index{0});
  }
  if constexpr (kWidth >= 4) {
    const hn::CappedTag<double, 4> d;
    if (lanes == 4) return f(d, Index{0});
    if (lanes == 8) return f(d, Index{0}), f(d, Index{4});
  }
  if (lanes == 1) return f(hn::CappedTag<double, 1>(), Index{0});
  const hn::CappedTag<double, 2> d;
  for (Index lane = 0; lane < lanes; lane += 2) f(d, lane);
}

}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
