// Sinh, Cosh, Tanh and their inverses. Included once per SIMD target.
//
//   x = k log 2 + r,  a = 2^(k-1),  b = 2^(-k-1),  sinh r = r + s,  cosh r = 1 + c
//   sinh x = (a - b) + (a + b)(r + s) + (a - b) c
//   cosh x = (a + b) + (a - b)(r + s) + (a + b) c
//
// a r and b r are exact, and so are the sums of the leading terms as pairs: each of the two is
// rounded once in the end, without a division.
#if defined(CREDO_NUMERICS_SIMD_HYPERBOLIC_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_HYPERBOLIC_INL_HPP_
#undef CREDO_NUMERICS_SIMD_HYPERBOLIC_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_HYPERBOLIC_INL_HPP_
#endif

#include "numerics/simd/log-inl.hpp"
#include "numerics/simd/trig-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// (sinh r - r)/r^3 and (cosh r - 1 - r^2/2)/r^4 in r^2, |r| <= log(2)/2
inline constexpr double kSinhPolynomial[] = {
    0.16666666666666669,    0.008333333333330062,  0.00019841269863053618,
    2.7557268459997064e-06, 2.510038549551032e-08,
};
inline constexpr double kCoshPolynomial[] = {
    0.041666666666666664,  0.0013888888888886552,  2.4801587317144498e-05,
    2.755728296954995e-07, 2.0911236630261545e-09,
};

template <class D>
struct HyperbolicParts {
  hn::Vec<D> a, b, r, s, c;
};

// 0 <= x <= 720 (|x| <= 690 for a to be finite without `shift`); a is 2^(k - 1 - shift).
template <class D>
HWY_INLINE HyperbolicParts<D> PartsOfHyperbolic(D d, hn::Vec<D> x, hn::Vec<D> shift) {
  const auto one = hn::Set(d, 1.0), sixty = hn::Set(d, 60.0);
  const auto k = NearestInteger(d, hn::Mul(x, hn::Set(d, kLog2E)));
  const auto exact = hn::NegMulAdd(k, hn::Set(d, kLn2Hi), x);
  const auto reduced = FastTwoSum(d, exact, hn::Neg(hn::Mul(k, hn::Set(d, kLn2Lo))));
  const auto r = reduced.hi, z = hn::Mul(r, r);
  const auto s = hn::MulAdd(hn::Mul(z, r), EvenOdd(d, kSinhPolynomial, z), reduced.lo);
  const auto c =
      hn::MulAdd(hn::Mul(z, z), EvenOdd(d, kCoshPolynomial, z), hn::Mul(z, hn::Set(d, 0.5)));
  const auto a = PowerOfTwo(d, hn::Sub(hn::Sub(k, one), shift));
  const auto k_small = hn::IfThenElse(hn::Gt(k, sixty), sixty, k);  // b counts for nothing beyond
  return {a, PowerOfTwo(d, hn::Neg(hn::Add(k_small, one))), r, s, c};
}

template <class D>
HWY_INLINE Pair<D> SinhOfParts(D d, const HyperbolicParts<D>& p) {
  const auto base = FastTwoSum(d, p.a, hn::Neg(p.b));
  const auto linear = FastTwoSum(d, hn::Mul(p.a, p.r), hn::Mul(p.b, p.r));
  const auto sum = FastTwoSum(d, base.hi, linear.hi);
  const auto curved = hn::MulAdd(hn::Add(p.a, p.b), p.s, hn::Mul(base.hi, p.c));
  const auto errors = hn::Add(hn::Add(base.lo, linear.lo), sum.lo);
  return FastTwoSum(d, sum.hi, hn::Add(errors, curved));
}

template <class D>
HWY_INLINE Pair<D> CoshOfParts(D d, const HyperbolicParts<D>& p) {
  const auto base = FastTwoSum(d, p.a, p.b);
  const auto linear = FastTwoSum(d, hn::Mul(p.a, p.r), hn::Neg(hn::Mul(p.b, p.r)));
  const auto sum = FastTwoSum(d, base.hi, linear.hi);
  const auto curved = hn::MulAdd(hn::Sub(p.a, p.b), p.s, hn::Mul(base.hi, p.c));
  const auto errors = hn::Add(hn::Add(base.lo, linear.lo), sum.lo);
  return FastTwoSum(d, sum.hi, hn::Add(errors, curved));
}

// 64 from |x| = 600 on, where 2^k leaves the range before sinh does.
template <class D>
HWY_INLINE hn::Vec<D> HyperbolicShift(D d, hn::Vec<D> x) {
  return hn::IfThenElseZero(hn::Gt(x, hn::Set(d, 600.0)), hn::Set(d, 64.0));
}

// sinh x; at most 0.75 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Sinh(D d, hn::Vec<D> x) {
  const auto a = Limit(d, hn::Abs(x), 0.0, 720.0), shift = HyperbolicShift(d, a);
  const auto scaled = SinhOfParts(d, PartsOfHyperbolic(d, a, shift)).hi;
  return UnlessTiny(d, x, hn::CopySign(hn::Mul(scaled, PowerOfTwo(d, shift)), x));
}

// cosh x; at most 0.75 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Cosh(D d, hn::Vec<D> x) {
  const auto a = Limit(d, hn::Abs(x), 0.0, 720.0), shift = HyperbolicShift(d, a);
  return hn::Mul(CoshOfParts(d, PartsOfHyperbolic(d, a, shift)).hi, PowerOfTwo(d, shift));
}

// tanh x; at most 0.8 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Tanh(D d, hn::Vec<D> x) {
  const auto a = Limit(d, hn::Abs(x), 0.0, 22.0);  // from there on 1, to rounding
  const auto p = PartsOfHyperbolic(d, a, hn::Zero(d));
  const auto tanh = Quotient(d, SinhOfParts(d, p), CoshOfParts(d, p));
  return UnlessTiny(d, x, hn::CopySign(hn::Add(tanh.hi, tanh.lo), x));
}

// log(1 + u) for 0 <= x <= 2^28, log x + log 2 beyond.
template <class D>
HWY_INLINE hn::Vec<D> Log1pOrLogOfDouble(D d, Pair<D> u, hn::Vec<D> x) {
  const auto large = hn::Gt(x, hn::Set(d, 0x1p28));
  const auto sum = TwoSum(d, hn::Set(d, 1.0), u.hi);
  const auto lo = hn::IfThenElse(large, hn::Zero(d), hn::Add(sum.lo, u.lo));
  const auto value = LogOfPair(d, Pair<D>{hn::IfThenElse(large, x, sum.hi), lo});
  return hn::Add(value, hn::IfThenElseZero(large, hn::Set(d, kLn2)));
}

// asinh x = log(1 + x + x^2/(1 + sqrt(1 + x^2))); at most 1.6 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Asinh(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0), magnitude = hn::Abs(x);
  const auto a = Limit(d, magnitude, 0.0, 0x1p28);
  const auto square = hn::Mul(a, a);
  const auto quotient = hn::Div(square, hn::Add(one, hn::Sqrt(hn::Add(square, one))));
  const auto value = Log1pOrLogOfDouble(d, FastTwoSum(d, a, quotient), magnitude);
  return UnlessTiny(d, x, hn::CopySign(value, x));
}

// acosh x = log(1 + t + sqrt(t (t + 2))), t = x - 1, NaN for x < 1; at most 1.8 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Acosh(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0);
  const auto t = hn::Sub(Limit(d, x, 0.0, 0x1p28), one);
  const auto root = hn::Sqrt(hn::Mul(t, hn::Add(t, hn::Set(d, 2.0))));
  const auto value = Log1pOrLogOfDouble(d, TwoSum(d, root, t), x);
  return hn::IfThenElse(hn::Lt(x, one), hn::Set(d, kNaN), value);
}

// atanh x = log(1 + 2x/(1 - x))/2, NaN for |x| > 1; at most 1 ulp. The quotient is a pair.
template <class D>
HWY_INLINE hn::Vec<D> Atanh(D d, hn::Vec<D> x) {
  const auto a = Limit(d, hn::Abs(x), 0.0, 2.0), twice = hn::Add(a, a);
  const auto denominator = TwoSum(d, hn::Set(d, 1.0), hn::Neg(a));
  const auto quotient = Quotient(d, Pair<D>{twice, hn::Zero(d)}, denominator);
  const auto value = hn::Mul(LogOfShifted(d, hn::Set(d, 1.0), quotient), hn::Set(d, 0.5));
  return UnlessTiny(d, x, hn::CopySign(value, x));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
