// Structural functions of tapes and fused groups, per SIMD target: moves, index lists, sums.
//
// The order of sums is that of graph/ops/reduce-inl.hpp: blocks of 1024 elements, element i to partial
// sum i mod 8, joined by a fixed tree, block sums added in order.
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/execute/tape_kernels.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "graph/execute/code.hpp"
#include "graph/ops/log1p_exp_sum-inl.hpp"
#include "graph/ops/reduce-inl.hpp"
#include "numerics/linear_algebra/dense.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {
namespace {

template <int kLanes>
HWY_INLINE void copy_lanes(const double* from, double* to) {
  const hn::CappedTag<double, kLanes> d;
  constexpr int kWidth = static_cast<int>(hn::MaxLanes(hn::CappedTag<double, kLanes>()));
  for (int i = 0; i < kLanes; i += kWidth) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
}
template <int kLanes>
void copy_element(double* base, const Micro& m, const Machine&) {
  copy_lanes<kLanes>(base + m.a, base + m.out);
}

template <int kLanes>
void broadcast(double* base, const Micro& m, const Machine&) {
  double* out = base + m.out;
  for (std::uint32_t i = 0; i < m.c; ++i) copy_lanes<kLanes>(base + m.a, out + i * kLanes);
}

template <int kLanes>
void spread(double* base, const Micro& m, const Machine&) {
  double* out = base + m.out;
  if constexpr (kLanes == 1) {
    const Tag d;
    const auto value = hn::Set(d, base[m.a]);
    for (Index i = 0; i < kGroup; i += static_cast<Index>(hn::Lanes(d)))
      hn::StoreU(value, d, out + i);
  } else {
    for (Index i = 0; i < kGroup; i += kLanes) copy_lanes<kLanes>(base + m.a, out + i);
  }
}

template <int kLanes>
HWY_INLINE void gather_elements(const double* from, const std::int32_t* index, Index count,
                                double* out) {
  for (Index i = 0; i < count; ++i)
    copy_lanes<kLanes>(from + Index{index[i]} * kLanes, out + i * kLanes);
}
// Adds in element order; the sum of a run of equal indices stays in registers.
template <int kLanes>
HWY_INLINE void scatter_elements(const double* from, const std::int32_t* index, Index count,
                                 double* out) {
  const hn::CappedTag<double, kLanes> d;
  constexpr int kWidth = static_cast<int>(hn::MaxLanes(hn::CappedTag<double, kLanes>()));
  for (Index i = 0; i < count;) {
    const std::int32_t target = index[i];
    Index end = i + 1;
    while (end < count && index[end] == target) ++end;
    double* place = out + Index{target} * kLanes;
    for (int l = 0; l < kLanes; l += kWidth) {
      auto total = hn::LoadU(d, place + l);
      for (Index k = i; k < end; ++k) total = hn::Add(total, hn::LoadU(d, from + k * kLanes + l));
      hn::StoreU(total, d, place + l);
    }
    i = end;
  }
}

template <int kLanes>
void gather(double* base, const Micro& m, const Machine& machine) {
  gather_elements<kLanes>(base + m.a, machine.ints + m.b, m.c, base + m.out);
}
template <int kLanes>
void scatter_add(double* base, const Micro& m, const Machine& machine) {
  scatter_elements<kLanes>(base + m.a, machine.ints + m.b, m.c, base + m.out);
}
template <int kLanes>
void gather_block(const BlockOp& op, const BlockState& s) {
  gather_elements<kLanes>(s.at(op.in[0]), op.index + s.first, s.count, s.place(op.out));
}
bool begins_chunk(const BlockOp& op, const BlockState& s) {
  return (s.first & ((Index{1} << op.shift) - 1)) == 0;
}
template <int kLanes>
void scatter_add_block(const BlockOp& op, const BlockState& s) {
  double* sums = s.total(op);
  if (begins_chunk(op, s)) std::fill_n(sums, op.width, 0.0);
  scatter_elements<kLanes>(s.at(op.in[0]), op.index + s.first, s.count, sums);
}

template <int kLanes>
void replicate_block(const BlockOp& op, const BlockState& s) {
  const hn::CappedTag<double, kLanes> d;
  constexpr int kWidth = static_cast<int>(hn::MaxLanes(hn::CappedTag<double, kLanes>()));
  const double* from = s.at(op.in[0]);
  double* out = s.place(op.out);
  for (Index e = 0; e < s.count; ++e) {
    for (int i = 0; i < kLanes; i += kWidth)
      hn::StoreU(hn::Set(d, from[e]), d, out + e * kLanes + i);
  }
}

// Terms that are added to the partial sums; a repeated operand is one group.
struct Terms {
  const double *a, *b;
  bool repeat_a, repeat_b;
};

// partials += terms of `count` doubles from the start of a group of eight elements.
template <int kLanes, bool kDot>
HWY_INLINE void add_terms(const Terms& t, Index count, double* partials) {
  const Tag d;
  constexpr Index kWidth = static_cast<Index>(hn::MaxLanes(Tag()));
  constexpr Index kStride = kPartials * kLanes;
  const auto term = [&](Index i, auto total, auto mask) HWY_ATTR {
    const auto load = [&](const double* x, bool repeat) HWY_ATTR {
      return hn::IfThenElseZero(mask, hn::LoadU(d, x + (repeat ? i % kGroup : i)));
    };
    if constexpr (kDot) {
      return hn::MulAdd(load(t.a, t.repeat_a), load(t.b, t.repeat_b), total);
    } else {
      return hn::Add(total, load(t.a, t.repeat_a));
    }
  };
  const auto all = hn::FirstN(d, static_cast<size_t>(kWidth));
  const Index whole = count / kStride * kStride;
  for (Index k = 0; k < kStride; k += kWidth) {
    auto total = hn::LoadU(d, partials + k);
    for (Index i = k; i < whole; i += kStride) total = term(i, total, all);
    const Index rest = count - whole - k;
    if (rest > 0) total = term(whole + k, total, hn::FirstN(d, static_cast<size_t>(rest)));
    hn::StoreU(total, d, partials + k);
  }
}

template <int kLanes>
HWY_INLINE void join_partials(const double* partials, double* out) {
  for (Index l = 0; l < kLanes; ++l) {
    const auto p = [&](Index k) { return partials[k * kLanes + l]; };
    out[l] += ((p(0) + p(4)) + (p(2) + p(6))) + ((p(1) + p(5)) + (p(3) + p(7)));
  }
}

template <int kLanes, bool kDot>
void reduce_elements(double* base, const Micro& m, const Machine&) {
  HWY_ALIGN double partials[kPartials * kLanes];
  const Index size = m.c;
  double* out = base + m.out;
  std::fill_n(out, kLanes, 0.0);
  for (Index first = 0; first < size; first += kSumBlock) {
    const Index count = std::min(kSumBlock, size - first);
    std::fill_n(partials, kPartials * kLanes, 0.0);
    const Terms terms{base + m.a + first * kLanes, base + m.b + first * kLanes, false, false};
    add_terms<kLanes, kDot>(terms, count * kLanes, partials);
    join_partials<kLanes>(partials, out);
  }
}

// A block of a fused group divides a block of sums, or the other way round it is the whole.
bool ends_chunk(const BlockState& s) {
  const Index end = s.first + s.count;
  return end == s.size || end % kSumBlock == 0;
}
template <int kLanes, bool kDot>
void reduce_block(const BlockOp& op, const BlockState& s) {
  double* partials = s.partials(op);
  if (begins_chunk(op, s)) std::fill_n(partials, kPartials * kLanes, 0.0);
  const Terms terms{s.at(op.in[0]), kDot ? s.at(op.in[1]) : nullptr, (op.repeated & 1u) != 0,
                    (op.repeated & 2u) != 0};
  add_terms<kLanes, kDot>(terms, s.count * kLanes, partials);
  if (!ends_chunk(s)) return;
  double* out = s.total(op);
  std::fill_n(out, kLanes, 0.0);
  join_partials<kLanes>(partials, out);
}

// Block of the sum of log1p_exp, which has two partial sums for each one of a sum.
template <int kLanes>
void sum_log1p_exp_block(const BlockOp& op, const BlockState& s) {
  const Log1pExpSums sums{s.partials(op), kPartials * kLanes};
  if (begins_chunk(op, s)) sums.clear();
  sums.add(s.at(op.in[0]), s.count * kLanes);
  if (!ends_chunk(s)) return;
  sums.take_logarithms();
  double* out = s.total(op);
  std::fill_n(out, kLanes, 0.0);
  join_partials<kLanes>(sums.values, out);
}

// A block of rows of a constant matrix times a complete vector, or transposed times a block.
template <int kLanes>
void product_block(const BlockOp& op, const BlockState& s) {
  numerics::multiply_vector_rows(kLanes, {s.size, s.first, s.count, op.panels}, op.columns,
                                 {s.at(op.in[0]), 1, s.size, kLanes > 1}, {s.at(op.in[1])},
                                 s.place(op.out));
}
template <int kLanes>
void transposed_product_block(const BlockOp& op, const BlockState& s) {
  numerics::multiply_vector_transposed_rows(kLanes, {s.size, s.first, s.count, op.panels},
                                            op.columns, {s.at(op.in[0]), 1, s.size, kLanes > 1},
                                            {s.at(op.in[1])}, {s.partials(op), s.total(op)});
}

// Adds up the parts of a sum that a group computed; the first one is added to zero, too.
void join(double* base, const Micro& m, const Machine&) {
  const Tag d;
  const Index width = m.b, vector = static_cast<Index>(hn::Lanes(d));
  const double* part = base + m.a;
  double* out = base + m.out;
  std::fill_n(out, width, 0.0);
  for (std::uint32_t k = 0; k < m.c; ++k, part += width) {
    Index i = 0;
    for (; i + vector <= width; i += vector)
      hn::StoreU(hn::Add(hn::LoadU(d, out + i), hn::LoadU(d, part + i)), d, out + i);
    for (; i < width; ++i) out[i] += part[i];
  }
}

void copy_doubles(double* base, const Micro& m, const Machine&) {
  std::memcpy(base + m.out, base + m.a, m.c * sizeof(double));
}
void zero_doubles(double* base, const Micro& m, const Machine&) {
  std::memset(base + m.out, 0, m.c * sizeof(double));
}

#define CREDO_LANES(name) \
  { &name<1>, &name<2>, &name<4>, &name<8> }
#define CREDO_LANES_OF(name, flag) \
  { &name<1, flag>, &name<2, flag>, &name<4, flag>, &name<8, flag> }
const TapeKernels* kernels() {
  static constexpr TapeKernels table{
      .copy_element = CREDO_LANES(copy_element),
      .spread = CREDO_LANES(spread),
      .broadcast = CREDO_LANES(broadcast),
      .sum = CREDO_LANES_OF(reduce_elements, false),
      .dot = CREDO_LANES_OF(reduce_elements, true),
      .gather = CREDO_LANES(gather),
      .scatter_add = CREDO_LANES(scatter_add),
      .join = &join,
      .copy = &copy_doubles,
      .zero = &zero_doubles,
      .replicate_block = CREDO_LANES(replicate_block),
      .sum_block = CREDO_LANES_OF(reduce_block, false),
      .dot_block = CREDO_LANES_OF(reduce_block, true),
      .sum_log1p_exp_block = CREDO_LANES(sum_log1p_exp_block),
      .gather_block = CREDO_LANES(gather_block),
      .scatter_add_block = CREDO_LANES(scatter_add_block),
      .product_block = CREDO_LANES(product_block),
      .transposed_product_block = CREDO_LANES(transposed_product_block)};
  return &table;
}
#undef CREDO_LANES
#undef CREDO_LANES_OF

}  // namespace
}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::graph {
namespace {
HWY_EXPORT(kernels);
}

const TapeKernels& tape_kernels() { return *HWY_DYNAMIC_DISPATCH(kernels)(); }

void run_call(double* base, const Micro& m, const Machine& machine) {
  const PreparedCall& prepared = machine.code->calls[m.a];
  Call call = prepared.call;
  call.out = base + m.out;
  call.workspace = base;
  call.scratch = machine.scratch;
  call.status = machine.status;
  prepared.kernel(call);
}

}  // namespace credo::graph
#endif
