// Elementwise kernels, per SIMD target.
//
// A row is one vector expression; here it becomes a kernel over groups of eight doubles and one for
// a single element in 1, 2, 4 or 8 lanes. The latter uses vectors of just that length: a wide load
// behind a narrow store waits for memory, and only the element is written. The value of
// an element depends only on its operands.
#if defined(CREDO_GRAPH_MAP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_GRAPH_MAP_INL
#undef CREDO_GRAPH_MAP_INL
#else
#define CREDO_GRAPH_MAP_INL
#endif

#include "hwy/highway.h"

#include "graph/core/kernel.hpp"
#include "graph/ops/block_reader.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;

// f at one vector of each operand.
template <int kArity, class F, class D>
HWY_INLINE hn::Vec<D> apply_at(F f, D d, const double* a, const double* b, const double* c) {
  if constexpr (kArity == 1) return f(d, hn::LoadU(d, a));
  if constexpr (kArity == 2) return f(d, hn::LoadU(d, a), hn::LoadU(d, b));
  if constexpr (kArity == 3) return f(d, hn::LoadU(d, a), hn::LoadU(d, b), hn::LoadU(d, c));
}

template <class F, int kArity>
void map_groups(const BlockArgs& args) {
  const Tag d;
  constexpr Index kWidth = static_cast<Index>(hn::MaxLanes(Tag()));
  static_assert(kGroup % kWidth == 0);
  const auto step = [&](std::uint32_t k) { return (args.repeated >> k & 1u) != 0 ? 0 : kGroup; };
  const Index step_a = step(0), step_b = step(1), step_c = step(2);
  const double *a = args.in[0], *b = args.in[1], *c = args.in[2];
  double* out = args.out;
  for (Index group = 0; group < args.groups; ++group) {
    for (Index i = 0; i < kGroup; i += kWidth) {
      hn::StoreU(apply_at<kArity>(F(), d, a + i, b + i, c + i), d, out + i);
    }
    out += kGroup, a += step_a;
    if constexpr (kArity > 1) b += step_b;
    if constexpr (kArity > 2) c += step_c;
  }
}

// Two rows of one operand: f(d, a, second) returns the first and sets the second.
template <class F>
HWY_INLINE void map_joint_groups(F f, const BlockArgs& args) {
  const Tag d;
  constexpr Index kWidth = static_cast<Index>(hn::MaxLanes(Tag()));
  const Index step = (args.repeated & 1u) != 0 ? 0 : kGroup;
  constexpr Index kLine = 8;  // doubles
  const double *a = args.in[0], *ahead = args.ahead;
  for (Index i = 0; i < args.groups * kGroup; i += kGroup, a += step) {
    for (Index k = 0; k < args.lines; ++k, ahead += kLine) __builtin_prefetch(ahead, 0, 2);
    for (Index k = 0; k < kGroup; k += kWidth) {
      hn::Vec<Tag> second;
      const auto first = f(d, hn::LoadU(d, a + k), second);
      hn::StoreU(first, d, args.out + i + k);
      hn::StoreU(second, d, args.second + i + k);
    }
  }
}

// One element in kLanes lanes.
template <class F, int kArity, int kLanes>
void map_element(double* base, const Micro& m, const Machine&) {
  const hn::CappedTag<double, kLanes> d;
  constexpr Index kWidth = static_cast<Index>(hn::MaxLanes(hn::CappedTag<double, kLanes>()));
  const double *a = base + m.a, *b = base + m.b, *c = base + m.c;
  double* out = base + m.out;
  if constexpr (kLanes == kGroup && kWidth < kGroup) {  // a group: the code is there already
    return map_groups<F, kArity>({.out = out, .in = {a, b, c}, .groups = 1});
  }
  for (Index i = 0; i < kLanes; i += kWidth) {
    hn::StoreU(apply_at<kArity>(F(), d, a + i, b + i, c + i), d, out + i);
  }
}

template <int kArity, class F>
const RowKernels* row_kernels(F) {
  static constexpr RowKernels kernels{&map_groups<F, kArity>,
                                      {&map_element<F, kArity, 1>, &map_element<F, kArity, 2>,
                                       &map_element<F, kArity, 4>, &map_element<F, kArity, 8>}};
  return &kernels;
}

// The kernels of an elementwise row from one vector expression of d and a, b, c.
#define CREDO_KERNEL(name, arity, function)                                       \
  const RowKernels* name##_row_kernels() { return row_kernels<arity>(function); } \
  void name##_kernel(const Call& call) { run_row(call, *name##_row_kernels()); }
#define CREDO_KERNEL_1(name, expression)              \
  CREDO_KERNEL(name, 1, [](auto d, auto a) HWY_ATTR { \
    (void)d;                                          \
    return expression;                                \
  })
#define CREDO_KERNEL_2(name, expression)                      \
  CREDO_KERNEL(name, 2, [](auto d, auto a, auto b) HWY_ATTR { \
    (void)d;                                                  \
    return expression;                                        \
  })
#define CREDO_KERNEL_3(name, expression)                              \
  CREDO_KERNEL(name, 3, [](auto d, auto a, auto b, auto c) HWY_ATTR { \
    (void)d;                                                          \
    return expression;                                                \
  })

}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
