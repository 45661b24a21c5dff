// Correctly rounded and exact functions. Included once per SIMD target.
#if defined(CREDO_NUMERICS_SIMD_ROUNDING_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_ROUNDING_INL_HPP_
#undef CREDO_NUMERICS_SIMD_ROUNDING_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_ROUNDING_INL_HPP_
#endif

#include "numerics/simd/pair-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> Sqrt(D, hn::Vec<D> x) {
  return hn::Sqrt(x);
}

template <class D>
HWY_INLINE hn::Vec<D> Square(D, hn::Vec<D> x) {
  return hn::Mul(x, x);
}

template <class D>
HWY_INLINE hn::Vec<D> Floor(D, hn::Vec<D> x) {
  return hn::Floor(x);
}

template <class D>
HWY_INLINE hn::Vec<D> Ceil(D, hn::Vec<D> x) {
  return hn::Ceil(x);
}

template <class D>
HWY_INLINE hn::Vec<D> Trunc(D, hn::Vec<D> x) {
  return hn::Trunc(x);
}

// Halves away from zero. The number below 1/2 is added: 1/2 itself would carry 0.49999999999999994
// to 1.
template <class D>
HWY_INLINE hn::Vec<D> Round(D d, hn::Vec<D> x) {
  return hn::Trunc(hn::Add(x, hn::CopySign(hn::Set(d, 0.5 - 0x1p-54), x)));
}

// The remainder of x/y with the sign of x, exact; per lane, since the quotient may have 2000 bits.
template <class D>
HWY_NOINLINE hn::Vec<D> Fmod(D d, hn::Vec<D> x, hn::Vec<D> y) {
  HWY_ALIGN double a[hn::MaxLanes(d)], b[hn::MaxLanes(d)];
  hn::Store(x, d, a);
  hn::Store(y, d, b);
  for (size_t i = 0; i < hn::Lanes(d); ++i) a[i] = std::fmod(a[i], b[i]);
  const auto value = hn::Load(d, a);
  return hn::IfThenElse(hn::IsNaN(value), hn::Set(d, kNaN), value);
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
