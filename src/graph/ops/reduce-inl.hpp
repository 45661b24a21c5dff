// Sums over elements, per SIMD target.
//
// Sums are taken in blocks of kSumBlock elements; in a block, element i goes to partial sum i mod
// 8, and the eight are joined by a fixed tree ((0+4)+(2+6))+((1+5)+(3+7)); block sums are added in
// order. A tail is filled up with zeros. So a sum is a function of the values and their number only
// (docs/determinism.md).
#if defined(CREDO_GRAPH_REDUCE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_GRAPH_REDUCE_INL
#undef CREDO_GRAPH_REDUCE_INL
#else
#define CREDO_GRAPH_REDUCE_INL
#endif

#include "graph/ops/chunks.hpp"
#include "graph/ops/map-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {

inline constexpr Index kSumBlock = Index{1} << kSumShift;  // elements
inline constexpr Index kPartials = 8;

struct Partials {
  explicit Partials(Index lanes_in) : lanes(lanes_in) { clear(); }
  void clear() { std::fill_n(values, kPartials * lanes, 0.0); }
  double joined(Index lane) const {
    const auto p = [&](Index k) { return values[k * lanes + lane]; };
    return ((p(0) + p(4)) + (p(2) + p(6))) + ((p(1) + p(5)) + (p(3) + p(7)));
  }
  Index lanes;
  HWY_ALIGN double values[kPartials * kMaxLanes];
};

// partials += f(a, b) for whole groups of eight elements.
template <class F>
HWY_NOINLINE void add_groups(F f, const double* a, const double* b, Index count,
                             Partials& partials) {
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d)), group = kPartials * partials.lanes;
  for (Index k = 0; k < group; k += width) {
    auto total = hn::LoadU(d, partials.values + k);
    for (Index i = k; i < count; i += group)
      total = f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i), total);
    hn::StoreU(total, d, partials.values + k);
  }
}

// A group that the values don't fill: the missing ones are zero.
template <class F>
HWY_INLINE void add_tail(F f, const double* a, const double* b, Index count, Partials& partials) {
  HWY_ALIGN double padded[2][kPartials * kMaxLanes] = {};
  std::copy_n(a, count, padded[0]);
  std::copy_n(b, count, padded[1]);
  add_groups(f, padded[0], padded[1], kPartials * partials.lanes, partials);
}

// out[lane] = sum of f over `size` elements.
template <class F>
HWY_INLINE void reduce(Index size, Index lanes, double* out, F f, BlockReader& a, BlockReader& b) {
  Partials partials(lanes);
  for (Index l = 0; l < lanes; ++l) out[l] = 0.0;
  for (Index block = 0; block < size; block += kSumBlock) {
    const Index end = std::min(size, block + kSumBlock) * lanes;
    partials.clear();
    for (Index begin = block * lanes; begin < end; begin += kBlock) {
      const Index count = std::min(kBlock, end - begin),
                  whole = count / (kPartials * lanes) * (kPartials * lanes);
      const double* pa = a.block(begin, count);
      const double* pb = b.block(begin, count);
      add_groups(f, pa, pb, whole, partials);
      if (whole < count) add_tail(f, pa + whole, pb + whole, count - whole, partials);
    }
    for (Index l = 0; l < lanes; ++l) out[l] += partials.joined(l);
  }
}

HWY_INLINE void dot_blocks(Index size, Index lanes, double* out, BlockReader& a, BlockReader& b) {
  reduce(
      size, lanes, out,
      [](auto, auto x, auto y, auto total) HWY_ATTR { return hn::MulAdd(x, y, total); }, a, b);
}

}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
