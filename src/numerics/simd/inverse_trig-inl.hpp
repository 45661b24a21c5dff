// Atan, Atan2, Asin and Acos. Included once per SIMD target.
//
//   atan a = atan c + atan t,  t = (a - c)/(1 + a c),  c in {0, 1/2, 1, 3/2, inf},  |t| <= 7/16
//   asin a = pi/2 - 2 asin sqrt((1 - a)/2)  for a > 1/2
//
// with polynomials that interpolate (atan t - t)/t^3 and (asin t - t)/t^3 in t^2, error below
// 2^-57.
#if defined(CREDO_NUMERICS_SIMD_INVERSE_TRIG_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_INVERSE_TRIG_INL_HPP_
#undef CREDO_NUMERICS_SIMD_INVERSE_TRIG_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_INVERSE_TRIG_INL_HPP_
#endif

#include "numerics/simd/trig-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kPi = 0x1.921fb54442d18p+1, kPiRest = 0x1.1a62633145c07p-53;
inline constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiRest = 0x1.1a62633145c07p-54;
inline constexpr double kAtanPolynomial[] = {
    -0.3333333333333333,  0.19999999999999404,  -0.14285714285565465,  0.111111110965279,
    -0.09090908350382436, 0.07692285419714515,  -0.06666239748865294,  0.05876924062763387,
    -0.05216532007308444, 0.044916556747777434, -0.033114228762660534, 0.014759380407779155,
};
inline constexpr double kAsinPolynomial[] = {
    0.16666666666666669,  0.07499999999998425,  0.04464285714637338,  0.030381944137085216,
    0.022372173002005596, 0.017352391265909227, 0.013971235301124539, 0.011478952690257387,
    0.010324318288744113, 0.00545087818772055,  0.017419357964884856, -0.014881409392818066,
    0.02877844261259304,
};
// Below `end` the centre c, and atan c as a pair.
struct AtanInterval {
  double end, centre, hi, lo;
};
inline constexpr AtanInterval kAtanIntervals[] = {
    {39.0 / 16, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56},
    {19.0 / 16, 1.0, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    {11.0 / 16, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {7.0 / 16, 0.0, 0.0, 0.0},
};

// atan a for a >= 0; at most 0.8 ulp.
template <class D>
HWY_INLINE hn::Vec<D> AtanOfPositive(D d, hn::Vec<D> a) {
  const auto one = hn::Set(d, 1.0);
  hn::Vec<D> numerator = hn::Neg(one), denominator = a;
  hn::Vec<D> hi = hn::Set(d, kHalfPi), lo = hn::Set(d, kHalfPiRest);
  for (const AtanInterval& interval : kAtanIntervals) {
    const auto within = hn::Lt(a, hn::Set(d, interval.end));
    const auto centre = hn::Set(d, interval.centre);
    numerator = hn::IfThenElse(within, hn::Sub(a, centre), numerator);
    denominator = hn::IfThenElse(within, hn::MulAdd(a, centre, one), denominator);
    hi = hn::IfThenElse(within, hn::Set(d, interval.hi), hi);
    lo = hn::IfThenElse(within, hn::Set(d, interval.lo), lo);
  }
  const auto t = hn::Div(numerator, denominator);
  const auto z = hn::Mul(t, t);
  const auto rest = hn::MulAdd(hn::Mul(t, z), EvenOdd(d, kAtanPolynomial, z), lo);
  return hn::Add(hi, hn::Add(t, rest));
}

// atan x; at most 0.8 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Atan(D d, hn::Vec<D> x) {
  return hn::CopySign(AtanOfPositive(d, hn::Abs(x)), x);
}

// The angle of the point (x, y), in [-pi, pi], with the special values of C99 annex F; at most 1.4
// ulp.
template <class D>
HWY_INLINE hn::Vec<D> Atan2(D d, hn::Vec<D> y, hn::Vec<D> x) {
  const auto a = hn::Abs(y), b = hn::Abs(x), zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const auto equal = hn::Eq(a, b);  // also both 0 or both infinite
  const auto at_equal = hn::IfThenElse(hn::Eq(a, zero), zero, one);
  const auto angle = AtanOfPositive(d, hn::IfThenElse(equal, at_equal, hn::Div(a, b)));
  const auto reflected = hn::Sub(hn::Set(d, kPi), hn::Sub(angle, hn::Set(d, kPiRest)));
  const auto left = hn::Lt(hn::CopySign(one, x), zero);
  const auto value = hn::CopySign(hn::IfThenElse(left, reflected, angle), y);
  return NaNWhereEither(d, x, y, value);
}

// asin a = lead + tail for |a| <= 1/2, a itself the lead; else asin of sqrt((1 - |a|)/2), doubled.
template <class D>
struct AsinParts {
  hn::Vec<D> lead, tail;
  hn::Mask<D> central;
};

template <class D>
HWY_INLINE AsinParts<D> PartsOfAsin(D d, hn::Vec<D> x) {
  const auto half = hn::Set(d, 0.5), a = hn::Abs(x);
  const auto central = hn::Le(a, half);
  const auto z = hn::IfThenElse(central, hn::Mul(x, x), hn::NegMulAdd(a, half, half));
  const auto root = hn::Sqrt(z);
  const auto square = TwoProduct(d, root, root);
  const auto root_error = hn::Div(hn::Sub(hn::Sub(z, square.hi), square.lo), root);  // doubled
  const auto lead = hn::IfThenElse(central, x, hn::Add(root, root));
  const auto known = hn::AndNot(central, hn::Gt(root, hn::Zero(d)));
  const auto tail = hn::MulAdd(hn::Mul(lead, z), EvenOdd(d, kAsinPolynomial, z),
                               hn::IfThenElseZero(known, root_error));
  return {lead, tail, central};
}

// asin x, NaN for |x| > 1; at most 0.8 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Asin(D d, hn::Vec<D> x) {
  const auto p = PartsOfAsin(d, x);
  const auto turned = FastTwoSum(d, hn::Set(d, kHalfPi), hn::Neg(p.lead));
  const auto low = hn::Add(turned.lo, hn::Sub(hn::Set(d, kHalfPiRest), p.tail));
  const auto outer = hn::CopySign(hn::Add(turned.hi, low), x);
  return UnlessTiny(d, x, hn::IfThenElse(p.central, hn::Add(p.lead, p.tail), outer));
}

// acos x, NaN for |x| > 1; at most 0.8 ulp. Computed as base - lead - tail with base pi/2, 0 or pi.
template <class D>
HWY_INLINE hn::Vec<D> Acos(D d, hn::Vec<D> x) {
  const auto zero = hn::Zero(d);
  const auto p = PartsOfAsin(d, x);
  const auto right = hn::AndNot(p.central, hn::Gt(x, zero));
  const auto outer_hi = hn::IfThenElse(right, zero, hn::Set(d, kPi));
  const auto outer_lo = hn::IfThenElse(right, zero, hn::Set(d, kPiRest));
  const auto base_hi = hn::IfThenElse(p.central, hn::Set(d, kHalfPi), outer_hi);
  const auto base_lo = hn::IfThenElse(p.central, hn::Set(d, kHalfPiRest), outer_lo);
  const auto lead = hn::IfThenElse(right, p.lead, hn::Neg(p.lead));
  const auto tail = hn::IfThenElse(right, p.tail, hn::Neg(p.tail));
  const auto sum = FastTwoSum(d, base_hi, lead);
  return hn::Add(sum.hi, hn::Add(sum.lo, hn::Add(base_lo, tail)));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
