// Pow: x^y = e^(y log|x|) with the logarithm and the product as pairs. Included once per SIMD
// target.
//
//   log|x| = k log 2 + 2 s + s^3 (2/3 + z Q(z)),  s = f/(2 + f) as a pair,  z = s^2
//
// The relative error of the pair is about 2^-66, that of y log|x| <= 745 therefore below 2^-56
// of 1.
#if defined(CREDO_NUMERICS_SIMD_POW_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_POW_INL_HPP_
#undef CREDO_NUMERICS_SIMD_POW_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_POW_INL_HPP_
#endif

#include "numerics/simd/log-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kTwoThirds = 0x1.5555555555555p-1, kTwoThirdsRest = 0x1.5555555555555p-55;
// Q(z) = ((2 atanh(s)/s - 2)/z - 2/3)/z
inline constexpr double kLogPairPolynomial[] = {
    0.4,
    0.2857142857142937,
    0.2222222222165554,
    0.1818181833547124,
    0.15384594954137945,
    0.13334805149611875,
    0.11706224135460942,
    0.11723306234080849,
};

// f / (2 + f) as a pair
template <class D>
HWY_INLINE Pair<D> LogQuotient(D d, hn::Vec<D> f) {
  const auto denominator = FastTwoSum(d, hn::Set(d, 2.0), f);
  const auto quotient = hn::Div(f, denominator.hi);
  const auto back = TwoProduct(d, quotient, denominator.hi);
  const auto rest = hn::Sub(hn::Sub(f, back.hi), back.lo);
  const auto remainder = hn::NegMulAdd(quotient, denominator.lo, rest);
  return {quotient, hn::Div(remainder, denominator.hi)};
}

// log x as a pair, relative error below 2^-65; x > 0 and finite.
template <class D>
HWY_INLINE Pair<D> LogAsPair(D d, hn::Vec<D> x) {
  const auto p = ReduceLog(d, x);
  const auto s = LogQuotient(d, p.f);
  const auto z = Product(d, s, s);
  const auto tail = hn::Mul(z.hi, EvenOdd(d, kLogPairPolynomial, z.hi));
  auto factor = FastTwoSum(d, hn::Set(d, kTwoThirds), tail);
  factor.lo = hn::Add(factor.lo, hn::Set(d, kTwoThirdsRest));
  const auto cubic = Product(d, Product(d, s, z), factor);
  const auto leading = FastTwoSum(d, hn::Mul(p.k, hn::Set(d, kLn2Hi)), hn::Add(s.hi, s.hi));
  const auto sum = FastTwoSum(d, leading.hi, cubic.hi);
  const auto errors = hn::Add(hn::Add(leading.lo, sum.lo), hn::Add(cubic.lo, hn::Add(s.lo, s.lo)));
  return FastTwoSum(d, sum.hi, hn::MulAdd(p.k, hn::Set(d, kLn2Lo), errors));
}

// |x|^y where |x| is 0 or infinite: 0 or infinity by the side of y; else value.
template <class D>
HWY_INLINE hn::Vec<D> PowAtEnds(D d, hn::Vec<D> magnitude, hn::Vec<D> y, hn::Vec<D> value) {
  const auto zero = hn::Zero(d), infinity = hn::Set(d, kInfinity);
  const auto at_zero = hn::Eq(magnitude, zero), at_infinity = hn::Eq(magnitude, infinity);
  const auto negative = hn::Lt(y, zero);
  const auto flipped = hn::IfThenElse(at_zero, infinity, zero);
  const auto kept = hn::IfThenElse(at_zero, zero, infinity);
  return hn::IfThenElse(hn::Or(at_zero, at_infinity), hn::IfThenElse(negative, flipped, kept),
                        value);
}

// x^y with the special values of C99 annex F; at most 0.8 ulp, 1.1 ulp where it is subnormal.
template <class D>
HWY_INLINE hn::Vec<D> Pow(D d, hn::Vec<D> x, hn::Vec<D> y) {
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
  const auto magnitude = hn::Abs(x);
  const auto limited = Limit(d, y, -0x1p70, 0x1p70);  // beyond, the result is 0, 1 or infinite
  const auto log_x = LogAsPair(d, magnitude);
  const auto product = TwoProduct(d, limited, log_x.hi);
  const auto lo = hn::MulAdd(limited, log_x.lo, product.lo);
  auto value = ExpOfPair(d, Pair<D>{product.hi, lo});
  value = PowAtEnds(d, magnitude, y, value);
  // a negative base: the exponent must be an integer, its parity gives the sign
  const auto negative = hn::Lt(x, zero);
  const auto integer = hn::Eq(hn::Trunc(y), y);
  const auto half_y = hn::Mul(y, half);
  const auto odd = hn::AndNot(hn::Eq(hn::Trunc(half_y), half_y), integer);
  value = hn::IfThenElse(odd, hn::CopySign(value, x), value);
  const auto finite = hn::Lt(magnitude, hn::Set(d, kInfinity));
  const auto undefined = hn::And(hn::AndNot(integer, negative), finite);
  value = hn::IfThenElse(undefined, hn::Set(d, kNaN), value);
  value = NaNWhereEither(d, x, y, value);
  return hn::IfThenElse(hn::Or(hn::Eq(x, one), hn::Eq(y, zero)), one, value);
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
