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

constexpr Index kSumBlock = 1024;  // rows of a block of A' x, as in graph/ops/reduce-inl.hpp
constexpr Index kPartials = 8;
constexpr Index kRowBlock = 256;  // rows whose results stay in the first cache

struct Product {
  Index lanes, rows, cols;
  Index stride;  // from column to column; the whole matrix may have more rows
  const double* a;
  const double* x;
  bool shared_a, shared_x;
  double* out;
  bool begins = true;          // A' x: `out` isn't added to
  double* partials = nullptr;  // A' x over a part of a block: sums that live across calls
  bool resumes = false, completes = true;  // a block of sums
  Index panel = kPartials;                 // from eight rows to the next
};

double joined(const double* p, Index step) {
  return ((p[0] + p[4 * step]) + (p[2 * step] + p[6 * step])) +
         ((p[step] + p[5 * step]) + (p[3 * step] + p[7 * step]));
}

// ---- A x, across

// out[rows] += (or =) kCols columns times their coefficients.
template <int kCols, Read RA, class D>
HWY_INLINE void add_columns_across(D d, const Product& m, Index begin, Index end, Index col,
                                   bool first_columns) {
  const Index ea = RA == Read::spread ? 1 : m.lanes, ex = m.shared_x ? 1 : m.lanes;
  hn::Vec<D> factor[kCols];
  CREDO_UNROLL
  for (int c = 0; c < kCols; ++c) {
    const double* x = m.x + (col + c) * ex;
    factor[c] = m.shared_x ? hn::Set(d, *x) : hn::LoadU(d, x);
  }
  const double* panels = m.a + (begin / kPartials * m.panel + col * m.stride) * ea;
  const Index next = m.stride * ea;
  const auto add_to = [&](Index i, const double* a) CREDO_TILE_LAMBDA {
    auto total = first_columns ? hn::Zero(d) : hn::LoadU(d, m.out + i * m.lanes);
    CREDO_UNROLL
    for (int c = 0; c < kCols; ++c) total = hn::MulAdd(read<RA>(d, a + c * next), factor[c], total);
    hn::StoreU(total, d, m.out + i * m.lanes);
  };
  if (m.panel == kPartials) {
    for (Index i = begin; i < end; ++i, panels += ea) add_to(i, panels);
    return;
  }
  for (Index first = begin; first < end; first += kPartials, panels += m.panel * ea) {
    const Index stop = std::min(end, first + kPartials);
    for (Index i = first; i < stop; ++i) add_to(i, panels + (i - first) * ea);
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
  CREDO_UNROLL
  for (int l = 0; l < kLanes; ++l) {
    CREDO_UNROLL
    for (int c = 0; c < kCols; ++c)
      factor[l][c] = hn::Set(d, m.x[(col + c) * ex + (m.shared_x ? 0 : l)]);
  }
  const double* panels = m.a + begin / kPartials * m.panel + col * m.stride;
  const auto add_to = [&](Index i, const double* a) CREDO_TILE_LAMBDA {
    hn::Vec<decltype(d)> column[kCols];
    CREDO_UNROLL
    for (int c = 0; c < kCols; ++c) column[c] = hn::LoadU(d, a + c * m.stride);
    CREDO_UNROLL
    for (int l = 0; l < kLanes; ++l) {
      auto total = hn::Load(d, y + l * kRowBlock + i);
      CREDO_UNROLL
      for (int c = 0; c < kCols; ++c) total = hn::MulAdd(column[c], factor[l][c], total);
      hn::Store(total, d, y + l * kRowBlock + i);
    }
  };
  if (kLanes == 1 || m.panel == kPartials) {  // multiply_all_panels has one lane
    for (Index i = 0; i < count; i += kWidth) add_to(i, panels + i);
    return;
  }
  for (Index first = 0; first < count; first += kPartials, panels += m.panel) {
    const Index end = std::min(count, first + kPartials);
    for (Index i = first; i < end; i += kWidth) add_to(i, panels + (i - first));
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
    CREDO_UNROLL
    for (int l = 0; l < kLanes; ++l) hn::StoreU(v[l], d, apart + l * stride + i);
  }
  for (; i < count; ++i) {
    for (Index l = 0; l < kLanes; ++l) apart[l * stride + i] = in[i * kLanes + l];
  }
}

// The results of a few panels, all columns at once: one walk through memory.
template <int kPanels>
HWY_INLINE void multiply_panels(const Product& m, const double* a, double* out) {
  const AlongTag d;
  constexpr int kVectors = static_cast<int>(kPartials) / kWidth;
  hn::Vec<decltype(d)> total[kPanels * kVectors];
  CREDO_UNROLL
  for (int v = 0; v < kPanels * kVectors; ++v) total[v] = hn::Zero(d);
  const Index ex = m.shared_x ? 1 : m.lanes;
  for (Index col = 0; col < m.cols; ++col) {
    const auto factor = hn::Set(d, m.x[col * ex]);
    const double* from = a + col * m.stride;
    CREDO_UNROLL
    for (int v = 0; v < kPanels * kVectors; ++v) {
      const auto left = hn::LoadU(d, from + v / kVectors * m.panel + v % kVectors * kWidth);
      total[v] = hn::MulAdd(left, factor, total[v]);
    }
  }
  CREDO_UNROLL
  for (int v = 0; v < kPanels * kVectors; ++v) hn::StoreU(total[v], d, out + v * kWidth);
}

void multiply_all_panels(const Product& m) {
  constexpr int kPanels = kWidth > 2 ? 4 : 1;
  const Index whole = m.rows / kPartials;
  const double* a = m.a;
  double* out = m.out;
  Index panel = 0;
  for (; panel + kPanels <= whole; panel += kPanels, a += kPanels * m.panel)
    multiply_panels<kPanels>(m, a, out + panel * kPartials);
  for (; panel < whole; ++panel, a += m.panel) multiply_panels<1>(m, a, out + panel * kPartials);
  if (whole * kPartials == m.rows) return;
  HWY_ALIGN double last[kPartials];
  multiply_panels<1>(m, a, last);
  std::copy_n(last, m.rows - whole * kPartials, out + whole * kPartials);
}

template <int kLanes>
void multiply_along(const Product& m) {
  if (kLanes == 1 && m.panel != kPartials) return multiply_all_panels(m);
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

// One block of sums of a product over all rows.
Product block_of_sums(Product m, Index begin) {
  m.rows = std::min(kSumBlock, m.rows - begin);
  m.a += begin * (m.shared_a ? 1 : m.lanes);
  m.x += begin * (m.shared_x ? 1 : m.lanes);
  m.begins = begin == 0;
  return m;
}

// Sums of kCols columns over one block of rows.
template <int kCols, Read RA, class D>
HWY_INLINE void dot_columns_across(D d, const Product& m, Index col) {
  const Index ea = RA == Read::spread ? 1 : m.lanes, ex = m.shared_x ? 1 : m.lanes;
  const Index next = m.stride * ea, count = m.rows;
  Tile<D, kPartials, kCols> tile;
  const Index sums = col * kPartials * m.lanes;
  if (m.resumes) {
    load<Read::vector>(d, m.partials + sums, m.lanes, kPartials * m.lanes, tile);
  } else {
    clear(d, tile);
  }
  const double* a = m.a + col * next;
  const double* x = m.x;
  const auto value = [&](Index k) CREDO_TILE_LAMBDA {
    return m.shared_x ? hn::Set(d, x[k]) : hn::LoadU(d, x + k * ex);
  };
  Index i = 0;
  for (; i + kPartials <= count; i += kPartials, a += m.panel * ea, x += kPartials * ex) {
    CREDO_UNROLL
    for (int k = 0; k < kPartials; ++k) {
      const auto right = value(k);
      CREDO_UNROLL
      for (int c = 0; c < kCols; ++c)
        tile.v[k][c] = hn::MulAdd(read<RA>(d, a + c * next + k * ea), right, tile.v[k][c]);
    }
  }
  const Index rest = count - i;
  if (rest > 0) {  // a tail is filled up with zeros
    CREDO_UNROLL
    for (int k = 0; k < kPartials; ++k) {
      const bool there = k < rest;
      const auto right = there ? value(k) : hn::Zero(d);
      CREDO_UNROLL
      for (int c = 0; c < kCols; ++c) {
        const auto left = there ? read<RA>(d, a + c * next + k * ea) : hn::Zero(d);
        tile.v[k][c] = hn::MulAdd(left, right, tile.v[k][c]);
      }
    }
  }
  if (!m.completes) return store(d, tile, m.partials + sums, m.lanes, kPartials * m.lanes);
  CREDO_UNROLL
  for (int c = 0; c < kCols; ++c) {
    const auto total =
        hn::Add(hn::Add(hn::Add(tile.v[0][c], tile.v[4][c]), hn::Add(tile.v[2][c], tile.v[6][c])),
                hn::Add(hn::Add(tile.v[1][c], tile.v[5][c]), hn::Add(tile.v[3][c], tile.v[7][c])));
    double* out = m.out + (col + c) * m.lanes;
    hn::StoreU(hn::Add(m.begins ? hn::Zero(d) : hn::LoadU(d, out), total), d, out);
  }
}

template <Read RA, class D>
void dots_across_block(D d, const Product& m) {
  constexpr int kCols = kWideRegisterFile ? 3 : 1;
  for (Index col = 0; col < m.cols; col += kCols) {
    with_count<kCols>(std::min<Index>(kCols, m.cols - col), [&](auto cols) HWY_ATTR {
      dot_columns_across<decltype(cols)::value, RA>(d, m, col);
    });
  }
}

template <Read RA, class D>
void dots_across(D d, const Product& m) {
  if (m.rows == 0) {
    for (Index col = 0; col < m.cols; ++col) hn::StoreU(hn::Zero(d), d, m.out + col * m.lanes);
  }
  for (Index begin = 0; begin < m.rows; begin += kSumBlock)
    dots_across_block<RA>(d, block_of_sums(m, begin));
}

// ---- A' x, along

// Partial sums of kCols columns and kLanes lanes; x[lane][row of the block], filled up with zeros.
template <int kCols, int kLanes>
HWY_INLINE void dot_columns_along(const Product& m, Index col, const double* x) {
  const AlongTag d;
  HWY_ALIGN double here[kLanes * kCols * kPartials];
  double* partials = m.partials != nullptr ? m.partials + col * kPartials : here;
  const Index line = m.partials != nullptr ? m.cols * kPartials : kCols * kPartials;  // a lane's
  const Index whole = m.rows / kPartials * kPartials;
  const double* a = m.a + col * m.stride;
  for (Index part = 0; part < kPartials; part += kWidth) {
    Tile<AlongTag, kLanes, kCols> tile;
    if (m.resumes) {
      load<Read::vector>(d, partials + part, line, kPartials, tile);
    } else {
      clear(d, tile);
    }
    accumulate<Read::vector, Read::vector, false>(d, whole / kPartials,
                                                  Walk{x + part, kSumBlock, kPartials},
                                                  Walk{a + part, m.stride, m.panel}, tile);
    if (whole < m.rows) {
      HWY_ALIGN double rest[kCols * kPartials] = {};
      for (Index c = 0; c < kCols; ++c) {
        for (Index i = whole; i < m.rows; ++i)
          rest[c * kPartials + i - whole] =
              a[c * m.stride + whole / kPartials * m.panel + i - whole];
      }
      accumulate<Read::vector, Read::vector, false>(d, 1, Walk{x + whole + part, kSumBlock, 0},
                                                    Walk{rest + part, kPartials, 0}, tile);
    }
    store(d, tile, partials + part, line, kPartials);
  }
  if (!m.completes) return;
  for (Index l = 0; l < kLanes; ++l) {
    for (Index c = 0; c < kCols; ++c) {
      double& out = m.out[(col + c) * m.lanes + l];
      out = (m.begins ? 0.0 : out) + joined(partials + l * line + c * kPartials, 1);
    }
  }
}

template <int kLanes>
void dots_along_block(const Product& m) {
  constexpr int kCols = kLanes == 1 ? 8 : 4;
  HWY_ALIGN double x[kLanes * kSumBlock];
  const Index filled = std::min(kSumBlock, (m.rows + kPartials - 1) / kPartials * kPartials);
  if (!m.shared_x) part_lanes<kLanes>(m.x, kSumBlock, m.rows, x);
  for (Index l = 0; l < kLanes; ++l) {
    if (m.shared_x) std::copy_n(m.x, m.rows, x + l * kSumBlock);
    std::fill(x + l * kSumBlock + m.rows, x + l * kSumBlock + filled, 0.0);
  }
  for (Index col = 0; col < m.cols; col += kCols) {
    with_count<kCols>(std::min<Index>(kCols, m.cols - col), [&](auto cols) HWY_ATTR {
      dot_columns_along<decltype(cols)::value, kLanes>(m, col, x);
    });
  }
}

template <int kLanes>
void dots_along(const Product& m) {
  if (m.rows == 0) std::fill_n(m.out, m.cols * m.lanes, 0.0);
  for (Index begin = 0; begin < m.rows; begin += kSumBlock)
    dots_along_block<kLanes>(block_of_sums(m, begin));
}

// ---- choice: it changes no bit

Product lane_group(Product m, Index lane) {
  if (!m.shared_a) m.a += lane;
  if (!m.shared_x) m.x += lane;
  m.out += lane;
  if (m.partials != nullptr) m.partials += lane;
  return m;
}

// along(number of lanes, m) or across(tag, how the matrix is read, m)
template <class Along, class Across>
HWY_INLINE void choose(const Product& m, Along along, Across across) {
  if (m.lanes == 1) return along(std::integral_constant<int, 1>(), m);
  if (m.shared_a && m.lanes < kWidth) {
    if (m.lanes == 2) return along(std::integral_constant<int, 2>(), m);
    if (kWidth > 4 && m.lanes == 4) return along(std::integral_constant<int, 4>(), m);
  }
  for_lane_groups(m.lanes, [&](auto d, Index lane) HWY_ATTR {
    using Spread = std::integral_constant<Read, Read::spread>;
    using Vector = std::integral_constant<Read, Read::vector>;
    if (m.shared_a) return across(d, Spread(), lane_group(m, lane));
    across(d, Vector(), lane_group(m, lane));
  });
}

void multiply_chosen(const Product& m) {
  choose(
      m, [](auto lanes, const Product& p) HWY_ATTR { multiply_along<decltype(lanes)::value>(p); },
      [](auto d, auto read, const Product& p)
          HWY_ATTR { multiply_across<decltype(read)::value>(d, p); });
}

void multiply_vector_kernel(Index lanes, Index rows, Index cols, const LaneOperand& a,
                            const LaneOperand& x, double* out) {
  multiply_chosen({lanes, rows, cols, rows, a.data, x.data, a.shared, x.shared, out});
}

Product part_of(Index lanes, const RowRange& range, Index cols, const LaneOperand& a,
                const LaneOperand& x, double* out) {
  const Index ea = a.shared ? 1 : lanes;
  Product part{lanes, range.count, cols, range.rows, a.data, x.data, a.shared, x.shared, out};
  if (range.panels) part.stride = kPartials, part.panel = kPartials * cols;
  part.a += (range.first / kPartials * part.panel + range.first % kPartials) * ea;
  return part;
}

void multiply_vector_rows_kernel(Index lanes, const RowRange& range, Index cols,
                                 const LaneOperand& a, const LaneOperand& x, double* out) {
  multiply_chosen(part_of(lanes, range, cols, a, x, out));
}

void multiply_vector_transposed_kernel(Index lanes, Index rows, Index cols, const LaneOperand& a,
                                       const LaneOperand& x, double* out) {
  choose(
      {lanes, rows, cols, rows, a.data, x.data, a.shared, x.shared, out},
      [](auto count, const Product& m) HWY_ATTR { dots_along<decltype(count)::value>(m); },
      [](auto d, auto read, const Product& m)
          HWY_ATTR { dots_across<decltype(read)::value>(d, m); });
}

void multiply_vector_transposed_rows_kernel(Index lanes, const RowRange& range, Index cols,
                                            const LaneOperand& a, const LaneOperand& x,
                                            const GrowingSums& sums) {
  Product part = part_of(lanes, range, cols, a, x, sums.out);
  const Index end = range.first + range.count;
  part.partials = sums.partials;
  part.resumes = range.first % kSumBlock != 0;
  part.completes = end == range.rows || end % kSumBlock == 0;
  choose(
      part,
      [](auto count, const Product& m) HWY_ATTR { dots_along_block<decltype(count)::value>(m); },
      [](auto d, auto read, const Product& m)
          HWY_ATTR { dots_across_block<decltype(read)::value>(d, m); });
}

}  // namespace
}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
constexpr Index kPanelRows = 8;

HWY_EXPORT(multiply_vector_kernel);
HWY_EXPORT(multiply_vector_transposed_kernel);
HWY_EXPORT(multiply_vector_rows_kernel);
HWY_EXPORT(multiply_vector_transposed_rows_kernel);
}  // namespace

void multiply_vector(Index lanes, Index rows, Index cols, const LaneOperand& a,
                     const LaneOperand& x, double* out) {
  HWY_DYNAMIC_DISPATCH(multiply_vector_kernel)(lanes, rows, cols, a, x, out);
}

void multiply_vector_transposed(Index lanes, Index rows, Index cols, const LaneOperand& a,
                                const LaneOperand& x, double* out) {
  HWY_DYNAMIC_DISPATCH(multiply_vector_transposed_kernel)(lanes, rows, cols, a, x, out);
}

Index panels_size(Index rows, Index cols) {
  return (rows + kPanelRows - 1) / kPanelRows * kPanelRows * cols;
}

void pack_panels(Index rows, Index cols, const double* a, double* out) {
  for (Index first = 0; first < rows; first += kPanelRows) {
    const Index count = std::min(kPanelRows, rows - first);
    for (Index j = 0; j < cols; ++j, out += kPanelRows) {
      std::copy_n(a + first + j * rows, count, out);
      std::fill(out + count, out + kPanelRows, 0.0);
    }
  }
}

void multiply_vector_rows(Index lanes, const RowRange& range, Index cols, const LaneOperand& a,
                          const LaneOperand& x, double* out) {
  HWY_DYNAMIC_DISPATCH(multiply_vector_rows_kernel)(lanes, range, cols, a, x, out);
}

void multiply_vector_transposed_rows(Index lanes, const RowRange& range, Index cols,
                                     const LaneOperand& a, const LaneOperand& x,
                                     const GrowingSums& sums) {
  HWY_DYNAMIC_DISPATCH(multiply_vector_transposed_rows_kernel)(lanes, range, cols, a, x, sums);
}

}  // namespace credo::numerics
#endif
