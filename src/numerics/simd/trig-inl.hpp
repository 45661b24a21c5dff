// Sin, Cos and Tan. Included once per SIMD target.
//
//   x = q pi/2 + r,  |r| <= pi/4,  r a pair hi + lo;  sin x = ±sin r or ±cos r by q mod 4
//   sin r = r + r^3 S(r^2),  cos r = 1 - r^2/2 + r^4 C(r^2)
//
// S and C interpolate at Chebyshev nodes, errors below 2^-57 of the result. pi/2 is cut in parts of
// 33 bits, so that q times a part is exact for q < 2^20 [cody1980]; beyond |x| = 2^20 each lane is
// reduced by itself (elementary_reduction.hpp).
#if defined(CREDO_NUMERICS_SIMD_TRIG_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_TRIG_INL_HPP_
#undef CREDO_NUMERICS_SIMD_TRIG_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_TRIG_INL_HPP_
#endif

#include "numerics/elementary_reduction.hpp"
#include "numerics/simd/pair-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kTwoOverPi1 = 0.6366197723675814;
inline constexpr double kPiOver2Part1 = 0x1.921fb54400000p+0, kPiOver2Part2 = 0x1.0b4611a600000p-34;
inline constexpr double kPiOver2Part3 = 0x1.3198a2e000000p-69,
                        kPiOver2Part4 = 0x1.b839a252049c1p-104;
inline constexpr double kLargestBySubtraction = 0x1p20;
inline constexpr double kSinPolynomial[] = {
    -0.16666666666666666,    0.008333333333333331,   -0.00019841269841265017, 2.755731921930192e-06,
    -2.5052106219521895e-08, 1.6058529572267877e-10, -7.586576588171073e-13,
};
inline constexpr double kCosPolynomial[] = {
    0.041666666666666664,    -0.0013888888888887382, 2.480158729874307e-05,
    -2.7557317260008837e-07, 2.0876143827993133e-09, -1.1382456778061306e-11,
};

// x = quadrant pi/2 + r
template <class D>
struct TrigParts {
  Pair<D> r;
  hn::Vec<D> quadrant;
};

template <class D>
HWY_INLINE TrigParts<D> ReduceBySubtraction(D d, hn::Vec<D> x) {
  const auto q = NearestInteger(d, hn::Mul(x, hn::Set(d, kTwoOverPi1)));
  const auto first = hn::NegMulAdd(q, hn::Set(d, kPiOver2Part1), x);
  const auto second = TwoSum(d, first, hn::Neg(hn::Mul(q, hn::Set(d, kPiOver2Part2))));
  const auto third = TwoSum(d, second.hi, hn::Neg(hn::Mul(q, hn::Set(d, kPiOver2Part3))));
  const auto errors = hn::Add(second.lo, third.lo);
  const auto lo = hn::NegMulAdd(q, hn::Set(d, kPiOver2Part4), errors);
  return {FastTwoSum(d, third.hi, lo), q};
}

// Lane by lane, for the lanes of `huge`; the others keep their values.
template <class D>
HWY_NOINLINE TrigParts<D> ReduceHugeLanes(D d, hn::Vec<D> x, hn::Mask<D> huge, TrigParts<D> parts) {
  HWY_ALIGN double in[hn::MaxLanes(d)], hi[hn::MaxLanes(d)], lo[hn::MaxLanes(d)],
      quadrant[hn::MaxLanes(d)];
  hn::Store(hn::IfThenElse(huge, x, hn::Set(d, kLargestBySubtraction)), d, in);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    const HugeReduction reduced = reduce_huge(in[i]);
    hi[i] = reduced.hi;
    lo[i] = reduced.lo;
    quadrant[i] = reduced.quadrant;
  }
  return {{hn::IfThenElse(huge, hn::Load(d, hi), parts.r.hi),
           hn::IfThenElse(huge, hn::Load(d, lo), parts.r.lo)},
          hn::IfThenElse(huge, hn::Load(d, quadrant), parts.quadrant)};
}

// NaN for infinite x: there inf - inf is formed.
template <class D>
HWY_INLINE TrigParts<D> ReduceTrig(D d, hn::Vec<D> x) {
  const auto parts = ReduceBySubtraction(d, x);
  const auto magnitude = hn::Abs(x);
  const auto huge = hn::And(hn::Gt(magnitude, hn::Set(d, kLargestBySubtraction)),
                            hn::Lt(magnitude, hn::Set(d, kInfinity)));
  if (HWY_LIKELY(hn::AllFalse(d, huge))) return parts;
  return ReduceHugeLanes(d, x, huge, parts);
}

// sin(hi + lo), the error of hi^3 S counting with its size against hi; lo enters times cos hi.
template <class D>
HWY_INLINE Pair<D> SinOfPair(D d, Pair<D> r) {
  const auto z = hn::Mul(r.hi, r.hi);
  const auto cos = hn::NegMulAdd(z, hn::Set(d, 0.5), hn::Set(d, 1.0));
  const auto cubic = hn::Mul(hn::Mul(z, r.hi), EvenOdd(d, kSinPolynomial, z));
  return FastTwoSum(d, r.hi, hn::MulAdd(r.lo, cos, cubic));
}

// cos(hi + lo); lo enters times -sin hi, for which hi is near enough.
template <class D>
HWY_INLINE Pair<D> CosOfPair(D d, Pair<D> r) {
  const auto square = TwoProduct(d, r.hi, r.hi);
  const auto z = square.hi, minus_half = hn::Set(d, -0.5);
  const auto leading = FastTwoSum(d, hn::Set(d, 1.0), hn::Mul(z, minus_half));
  const auto quartic = hn::Mul(hn::Mul(z, z), EvenOdd(d, kCosPolynomial, z));
  const auto errors = hn::MulAdd(square.lo, minus_half, leading.lo);
  const auto rest = hn::NegMulAdd(r.hi, r.lo, quartic);
  return FastTwoSum(d, leading.hi, hn::Add(errors, rest));
}

// Quadrant from 0 to 3, from the lowest bits of the integer.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> QuadrantBits(D d, hn::Vec<D> quadrant) {
  return hn::BitCast(hn::RebindToUnsigned<D>(), hn::Add(quadrant, hn::Set(d, kToInteger)));
}

template <class D>
HWY_INLINE hn::Mask<D> IsOdd(D d, hn::Vec<hn::RebindToUnsigned<D>> bits) {
  const hn::RebindToUnsigned<D> du;
  return hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(du, hn::TestBit(bits, hn::Set(du, 1)))));
}

// sin(r + quadrant pi/2)
template <class D>
HWY_INLINE hn::Vec<D> SinInQuadrant(D d, Pair<D> r, hn::Vec<D> quadrant) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = QuadrantBits(d, quadrant);
  const auto value = hn::IfThenElse(IsOdd(d, bits), CosOfPair(d, r).hi, SinOfPair(d, r).hi);
  const auto sign = hn::ShiftLeft<62>(hn::And(bits, hn::Set(du, 2)));
  return hn::Xor(value, hn::BitCast(d, sign));
}

// x where |x| < 2^-28: there sine, tangent, and the hyperbolic and inverse ones are x, to rounding.
template <class D>
HWY_INLINE hn::Vec<D> UnlessTiny(D d, hn::Vec<D> x, hn::Vec<D> value) {
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-28)), x, value);
}

// sin x; at most 0.8 ulp for every double.
template <class D>
HWY_INLINE hn::Vec<D> Sin(D d, hn::Vec<D> x) {
  const auto parts = ReduceTrig(d, x);
  return UnlessTiny(d, x, SinInQuadrant(d, parts.r, parts.quadrant));
}

// cos x; at most 0.8 ulp for every double.
template <class D>
HWY_INLINE hn::Vec<D> Cos(D d, hn::Vec<D> x) {
  const auto parts = ReduceTrig(d, x);
  return SinInQuadrant(d, parts.r, hn::Add(parts.quadrant, hn::Set(d, 1.0)));
}

// tan x; at most 0.95 ulp for every double.
template <class D>
HWY_INLINE hn::Vec<D> Tan(D d, hn::Vec<D> x) {
  const auto parts = ReduceTrig(d, x);
  const auto sin = SinOfPair(d, parts.r), cos = CosOfPair(d, parts.r);
  const auto odd = IsOdd(d, QuadrantBits(d, parts.quadrant));
  const Pair<D> numerator{hn::IfThenElse(odd, hn::Neg(cos.hi), sin.hi),
                          hn::IfThenElse(odd, hn::Neg(cos.lo), sin.lo)};
  const Pair<D> denominator{hn::IfThenElse(odd, sin.hi, cos.hi),
                            hn::IfThenElse(odd, sin.lo, cos.lo)};
  const auto tan = Quotient(d, numerator, denominator);
  return UnlessTiny(d, x, hn::Add(tan.hi, tan.lo));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
