// The sum of log1p_exp with one logarithm for many elements, per SIMD target.
//
//   sum log1p_exp(x) = sum max(x, 0) + log prod (1 + e),  e = exp(-|x|)
//
// The product is kept as its excess over 1, which stays exact if every e is small. Both have
// the partial sums of reduce-inl.hpp; 128 elements of a block of sums meet in one, so their product
// stays below 2^128. Each operation adds positive numbers: the relative error is at most some 260
// roundings, whatever the elements are.
#if defined(CREDO_GRAPH_LOG1P_EXP_SUM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_GRAPH_LOG1P_EXP_SUM_INL
#undef CREDO_GRAPH_LOG1P_EXP_SUM_INL
#else
#define CREDO_GRAPH_LOG1P_EXP_SUM_INL
#endif

#include "graph/ops/reduce-inl.hpp"
#include "numerics/simd/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {

// State of a block of sums: 8 partial sums a lane, then as many excesses.
struct Log1pExpSums {
  double* values;
  Index stride;  // doubles of eight elements

  void clear() const { std::fill_n(values, 2 * stride, 0.0); }

  // `count` doubles from the start of a group of eight elements; missing elements of the last one
  // count as -infinity, which adds zero.
  void add(const double* x, Index count) const {
    const Index whole = count / stride * stride;
    add_groups(x, whole);
    if (whole == count) return;
    HWY_ALIGN double padded[kPartials * kMaxLanes];
    std::fill_n(padded, stride, -numerics::HWY_NAMESPACE::kInfinity);
    std::copy_n(x + whole, count - whole, padded);
    add_groups(padded, stride);
  }

  HWY_NOINLINE void add_groups(const double* x, Index count) const {
    const Tag d;
    for (Index k = 0; k < stride; k += static_cast<Index>(hn::Lanes(d))) {
      auto sum = hn::LoadU(d, values + k), excess = hn::LoadU(d, values + stride + k);
      for (Index i = k; i < count; i += stride) {
        const auto a = hn::LoadU(d, x + i), e = numerics::HWY_NAMESPACE::NormalExpOfMinus(d, a);
        sum = hn::Add(sum, hn::IfThenElseZero(hn::Gt(a, hn::Zero(d)), a));
        excess = hn::Add(excess, hn::MulAdd(excess, e, e));  // (1 + excess) (1 + e) - 1
      }
      hn::StoreU(sum, d, values + k);
      hn::StoreU(excess, d, values + stride + k);
    }
  }

  // Each excess gives its logarithm to its partial sum; the rest is that of a sum.
  HWY_NOINLINE void take_logarithms() const {
    const Tag d;
    for (Index k = 0; k < stride; k += static_cast<Index>(hn::Lanes(d))) {
      const auto excess = hn::LoadU(d, values + stride + k);
      const auto logarithm = numerics::HWY_NAMESPACE::Log1p(d, excess);
      hn::StoreU(hn::Add(hn::LoadU(d, values + k), logarithm), d, values + k);
    }
  }
};

}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
