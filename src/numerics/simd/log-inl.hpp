// Logarithms: Log, Log1p, Log2, Log10 and the log-scale functions of the exponential. Included once
// per SIMD target.
//
//   x = 2^k (1 + f),  sqrt(1/2) <= 1 + f < sqrt(2),  s = f/(2 + f),  z = s^2
//   log(1 + f) = 2 atanh s = f - (f^2/2 - s (f^2/2 + R)),  R = z P(z)
//
// Here P interpolates (2 atanh(s)/s - 2)/z at Chebyshev nodes, error below 2^-59. f is exact and
// f^2/2 and the rest are small against it, so few roundings count [tang1990].
#if defined(CREDO_NUMERICS_SIMD_LOG_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_LOG_INL_HPP_
#undef CREDO_NUMERICS_SIMD_LOG_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_LOG_INL_HPP_
#endif

#include "numerics/simd/exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kLogPolynomial[] = {
    0.6666666666666666,  0.4000000000000088,  0.2857142857080285,  0.22222222391887064,
    0.18181795621632782, 0.15386240708969665, 0.13268746195596595, 0.13086907887965027,
};
// 1/log 2 and 1/log 10 cut after 21 bits, so that a product with 21 bits is exact
inline constexpr double kLog2EHi = 0x1.71547p+0, kLog2ELo = 0x1.94ae0bf85ddf4p-22;
inline constexpr double kLog10E = 0.4342944819032518;
inline constexpr double kLog10EHi = 0x1.bcb7bp-2, kLog10ELo = 0x1.526e50e32a6abp-26;
inline constexpr double kLog10Of2Hi = 0x1.34413509f7800p-2;  // 42 bits
inline constexpr double kLog10Of2Lo = 0x1.fef311f12b358p-46;
// 1/(1 + f) on the same interval to 1.5 %: enough for a correction of half an ulp
inline constexpr double kReciprocal[] = {1.0049951120225056, -1.0806127678408468,
                                         0.9142390706250312};

// x = 2^k (1 + f)
template <class D>
struct LogParts {
  hn::Vec<D> f, k;
};

// x > 0 and finite; anything else gives parts of no meaning.
template <class D>
HWY_INLINE LogParts<D> ReduceLog(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDu, kBias = uint64_t{1023} << 52;
  constexpr uint64_t kFraction = (uint64_t{1} << 52) - 1;
  constexpr uint64_t kTwoTo52 = 0x4330000000000000u;  // the bits of 2^52
  const auto subnormal = hn::Lt(x, hn::Set(d, 0x1p-1022));
  const auto normal = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 0x1p54)), x);
  const auto shifted = hn::Add(hn::BitCast(du, normal), hn::Set(du, kBias - kSqrtHalf));
  const auto biased = hn::Or(hn::ShiftRight<52>(shifted), hn::Set(du, kTwoTo52));
  const auto bias =
      hn::IfThenElse(subnormal, hn::Set(d, 0x1p52 + 1023.0 + 54.0), hn::Set(d, 0x1p52 + 1023.0));
  const auto significand =
      hn::Add(hn::And(shifted, hn::Set(du, kFraction)), hn::Set(du, kSqrtHalf));
  return {hn::Sub(hn::BitCast(d, significand), hn::Set(d, 1.0)),
          hn::Sub(hn::BitCast(d, biased), bias)};
}

// k log 2 + log(1 + f) + correction
template <class D>
HWY_INLINE hn::Vec<D> JoinLog(D d, LogParts<D> p, hn::Vec<D> correction) {
  const auto s = hn::Div(p.f, hn::Add(hn::Set(d, 2.0), p.f));
  const auto z = hn::Mul(s, s);
  const auto half_square = hn::Mul(hn::Mul(p.f, p.f), hn::Set(d, 0.5));
  const auto sum = hn::MulAdd(z, EvenOdd(d, kLogPolynomial, z), half_square);
  const auto low = hn::MulAdd(p.k, hn::Set(d, kLn2Lo), correction);
  const auto small = hn::Sub(half_square, hn::MulAdd(s, sum, low));
  return hn::MulAdd(p.k, hn::Set(d, kLn2Hi), hn::Sub(p.f, small));
}

// value where 0 < x < inf; -inf at 0, inf at inf, NaN below 0 and at NaN.
template <class D>
HWY_INLINE hn::Vec<D> LogOutside(D d, hn::Vec<D> x, hn::Vec<D> value) {
  const auto zero = hn::Zero(d), infinity = hn::Set(d, kInfinity);
  const auto inside = hn::And(hn::Gt(x, zero), hn::Lt(x, infinity));
  const auto no_zero = hn::IfThenElse(hn::Gt(x, zero), x, hn::Set(d, kNaN));
  const auto outside = hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, -kInfinity), no_zero);
  return hn::IfThenElse(inside, value, outside);
}

// log x; at most 0.9 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Log(D d, hn::Vec<D> x) {
  return LogOutside(d, x, JoinLog(d, ReduceLog(d, x), hn::Zero(d)));
}

// log(1 + f) = hi + lo, hi of 21 bits, relative error of the sum about 2^-56.
template <class D>
HWY_INLINE Pair<D> LogOfFraction(D d, hn::Vec<D> f) {
  const hn::RebindToUnsigned<D> du;
  const auto s = hn::Div(f, hn::Add(hn::Set(d, 2.0), f)), z = hn::Mul(s, s);
  const auto half_square = hn::Mul(hn::Mul(f, f), hn::Set(d, 0.5));
  const auto sum = hn::MulAdd(z, EvenOdd(d, kLogPolynomial, z), half_square);
  const auto mask = hn::BitCast(d, hn::Set(du, ~uint64_t{0} << 32));
  const auto hi = hn::And(hn::Sub(f, half_square), mask);
  const auto lo = hn::MulAdd(s, sum, hn::Sub(hn::Sub(f, hi), half_square));
  return {hi, lo};
}

// The logarithm to base 2; at most 0.7 ulp, exact at powers of 2.
template <class D>
HWY_INLINE hn::Vec<D> Log2(D d, hn::Vec<D> x) {
  const auto p = ReduceLog(d, x);
  const auto l = LogOfFraction(d, p.f);
  const auto leading = FastTwoSum(d, p.k, hn::Mul(l.hi, hn::Set(d, kLog2EHi)));
  const auto low = hn::MulAdd(l.lo, hn::Set(d, kLog2E), hn::Mul(l.hi, hn::Set(d, kLog2ELo)));
  return LogOutside(d, x, hn::Add(leading.hi, hn::Add(leading.lo, low)));
}

// The logarithm to base 10; at most 0.7 ulp, exact at 1, 10, ..., 10^22.
template <class D>
HWY_INLINE hn::Vec<D> Log10(D d, hn::Vec<D> x) {
  const auto p = ReduceLog(d, x);
  const auto l = LogOfFraction(d, p.f);
  const auto leading =
      FastTwoSum(d, hn::Mul(p.k, hn::Set(d, kLog10Of2Hi)), hn::Mul(l.hi, hn::Set(d, kLog10EHi)));
  const auto from_k = hn::MulAdd(p.k, hn::Set(d, kLog10Of2Lo), leading.lo);
  const auto low = hn::MulAdd(l.lo, hn::Set(d, kLog10E), hn::Mul(l.hi, hn::Set(d, kLog10ELo)));
  return LogOutside(d, x, hn::Add(leading.hi, hn::Add(from_k, low)));
}

// log(hi + lo) for lo at most an ulp of hi, also when both cancel to a value near 1; at most 0.9
// ulp.
template <class D>
HWY_INLINE hn::Vec<D> LogOfPair(D d, Pair<D> x) {
  const auto p = ReduceLog(d, x.hi);
  const auto k = Limit(d, p.k, -1022.0, 1022.0);
  const auto f = FastTwoSum(d, p.f, hn::Mul(x.lo, PowerOfTwo(d, hn::Neg(k))));
  const auto correction = hn::Mul(f.lo, EvenOdd(d, kReciprocal, f.hi));
  return LogOutside(d, x.hi, JoinLog(d, LogParts<D>{f.hi, p.k}, correction));
}

// log(1 + x); at most 0.9 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Log1p(D d, hn::Vec<D> x) {
  return hn::CopySign(LogOfPair(d, TwoSum(d, hn::Set(d, 1.0), x)), x);
}

// log(1 + e), 0 <= e <= 1; at most 0.9 ulp. Up to sqrt(2) - 1 it is f, exactly; beyond, 1 + f is
// half the rounded sum, and its rounding error has the weight 1/(1 + f), known to 1.5 %: a few hundredths of an
// ulp of a value above 0.34.
template <class D>
HWY_INLINE hn::Vec<D> Log1pOfFraction(D d, hn::Vec<D> e) {
  const auto one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
  const auto sum = FastTwoSum(d, one, e);
  const auto upper = hn::Gt(e, hn::Set(d, 0.41421356237309503));
  const auto f = hn::IfThenElse(upper, hn::MulSub(sum.hi, half, one), e);
  const auto lost = hn::IfThenElseZero(upper, hn::Mul(sum.lo, half));
  const auto reciprocal = hn::NegMulAdd(f, hn::Set(d, 1.4142135623730951), hn::Set(d, 0.985));
  return JoinLog(d, LogParts<D>{f, hn::IfThenElseZero(upper, one)}, hn::Mul(lost, reciprocal));
}

// log(1 + e^x); at most 1.5 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Log1pExpBy(D d, hn::Vec<D> x, hn::Vec<D> e) {
  return hn::Add(hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), x), Log1pOfFraction(d, e));
}
template <class D>
HWY_INLINE hn::Vec<D> Log1pExp(D d, hn::Vec<D> x) {
  return Log1pExpBy(d, x, ExpOfMinus(d, x));
}

// 1 - 2^k (1 + r + w) as a pair, k <= 1: with 1 + r = a + b exactly, (1 - 2^k a) - 2^k (b + w).
template <class D>
HWY_INLINE Pair<D> OneMinusExp(D d, const ExpParts<D>& e) {
  const auto one = hn::Set(d, 1.0), lowest = hn::Set(d, -1000.0);
  const auto power = PowerOfTwo(d, hn::IfThenElse(hn::Lt(e.k, lowest), lowest, e.k));
  const auto a = FastTwoSum(d, one, e.r);
  const auto sum = FastTwoSum(d, one, hn::Neg(hn::Mul(power, a.hi)));
  const auto lo = hn::NegMulAdd(power, hn::Add(a.lo, e.w), sum.lo);
  return FastTwoSum(d, sum.hi, lo);
}

// log(1 - e^x), NaN for x > 0; at most 1 ulp. Below -50 it is -e^x, to rounding.
template <class D>
HWY_INLINE hn::Vec<D> Log1mExp(D d, hn::Vec<D> x) {
  const auto e = ReduceExp(d, Limit(d, x, -1000.0, 1.0), hn::Zero(d));
  const auto value = LogOfPair(d, OneMinusExp(d, e));
  const auto far = hn::Neg(Scale(d, Significand(d, e), e.k));
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, -50.0)), far, value);
}

// log(1 / (1 + e^-x)); at most 1.5 ulp.
template <class D>
HWY_INLINE hn::Vec<D> LogInvLogit(D d, hn::Vec<D> x) {
  return hn::Neg(Log1pExp(d, hn::Neg(x)));
}

// log(1 - 1 / (1 + e^-x)); at most 1.5 ulp.
template <class D>
HWY_INLINE hn::Vec<D> Log1mInvLogit(D d, hn::Vec<D> x) {
  return hn::Neg(Log1pExp(d, x));
}

// log(base + u.hi + u.lo), base 0 or 1; an infinite u.hi takes no u.lo.
template <class D>
HWY_INLINE hn::Vec<D> LogOfShifted(D d, hn::Vec<D> base, Pair<D> u) {
  const auto sum = TwoSum(d, base, u.hi);
  const auto finite = hn::Lt(hn::Abs(u.hi), hn::Set(d, kInfinity));
  return LogOfPair(d, Pair<D>{sum.hi, hn::IfThenElseZero(finite, hn::Add(sum.lo, u.lo))});
}

// log(x / (1 - x)), NaN outside [0, 1]; at most 1.1 ulp. In [0.3, 0.7] as log(1 + (2x - 1)/(1 -
// x)), which keeps its digits at 1/2.
template <class D>
HWY_INLINE hn::Vec<D> Logit(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0);
  const auto central = hn::And(hn::Ge(x, hn::Set(d, 0.3)), hn::Le(x, hn::Set(d, 0.7)));
  const auto numerator = hn::IfThenElse(central, hn::Sub(hn::Add(x, x), one), x);
  const auto odds = Quotient(d, Pair<D>{numerator, hn::Zero(d)}, TwoSum(d, one, hn::Neg(x)));
  return LogOfShifted(d, hn::IfThenElseZero(central, one), odds);
}

// log(e^a + e^b); error at most 2 ulp of the largest of |a|, |b| and the result: near 0 the result
// is as uncertain as the arguments.
template <class D>
HWY_INLINE hn::Vec<D> LogSumExp2(D d, hn::Vec<D> a, hn::Vec<D> b) {
  const auto greater = hn::Gt(a, b);
  const auto larger = hn::IfThenElse(greater, a, b), smaller = hn::IfThenElse(greater, b, a);
  const auto equal = hn::Eq(a, b);  // also both infinite, where the difference is NaN
  const auto gap = hn::IfThenElse(equal, hn::Zero(d), hn::Sub(smaller, larger));
  const auto tail = LogOfPair(d, FastTwoSum(d, hn::Set(d, 1.0), Exp(d, gap)));
  return NaNWhereEither(d, a, b, hn::Add(larger, tail));
}

// log(e^a - e^b), -inf for a == b, NaN for a < b; error at most 2 ulp of the largest of |a|, |b|
// and the result.
template <class D>
HWY_INLINE hn::Vec<D> LogDiffExp(D d, hn::Vec<D> a, hn::Vec<D> b) {
  const auto lowest = hn::Set(d, -kInfinity);
  const auto none = hn::Eq(b, lowest);  // the subtrahend is 0, maybe the minuend too
  const auto gap = hn::IfThenElse(none, lowest, hn::Sub(b, a));
  const auto value = hn::Add(a, Log1mExp(d, gap));
  const auto both_infinite = hn::And(hn::Eq(a, b), hn::Eq(a, hn::Set(d, kInfinity)));
  return NaNWhereEither(d, a, b, hn::IfThenElse(both_infinite, hn::Set(d, kNaN), value));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
