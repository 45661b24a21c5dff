// Products of a matrix and a vector, at the speed of memory.
//
// A x adds the columns in order; A' x takes eight partial sums by row modulo 8 in blocks of 1024
// rows, the order of graph::dot. Across: a vector holds the lanes of one row; a matrix that is the
// same for all lanes is read once, number by number. Along: a vector holds rows; lanes that don't
// fill a vector are taken apart first, and still share the loads of a shared matrix.
#include "numerics/linear_algebra/dense.hpp"
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/linear_algebra/matrix_vector.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "numerics/simd/dense-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics::HWY_NAMESPACE {
namespace {

constexpr Index kSumBlock = 1024;  // rows of a block of A' x, as in graph/reduce-inl.hpp
constexpr Index kPartials = 8;
constexpr Index kRowBlock = 256;  // rows whose results stay in the first cache

struct Product {
  Index lanes, rows, cols;
  const double* a;
  const double* x;
  bool shared_a, shared_x;
  double* out;
};

double joined(const double* p, Index step) {
  return ((p[0] + p[4 * step]) + (p[2 * step] + p[6 * step])) +
         ((p[step] + p[5 * step]) + (p[3 * step] + p[7 * step]));
}

// ---- A x, across

// out[rows] += (or =) kCols columns times their coefficients.
template <int kCols, Read RA, class D>
HWY_INLINE void add_columns_across(D d, const Product& m, Index begin, Index end, Index col,
                                   bool first) {
  const Index ea = RA == Read::spread ? 1 : m.lanes, ex = m.shared_x ? 1 : m.lanes;
  hn::Vec<D> factor[kCols];
  unrolled<kCols>([&](auto c) CREDO_TILE_LAMBDA {
    const double* x = m.x + (col + c) * ex;
    factor[c] = m.shared_x ? hn::Set(d, *x) : hn::LoadU(d, x);
  });
  const double* a = m.a + (begin + col * m.rows) * ea;
  const Index next = m.rows * ea;
  for (Index i = begin; i < end; ++i, a += ea) {
    auto total = first ? hn::Zero(d) : hn::LoadU(d, m.out + i * m.lanes);
    unrolled<kCols>([&](auto c) CREDO_TILE_LAMBDA {
      total = hn::MulAdd(read<RA>(d, a + c * next), factor[c], total);
    });
    hn::StoreU(total, d, m.out + i * m.lanes);
  }
}

template <Read RA, class D>
void multiply_across(D d, const Product& m) {
  constexpr int kCols = 8;
  for (Index begin = 0; begin < m.rows; begin += kRowBlock) {
    const Index end = std::min(m.rows, begin + kRowBlock);
    for (Index col = 0; col < m.cols; col += kCols) {
      with_count<kCols>(std::min<Index>(kCols, m.cols - col), [&](auto count) HWY_ATTR {
        add_columns_across<decltype(count)::value, RA>(d, m, begin, end, col, col == 0);
      });
    }
  }
}

// ---- A x, along

// y[lane][row of the block] += kCols columns times their coefficients; reads up to a vector past
// the end of a column.
template <int kCols, int kLanes>
HWY_INLINE void add_columns_along(const Product& m, Index begin, Index count, Index col,
                                  double* y) {
  const AlongTag d;
  hn::Vec<decltype(d)> factor[kLanes][kCols];
  const Index ex = m.shared_x ? 1 : m.lanes;
  unrolled<kLanes>([&](auto l) CREDO_TILE_LAMBDA {
    unrolled<kCols>([&](auto c) CREDO_TILE_LAMBDA {
      factor[l][c] = hn::Set(d, m.x[(col + c) * ex + (m.shared_x ? 0 : l)]);
    });
  });
  const double* a = m.a + begin + col * m.rows;
  for (Index i = 0; i < count; i += kWidth) {
    hn::Vec<decltype(d)> column[kCols];
    unrolled<kCols>([&](auto c)
                        CREDO_TILE_LAMBDA { column[c] = hn::LoadU(d, a + i + c * m.rows); });
    unrolled<kLanes>([&](auto l) CREDO_TILE_LAMBDA {
      auto total = hn::Load(d, y + l * kRowBlock + i);
      unrolled<kCols>(
          [&](auto c) CREDO_TILE_LAMBDA { total = hn::MulAdd(column[c], factor[l][c], total); });
      hn::Store(total, d, y + l * kRowBlock + i);
    });
  }
}

// out[i][lane] = apart[lane][i]
template <int kLanes>
HWY_INLINE void join_lanes(const double* apart, Index stride, Index count, double* out) {
  const AlongTag d;
  Index i = 0;
  if constexpr (kLanes == 1) return std::copy_n(apart, count, out), void();
  for (; i + kWidth <= count; i += kWidth) {
    const double* from = apart + i;
    if constexpr (kLanes == 2)
      hn::StoreInterleaved2(hn::LoadU(d, from), hn::LoadU(d, from + stride), d, out + 2 * i);
    if constexpr (kLanes == 4) {
      hn::StoreInterleaved4(hn::LoadU(d, from), hn::LoadU(d, from + stride),
                            hn::LoadU(d, from + 2 * stride), hn::LoadU(d, from + 3 * stride), d,
                            out + 4 * i);
    }
  }
  for (; i < count; ++i) {
    for (Index l = 0; l < kLanes; ++l) out[i * kLanes + l] = apart[l * stride + i];
  }
}

// apart[lane][i] = in[i][lane]
template <int kLanes>
HWY_INLINE void part_lanes(const double* in, Index stride, Index count, double* apart) {
  const AlongTag d;
  Index i = 0;
  if constexpr (kLanes == 1) return std::copy_n(in, count, apart), void();
  for (; i + kWidth <= count; i += kWidth) {
    hn::Vec<AlongTag> v[4];
    if constexpr (kLanes == 2) hn::LoadInterleaved2(d, in + 2 * i, v[0], v[1]);
    if constexpr (kLanes == 4) hn::LoadInterleaved4(d, in + 4 * i, v[0], v[1], v[2], v[3]);
    unrolled<kLanes>([&](auto l)
                         CREDO_TILE_LAMBDA { hn::StoreU(v[l], d, apart + l * stride + i); });
  }
  for (; i < count; ++i) {
    for (Index l = 0; l < kLanes; ++l) apart[l * stride + i] = in[i * kLanes + l];
  }
}

template <int kLanes>
void multiply_along(const Product& m) {
  constexpr int kCols = kLanes == 1 ? 8 : 4;
  HWY_ALIGN double y[kLanes * kRowBlock];
  for (Index begin = 0; begin < m.rows; begin += kRowBlock) {
    const Index count = std::min(kRowBlock, m.rows - begin);
    std::fill_n(y, kLanes * kRowBlock, 0.0);
    for (Index col = 0; col < m.cols; col += kCols) {
      with_count<kCols>(std::min<Index>(kCols, m.cols - col), [&](auto cols) HWY_ATTR {
        add_columns_along<decltype(cols)::value, kLanes>(m, begin, count, col, y);
      });
    }
    join_lanes<kLanes>(y, kRowBlock, count, m.out + begin * kLanes);
  }
}

// ---- A' x, across

// Sums of kCols columns over one block of rows.
template <int kCols, Read RA, class D>
HWY_INLINE void dot_columns_across(D d, const Product& m, Index begin, Index count, Index col) {
  const Index ea = RA == Read::spread ? 1 : m.lanes, ex = m.shared_x ? 1 : m.lanes;
  const Index next = m.rows * ea;
  Tile<D, kPartials, kCols> tile;
  clear(d, tile);
  const double* a = m.a + (begin + col * m.rows) * ea;
  const double* x = m.x + begin * ex;
  const auto value = [&](Index k) CREDO_TILE_LAMBDA {
    return m.shared_x ? hn::Set(d, x[k]) : hn::LoadU(d, x + k * ex);
  };
  Index i = 0;
  for (; i + kPartials <= count; i += kPartials, a += kPartials * ea, x += kPartials * ex) {
    unrolled<kPartials>([&](auto k) CREDO_TILE_LAMBDA {
      const auto right = value(k);
      unrolled<kCols>([&](auto c) CREDO_TILE_LAMBDA {
        tile.v[k][c] = hn::MulAdd(read<RA>(d, a + c * next + k * ea), right, tile.v[k][c]);
      });
    });
  }
  const Index rest = count - i;
  if (rest > 0) {  // a tail is filled up with zeros
    unrolled<kPartials>([&](auto k) CREDO_TILE_LAMBDA {
      const bool there = k < rest;
      const auto right = there ? value(k) : hn::Zero(d);
      unrolled<kCols>([&](auto c) CREDO_TILE_LAMBDA {
        const auto left = there ? read<RA>(d, a + c * next + k * ea) : hn::Zero(d);
        tile.v[k][c] = hn::MulAdd(left, right, tile.v[k][c]);
      });
    });
  }
  unrolled<kCols>([&](auto c) CREDO_TILE_LAMBDA {
    const auto total =
        hn::Add(hn::Add(hn::Add(tile.v[0][c], tile.v[4][c]), hn::Add(tile.v[2][c], tile.v[6][c])),
                hn::Add(hn::Add(tile.v[1][c], tile.v[5][c]), hn::Add(tile.v[3][c], tile.v[7][c])));
    double* out = m.out + (col + c) * m.lanes;
    hn::StoreU(hn::Add(begin == 0 ? hn::Zero(d) : hn::LoadU(d, out), total), d, out);
  });
}

template <Read RA, class D>
void dots_across(D d, const Product& m) {
  constexpr int kCols = kWideRegisterFile ? 3 : 1;
  if (m.rows == 0) {
    for (Index col = 0; col < m.cols; ++col) hn::StoreU(hn::Zero(d), d, m.out + col * m.lanes);
  }
  for (Index begin = 0; begin < m.rows; begin += kSumBlock) {
    const Index count = std::min(kSumBlock, m.rows - begin);
    for (Index col = 0; col < m.cols; col += kCols) {
      with_count<kCols>(std::min<Index>(kCols, m.cols - col), [&](auto cols) HWY_ATTR {
        dot_columns_across<decltype(cols)::value, RA>(d, m, begin, count, col);
      });
    }
  }
}

// ---- A' x, along

// Partial sums of kCols columns and kLanes lanes; x[lane][row of the block], filled up with zeros.
template <int kCols, int kLanes>
HWY_INLINE void dot_columns_along(const Product& m, Index begin, Index count, Index col,
                                  const double* x) {
  const AlongTag d;
  HWY_ALIGN double partials[kLanes * kCols * kPartials];
  const Index whole = count / kPartials * kPartials;
  const double* a = m.a + begin + col * m.rows;
  for (Index part = 0; part < kPartials; part += kWidth) {
    Tile<AlongTag, kLanes, kCols> tile;
    clear(d, tile);
    accumulate<Read::vector, Read::vector, false>(d, whole / kPartials,
                                                  Walk{x + part, kSumBlock, kPartials},
                                                  Walk{a + part, m.rows, kPartials}, tile);
    if (whole < count) {
      HWY_ALIGN double rest[kCols * kPartials] = {};
      for (Index c = 0; c < kCols; ++c) {
        for (Index i = whole; i < count; ++i) rest[c * kPartials + i - whole] = a[c * m.rows + i];
      }
      accumulate<Read::vector, Read::vector, false>(d, 1, Walk{x + whole + part, kSumBlock, 0},
                                                    Walk{rest + part, kPartials, 0}, tile);
    }
    store(d, tile, partials + part, kCols * kPartials, kPartials);
  }
  for (Index l = 0; l < kLanes; ++l) {
    for (Index c = 0; c < kCols; ++c) {
      double& out = m.out[(col + c) * m.lanes + l];
      out = (begin == 0 ? 0.0 : out) + joined(partials + (l * kCols + c) * kPartials, 1);
    }
  }
}

template <int kLanes>
void dots_along(const Product& m) {
  constexpr int kCols = kLanes == 1 ? 8 : 4;
  HWY_ALIGN double x[kLanes * kSumBlock];
  if (m.rows == 0) std::fill_n(m.out, m.cols * m.lanes, 0.0);
  for (Index begin = 0; begin < m.rows; begin += kSumBlock) {
    const Index count = std::min(kSumBlock, m.rows - begin);
    const Index filled = std::min(kSumBlock, (count + kPartials - 1) / kPartials * kPartials);
    if (!m.shared_x) part_lanes<kLanes>(m.x + begin * kLanes, kSumBlock, count, x);
    for (Index l = 0; l < kLanes; ++l) {
      if (m.shared_x) std::copy_n(m.x + begin, count, x + l * kSumBlock);
      std::fill(x + l * kSumBlock + count, x + l * kSumBlock + filled, 0.0);
    }
    for (Index col = 0; col < m.cols; col += kCols) {
      with_count<kCols>(std::min<Index>(kCols, m.cols - col), [&](auto cols) HWY_ATTR {
        dot_columns_along<decltype(cols)::value, kLanes>(m, begin, count, col, x);
      });
    }
  }
}

// ---- choice: it changes no bit

Product lane_group(Product m, Index lane) {
  if (!m.shared_a) m.a += lane;
  if (!m.shared_x) m.x += lane;
  m.out += lane;
  return m;
}

void multiply_vector_kernel(Index lanes, Index rows, Index cols, const LaneOperand& a,
                            const LaneOperand& x, double* out) {
  const Product m{lanes, rows, cols, a.data, x.data, a.shared, x.shared, out};
  if (m.lanes == 1) return multiply_along<1>(m);
  if (m.shared_a && m.lanes < kWidth) {
    if (m.lanes == 2) return multiply_along<2>(m);
    if (kWidth > 4 && m.lanes == 4) return multiply_along<4>(m);
  }
  for_lane_groups(m.lanes, [&](auto d, Index lane) HWY_ATTR {
    if (m.shared_a) return multiply_across<Read::spread>(d, lane_group(m, lane));
    multiply_across<Read::vector>(d, lane_group(m, lane));
  });
}

void multiply_vector_transposed_kernel(Index lanes, Index rows, Index cols, const LaneOperand& a,
                                       const LaneOperand& x, double* out) {
  const Product m{lanes, rows, cols, a.data, x.data, a.shared, x.shared, out};
  if (m.lanes == 1) return dots_along<1>(m);
  if (m.shared_a && m.lanes < kWidth) {
    if (m.lanes == 2) return dots_along<2>(m);
    if (kWidth > 4 && m.lanes == 4) return dots_along<4>(m);
  }
  for_lane_groups(m.lanes, [&](auto d, Index lane) HWY_ATTR {
    if (m.shared_a) return dots_across<Read::spread>(d, lane_group(m, lane));
    dots_across<Read::vector>(d, lane_group(m, lane));
  });
}

}  // namespace
}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(multiply_vector_kernel);
HWY_EXPORT(multiply_vector_transposed_kernel);
}  // namespace

void multiply_vector(Index lanes, Index rows, Index cols, const LaneOperand& a,
                     const LaneOperand& x, double* out) {
  HWY_DYNAMIC_DISPATCH(multiply_vector_kernel)(lanes, rows, cols, a, x, out);
}

void multiply_vector_transposed(Index lanes, Index rows, Index cols, const LaneOperand& a,
                                const LaneOperand& x, double* out) {
  HWY_DYNAMIC_DISPATCH(multiply_vector_transposed_kernel)(lanes, rows, cols, a, x, out);
}

}  // namespace credo::numerics
#endif
