// Exponentials: Exp, Exp2, Expm1 and the logistic functions based on them. Included once
// per SIMD target.
//
//   x = k log 2 + r + r',  |r| <= log(2)/2,  e^x = 2^k (1 + r + w),  w = r' + r^2/2 + r^3 v(r)
//
// r' is the rounding error of r, v a polynomial that interpolates at Chebyshev nodes, error below
// 2^-60. The sum 1 + r + w is rounded once, so Exp is within 0.52 ulp where it is normal.
#if defined(CREDO_NUMERICS_SIMD_EXP_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_EXP_INL_HPP_
#undef CREDO_NUMERICS_SIMD_EXP_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_EXP_INL_HPP_
#endif

#include "numerics/simd/pair-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kLog2E = 1.4426950408889634;
inline constexpr double kLn2Hi = 0x1.62e42fefa3800p-1;  // 42 bits: k kLn2Hi is exact for |k| < 2^11
inline constexpr double kLn2Lo = 0x1.ef35793c76730p-45;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Rest = 0x1.abc9e3b39803fp-56;
// v: (e^r - 1 - r - r^2/2) / r^3 on |r| <= log(2)/2
inline constexpr double kExpPolynomial[] = {
    0.16666666666666669,    0.041666666666666664,   0.008333333333330062,   0.0013888888888886552,
    0.00019841269863053618, 2.4801587317144498e-05, 2.7557268459997064e-06, 2.755728296954995e-07,
    2.510038549551032e-08,  2.0911236630261545e-09,
};

// e^x = 2^k (1 + r + w)
template <class D>
struct ExpParts {
  hn::Vec<D> r, w, k;
};

// (r + r_lo, k) -> w. The square is kept apart from the polynomial, whose rounding then counts
// little.
template <class D>
HWY_INLINE ExpParts<D> PartsOfExp(D d, hn::Vec<D> r, hn::Vec<D> r_lo, hn::Vec<D> k) {
  const auto square = hn::Mul(r, r);
  const auto leading = hn::MulAdd(square, hn::Set(d, 0.5), r_lo);
  return {r, hn::MulAdd(hn::Mul(square, r), EvenOdd(d, kExpPolynomial, r), leading), k};
}

// x + x_lo, |x| <= 2000 and |x_lo| at most an ulp of x.
template <class D>
HWY_INLINE ExpParts<D> ReduceExp(D d, hn::Vec<D> x, hn::Vec<D> x_lo) {
  const auto magic = hn::Set(d, kToInteger);
  const auto k = hn::Sub(hn::MulAdd(x, hn::Set(d, kLog2E), magic), magic);
  const auto exact = hn::NegMulAdd(k, hn::Set(d, kLn2Hi), x);
  const auto rest = hn::NegMulAdd(k, hn::Set(d, kLn2Lo), x_lo);
  const auto r = hn::Add(exact, rest);
  const auto r_lo = hn::Add(hn::Sub(exact, r), rest);
  return PartsOfExp(d, r, r_lo, k);
}

// 1 + r + w, rounded once.
template <class D>
HWY_INLINE hn::Vec<D> Significand(D d, const ExpParts<D>& e) {
  const auto sum = FastTwoSum(d, hn::Set(d, 1.0), e.r);
  return hn::Add(sum.hi, hn::Add(sum.lo, e.w));
}

// e^x; at most 0.52 ulp, 1 ulp where it is subnormal.
template <class D>
HWY_INLINE hn::Vec<D> Exp(D d, hn::Vec<D> x) {
  const auto e = ReduceExp(d, Limit(d, x, -1000.0, 1000.0), hn::Zero(d));
  return Scale(d, Significand(d, e), e.k);
}

// e^(x + x_lo) for a product or sum known as a pair.
template <class D>
HWY_INLINE hn::Vec<D> ExpOfPair(D d, Pair<D> x) {
  const auto inside = hn::Lt(hn::Abs(x.hi), hn::Set(d, 1000.0));
  const auto lo = hn::IfThenElseZero(inside, x.lo);
  const auto e = ReduceExp(d, Limit(d, x.hi, -1000.0, 1000.0), lo);
  return Scale(d, Significand(d, e), e.k);
}

// 2^x; at most 0.53 ulp, 1 ulp where it is subnormal; exact at integers.
template <class D>
HWY_INLINE hn::Vec<D> Exp2(D d, hn::Vec<D> x) {
  x = Limit(d, x, -1200.0, 1200.0);
  const auto k = NearestInteger(d, x);
  const auto fraction = hn::Sub(x, k);
  const auto product = TwoProduct(d, fraction, hn::Set(d, kLn2));
  const auto lo = hn::MulAdd(fraction, hn::Set(d, kLn2Rest), product.lo);
  return Scale(d, Significand(d, PartsOfExp(d, product.hi, lo, k)), k);
}

// e^x - 1; at most 0.95 ulp. The sum (2^k - 1) + 2^k r + 2^k w is rounded once.
template <class D>
HWY_INLINE hn::Vec<D> Expm1(D d, hn::Vec<D> x) {
  const auto e = ReduceExp(d, Limit(d, x, -60.0, 710.0), hn::Zero(d));
  const auto k = hn::IfThenElse(hn::Gt(e.k, hn::Set(d, 60.0)), hn::Set(d, 60.0), e.k);
  const auto power = PowerOfTwo(d, k);
  const auto base = FastTwoSum(d, power, hn::Set(d, -1.0));  // inexact below 2^-53, where it's -1
  const auto sum = FastTwoSum(d, base.hi, hn::Mul(power, e.r));
  const auto low = hn::Add(sum.lo, base.lo);
  const auto value = hn::Add(sum.hi, hn::MulAdd(power, e.w, low));
  return hn::CopySign(hn::Mul(value, PowerOfTwo(d, hn::Sub(e.k, k))), x);
}

// e^-|x|, what the logistic functions share: a kernel for two of them computes it once.
template <class D>
HWY_INLINE hn::Vec<D> ExpOfMinus(D d, hn::Vec<D> x) {
  const auto lowest = hn::Set(d, -1000.0), below = hn::Neg(hn::Abs(x));
  const auto limited = hn::IfThenElse(hn::Lt(below, lowest), lowest, below);
  const auto e = ReduceExp(d, limited, hn::Zero(d));
  return Scale(d, Significand(d, e), e.k);
}

// Exponential that is 0 below 3.3e-308: as a summand it needs no subnormal numbers, and one
// factor scales it.
template <class D>
HWY_INLINE hn::Vec<D> NormalExpOfMinus(D d, hn::Vec<D> x) {
  const auto below = hn::Neg(hn::Abs(x));
  const auto e = ReduceExp(d, below, hn::Zero(d));
  const auto vanishes = hn::Lt(below, hn::Set(d, -708.0));  // not NaN
  return hn::IfThenZeroElse(vanishes, hn::Mul(Significand(d, e), PowerOfTwo(d, e.k)));
}

template <class D>
HWY_INLINE hn::Vec<D> InvLogitBy(D d, hn::Vec<D> x, hn::Vec<D> e) {
  const auto one = hn::Set(d, 1.0);
  const auto numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(numerator, hn::Add(one, e));
}

// 1 / (1 + e^-x); at most 1.9 ulp.
template <class D>
HWY_INLINE hn::Vec<D> InvLogit(D d, hn::Vec<D> x) {
  return InvLogitBy(d, x, ExpOfMinus(d, x));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
