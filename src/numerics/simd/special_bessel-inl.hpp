// log I0 and the ratio I1/I0 of modified Bessel functions with two derivatives: the von Mises
// distribution's normaliser and mean resultant length. Included once per SIMD target; errors are
// stated in numerics/special.hpp. Tables up to 31, polynomials in 1/x beyond.
#if defined(CREDO_NUMERICS_SIMD_SPECIAL_BESSEL_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_SPECIAL_BESSEL_INL_HPP_
#undef CREDO_NUMERICS_SIMD_SPECIAL_BESSEL_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_SPECIAL_BESSEL_INL_HPP_
#endif

#include "numerics/simd/highway.hpp"

#include "hwy/highway.h"
#include "numerics/simd/special_table-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kBesselTableEnd = 31;
inline constexpr double kLogTwoPi = 1.8378770664093454836;

template <tables::Shape kShape, class D>
HWY_INLINE hn::Vec<D> BesselTable(D d, const double* table, hn::Vec<D> t) {
  return Piecewise<kShape>(d, table, hn::Add(t, hn::Set(d, 1.0)), t, 1.0);
}

// log I0(x); even in x.
template <class D>
HWY_INLINE hn::Vec<D> LogBesselI0(D d, hn::Vec<D> x) {
  const auto t = hn::Abs(x);
  const auto near = hn::Mul(hn::Mul(t, t), BesselTable<tables::kLogI0Shape>(d, tables::kLogI0, t));
  const auto large = hn::Ge(t, hn::Set(d, kBesselTableEnd));
  if (!Any(d, large)) return OneNaN(d, near);
  const auto y = hn::Div(hn::Set(d, 1.0), t);
  const auto log_term = hn::Add(Log(d, t), hn::Set(d, kLogTwoPi));
  const auto root =
      hn::NegMulAdd(hn::Set(d, 0.5), log_term, hn::Mul(y, Polynomial(d, tables::kLogI0Large, y)));
  const auto infinite = hn::Eq(t, hn::Inf(d));
  return OneNaN(d, hn::IfThenElse(large, hn::IfThenElse(infinite, t, hn::Add(t, root)), near));
}

// I1(x) / I0(x), the derivative of log I0; odd in x.
template <class D>
HWY_INLINE hn::Vec<D> BesselRatio(D d, hn::Vec<D> x) {
  const auto t = hn::Abs(x);
  const auto near = hn::Mul(x, BesselTable<tables::kBesselRatioShape>(d, tables::kBesselRatio, t));
  const auto large = hn::Ge(t, hn::Set(d, kBesselTableEnd));
  if (!Any(d, large)) return OneNaN(d, near);
  const auto one = hn::Set(d, 1.0), y = hn::Div(one, t);
  const auto value = hn::NegMulAdd(y, Polynomial(d, tables::kBesselRatioLarge, y), one);
  return OneNaN(d, hn::IfThenElse(large, hn::CopySign(value, x), near));
}

// Its derivative; even in x, about 1/(2 x^2) for large x.
template <class D>
HWY_INLINE hn::Vec<D> BesselRatio1(D d, hn::Vec<D> x) {
  const auto t = hn::Abs(x);
  const auto near = BesselTable<tables::kBesselRatio1Shape>(d, tables::kBesselRatio1, t);
  const auto large = hn::Ge(t, hn::Set(d, kBesselTableEnd));
  if (!Any(d, large)) return OneNaN(d, near);
  const auto y = hn::Div(hn::Set(d, 1.0), t);
  const auto value = hn::Mul(hn::Mul(y, y), Polynomial(d, tables::kBesselRatio1Large, y));
  return OneNaN(d, hn::IfThenElse(large, value, near));
}

// Its second derivative; odd in x, about -1/x^3 for large x.
template <class D>
HWY_INLINE hn::Vec<D> BesselRatio2(D d, hn::Vec<D> x) {
  const auto t = hn::Abs(x);
  const auto near =
      hn::Mul(x, BesselTable<tables::kBesselRatio2Shape>(d, tables::kBesselRatio2, t));
  const auto large = hn::Ge(t, hn::Set(d, kBesselTableEnd));
  if (!Any(d, large)) return OneNaN(d, near);
  const auto y = hn::Div(hn::Set(d, 1.0), hn::CopySign(t, x));
  const auto series = Polynomial(d, tables::kBesselRatio2Large, hn::Abs(y));
  return OneNaN(d, hn::IfThenElse(large, hn::Mul(hn::Mul(y, hn::Mul(y, y)), series), near));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif
