// Elementwise loops over [element][lane], per SIMD target.
//
// The loop sees blocks of at most kBlock contiguous doubles. An operand that isn't contiguous in
// that order (a scalar, or data that is the same for all lanes) is spread into a block buffer
// first; tails go through a padded copy. So the value of an element depends on nothing but its
// operands.
#if defined(CREDO_GRAPH_MAP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_GRAPH_MAP_INL
#undef CREDO_GRAPH_MAP_INL
#else
#define CREDO_GRAPH_MAP_INL
#endif

#include "hwy/highway.h"

#include "graph/kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;

inline constexpr Index kBlock = 512;

// Hands out an operand as contiguous doubles in [element][lane] order, block by block.
class BlockReader {
 public:
  // shared: one value for all lanes, elements adjacent. repeated: one element for all.
  BlockReader(const double* data, Index lanes, bool shared, bool repeated)
      : data_(data),
        lanes_(lanes),
        shared_(shared),
        repeated_(repeated),
        linear_(!repeated && (!shared || lanes == 1)) {}
  BlockReader(const Call& call, Index k)
      : BlockReader(call.in(k), call.lanes, call.shared(k),
                    call.in_shape(k).is_scalar() && !call.shape.is_scalar()) {}

  // Doubles [begin, begin + count); begin is a multiple of kBlock.
  const double* block(Index begin, Index count) {
    if (linear_) return data_ + begin;
    if (repeated_) return spread_scalar(count);
    return replicate(data_ + begin / lanes_, count);  // kBlock is a multiple of the lanes
  }

 private:
  const double* spread_scalar(Index count) {
    if (filled_ >= count) return buffer_;
    if (shared_) {
      std::fill_n(buffer_, count, data_[0]);
    } else {
      for (Index i = 0; i < count; i += lanes_) std::copy_n(data_, lanes_, buffer_ + i);
    }
    filled_ = count;
    return buffer_;
  }
  const double* replicate(const double* elements, Index count) {
    for (Index i = 0; i < count; i += lanes_) std::fill_n(buffer_ + i, lanes_, *elements++);
    return buffer_;
  }

  const double* data_;
  Index lanes_;
  bool shared_, repeated_, linear_;
  Index filled_ = 0;
  HWY_ALIGN double buffer_[kBlock];
};

template <class F>
HWY_NOINLINE void map_block(F f, const double* a, double* out, Index count) {
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < count; i += width) hn::StoreU(f(d, hn::LoadU(d, a + i)), d, out + i);
}

template <class F>
HWY_NOINLINE void map_block(F f, const double* a, const double* b, double* out, Index count) {
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < count; i += width) {
    hn::StoreU(f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  }
}

template <class F>
HWY_NOINLINE void map_block(F f, const double* a, const double* b, const double* c, double* out,
                            Index count) {
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < count; i += width) {
    hn::StoreU(f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i)), d, out + i);
  }
}

// Full vectors in place; the tail through padded copies.
template <class F, class... Pointers>
HWY_INLINE void map_all(F f, double* out, Index count, Pointers... in) {
  const Index width = static_cast<Index>(hn::Lanes(Tag()));
  const Index full = count / width * width;
  if (full > 0) map_block(f, in..., out, full);
  const Index tail = count - full;
  if (tail == 0) return;
  HWY_ALIGN double padded[sizeof...(in) + 1][HWY_MAX_BYTES / sizeof(double)] = {};
  const double* sources[] = {in...};
  for (std::size_t k = 0; k < sizeof...(in); ++k) {
    for (Index i = 0; i < tail; ++i) padded[k][i] = sources[k][full + i];
  }
  double* result = padded[sizeof...(in)];
  if constexpr (sizeof...(in) == 1) map_block(f, padded[0], result, width);
  if constexpr (sizeof...(in) == 2) map_block(f, padded[0], padded[1], result, width);
  if constexpr (sizeof...(in) == 3) map_block(f, padded[0], padded[1], padded[2], result, width);
  for (Index i = 0; i < tail; ++i) out[full + i] = result[i];
}

// One element, the common case of programs written with loops: no blocks and no copies. One lane
// takes a vector of one, because a wide load behind a narrow store waits for memory. More lanes are
// read past their end (there is always a vector's room behind) and not written past it.
template <class F, class... Indices>
HWY_INLINE void map_element(const Call& call, F f, Indices... k) {
  if (call.lanes == 1) {
    const hn::CappedTag<double, 1> one;
    *call.out = hn::GetLane(f(one, hn::Set(one, *call.in(k))...));
    return;
  }
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d));
  const auto load = [&](Index operand, Index lane) HWY_ATTR {
    return call.shared(operand) ? hn::Set(d, *call.in(operand))
                                : hn::LoadU(d, call.in(operand) + lane);
  };
  for (Index l = 0; l < call.lanes; l += width) {
    const auto result = f(d, load(k, l)...);
    if (l + width <= call.lanes) {
      hn::StoreU(result, d, call.out + l);
      continue;
    }
    HWY_ALIGN double last[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(result, d, last);
    for (Index i = l; i < call.lanes; ++i) call.out[i] = last[i - l];
  }
}

template <class F, class... Readers>
HWY_INLINE void map_blocks(const Call& call, F f, Readers&&... readers) {
  const Index total = call.shape.size() * call.lanes;
  for (Index begin = 0; begin < total; begin += kBlock) {
    const Index count = std::min(kBlock, total - begin);
    map_all(f, call.out + begin, count, readers.block(begin, count)...);
  }
}

template <class F>
HWY_INLINE void map1(const Call& call, F f) {
  if (call.shape.is_scalar()) return map_element(call, f, Index{0});
  map_blocks(call, f, BlockReader(call, 0));
}
template <class F>
HWY_INLINE void map2(const Call& call, F f) {
  if (call.shape.is_scalar()) return map_element(call, f, Index{0}, Index{1});
  map_blocks(call, f, BlockReader(call, 0), BlockReader(call, 1));
}
template <class F>
HWY_INLINE void map3(const Call& call, F f) {
  if (call.shape.is_scalar()) return map_element(call, f, Index{0}, Index{1}, Index{2});
  map_blocks(call, f, BlockReader(call, 0), BlockReader(call, 1), BlockReader(call, 2));
}

// An elementwise kernel from one vector expression of d and a, b, c.
#define CREDO_KERNEL_1(name, expression)     \
  void name##_kernel(const Call& call) {     \
    map1(call, [](auto d, auto a) HWY_ATTR { \
      (void)d;                               \
      return expression;                     \
    });                                      \
  }
#define CREDO_KERNEL_2(name, expression)             \
  void name##_kernel(const Call& call) {             \
    map2(call, [](auto d, auto a, auto b) HWY_ATTR { \
      (void)d;                                       \
      return expression;                             \
    });                                              \
  }
#define CREDO_KERNEL_3(name, expression)                     \
  void name##_kernel(const Call& call) {                     \
    map3(call, [](auto d, auto a, auto b, auto c) HWY_ATTR { \
      (void)d;                                               \
      return expression;                                     \
    });                                                      \
  }

}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
