#include "numerics/ode/nordsieck.hpp"

#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/ode/nordsieck.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, kLaneGroup>;
using V = hn::Vec<D>;
constexpr D d;

// Products and sums are rounded one by one, on every target.
V times_add(V a, V b, V c) { return hn::Add(hn::Mul(a, b), c); }
V group(const LaneGroup& lanes, Index i) { return hn::LoadU(d, lanes.data() + i % kLaneGroup); }

// Nothing behind the end is read.
V load(const double* from, Index left) {
  if (left >= Index(hn::Lanes(d))) return hn::LoadU(d, from);
#if HWY_TARGET <= HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(left)), d, from);
#else  // there, masked loads are whole ones
  std::array<double, kLaneGroup> part{};
  std::copy_n(from, left, part.begin());
  return hn::LoadU(d, part.data());
#endif
}

// Nothing behind the end is written.
void store(V value, double* out, Index left) {
  if (left >= Index(hn::Lanes(d))) {
    hn::StoreU(value, d, out);
  } else {
    hn::BlendedStore(value, hn::FirstN(d, static_cast<std::size_t>(left)), d, out);
  }
}

// worst = max(worst, value) place by place; NaN is infinite, values after the end count as 0.
void raise(double* worst, V value, Index left) {
  const V known = hn::IfThenElse(hn::Eq(value, value), value, hn::Set(d, kInfinity));
  const auto inside = hn::FirstN(d, static_cast<std::size_t>(std::min(left, kLaneGroup)));
  const V before = hn::LoadU(d, worst);
  hn::StoreU(hn::IfThenElse(hn::And(inside, hn::Lt(before, known)), known, before), d, worst);
}

void predict_kernel(const Prediction& p) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  std::array<V, MultistepFormula::kMost + 1> z;
  const auto order = static_cast<std::size_t>(p.order);
  for (Index i = 0; i < p.size; i += lanes) {
    const Index left = p.size - i;
    for (std::size_t j = 0; j <= order; ++j)
      z[j] = hn::Mul(hn::LoadU(d, (*p.from)[j] + i), group((*p.powers)[j], i));
    const V first = z[0];
    for (std::size_t k = 0; k < order; ++k) {
      for (std::size_t j = order; j-- > k;) z[j] = hn::Add(z[j], z[j + 1]);
    }
    for (std::size_t j = 0; j <= order; ++j) store(z[j], (*p.to)[j] + i, left);
    const V size = hn::Max(hn::Abs(first), hn::Abs(z[0]));
    const V scale = times_add(hn::Set(d, p.relative), size, hn::Set(d, p.absolute));
    store(hn::Div(hn::Set(d, 1.0), scale), p.weights + i, left);
  }
}

void residual_kernel(const Residual& r) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < r.size; i += lanes) {
    const V rest = times_add(group(*r.share, i), hn::LoadU(d, r.slope + i), hn::LoadU(d, r.e + i));
    const V value = hn::Sub(hn::Mul(group(*r.gamma, i), hn::LoadU(d, r.f + i)), rest);
    store(value, r.out + i, r.size - i);
  }
}

void apply_kernel(const Change& c) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  std::fill_n(c.worst, kLaneGroup, 0.0);
  for (Index i = 0; i < c.size; i += lanes) {
    const Index left = c.size - i;
    const auto on = hn::Ne(group(*c.on, i), hn::Zero(d));
    const V change = hn::LoadU(d, c.change + i), e = hn::LoadU(d, c.e + i);
    const V moved = hn::IfThenElse(on, hn::Add(e, change), e);
    store(moved, c.e + i, left);
    store(hn::Add(hn::LoadU(d, c.start + i), moved), c.y + i, left);
    raise(c.worst + i % kLaneGroup, hn::Mul(hn::Abs(change), hn::LoadU(d, c.weights + i)), left);
  }
}

void measure_kernel(const Distance& m) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  std::fill_n(m.worst, kLaneGroup, 0.0);
  for (Index i = 0; i < m.size; i += lanes) {
    V value = hn::LoadU(d, m.a + i);
    if (m.b != nullptr) value = hn::Sub(value, hn::LoadU(d, m.b + i));
    raise(m.worst + i % kLaneGroup, hn::Mul(hn::Abs(value), hn::LoadU(d, m.weights + i)),
          m.size - i);
  }
}

void correct_kernel(const Correction& c) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < c.size; i += lanes) {
    const Index left = c.size - i;
    const V e = hn::LoadU(d, c.e + i);
    for (std::size_t j = 0; j <= static_cast<std::size_t>(c.order); ++j) {
      const V l = group((*c.l)[j], i), z = hn::LoadU(d, (*c.z)[j] + i);
      const V moved = times_add(l, e, hn::LoadU(d, (*c.predicted)[j] + i));
      store(hn::IfThenElse(hn::Ne(l, hn::Zero(d)), moved, z), (*c.z)[j] + i, left);
    }
    const auto moves = hn::Ne(group((*c.l)[0], i), hn::Zero(d));
    store(hn::IfThenElse(moves, e, hn::LoadU(d, c.e_before + i)), c.e_before + i, left);
  }
}

void solve_kernel(const LaneSolve& s) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Index n = s.rows;
  for (Index i = 0; i < s.width; i += lanes) {
    const auto factor = [&](Index row, Index column) {
      return hn::LoadU(d, s.factors + (row * n + column) * kLaneGroup + i % kLaneGroup);
    };
    const Index left = s.width - i;
    const auto b = [&](Index row) { return load(s.b + row * s.width + i, left); };
    const auto without = [&](Index row, Index from, Index to) {
      V value = b(row);
      for (Index k = from; k < to; ++k) value = hn::Sub(value, hn::Mul(factor(row, k), b(k)));
      return value;
    };
    for (Index row = 1; row < n; ++row) store(without(row, 0, row), s.b + row * s.width + i, left);
    for (Index row = n; row-- > 0;) {
      const V value = hn::Mul(without(row, row + 1, n), factor(row, row));
      store(value, s.b + row * s.width + i, left);
    }
  }
}
}  // namespace
}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(predict_kernel);
HWY_EXPORT(residual_kernel);
HWY_EXPORT(apply_kernel);
HWY_EXPORT(measure_kernel);
HWY_EXPORT(correct_kernel);
HWY_EXPORT(solve_kernel);
}  // namespace

void predict(const Prediction& p) { HWY_DYNAMIC_DISPATCH(predict_kernel)(p); }
void residual(const Residual& r) { HWY_DYNAMIC_DISPATCH(residual_kernel)(r); }
void apply(const Change& c) { HWY_DYNAMIC_DISPATCH(apply_kernel)(c); }
void measure(const Distance& m) { HWY_DYNAMIC_DISPATCH(measure_kernel)(m); }
void correct(const Correction& c) { HWY_DYNAMIC_DISPATCH(correct_kernel)(c); }
void solve_factored(const LaneSolve& s) { HWY_DYNAMIC_DISPATCH(solve_kernel)(s); }

}  // namespace credo::numerics
#endif
