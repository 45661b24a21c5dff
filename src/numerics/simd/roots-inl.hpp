// Cbrt and Hypot. Included once per SIMD target.
#if defined(CREDO_NUMERICS_SIMD_ROOTS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_ROOTS_INL_HPP_
#undef CREDO_NUMERICS_SIMD_ROOTS_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_ROOTS_INL_HPP_
#endif

#include "numerics/simd/log-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// the cube root on [sqrt(1/2), sqrt(2)] to 2^-16
inline constexpr double kCbrtStart[] = {0.45368850939437955, 0.8967392149830209,
                                        -0.5237666939876867, 0.2093460512115113,
                                        -0.036000192083302476};
inline constexpr double kCbrt2 = 1.2599210498948732, kCbrtHalf = 0.7937005259840998;

// The cube root of m with 48 right bits from 16: Halley's step t (t^3 + 2m)/(2t^3 + m).
template <class D>
HWY_INLINE hn::Vec<D> HalleyStep(D, hn::Vec<D> m, hn::Vec<D> t) {
  const auto cube = hn::Mul(hn::Mul(t, t), t);
  const auto difference = hn::Sub(cube, m);
  const auto sum = hn::Add(hn::Add(cube, cube), m);
  return hn::NegMulAdd(t, hn::Div(difference, sum), t);
}

// The cube root; at most 0.51 ulp. Newton's last step has its residual m - t^3 from a pair.
template <class D>
HWY_INLINE hn::Vec<D> Cbrt(D d, hn::Vec<D> x) {
  const auto zero = hn::Zero(d), a = hn::Abs(x);
  const auto p = ReduceLog(d, a);
  const auto q = NearestInteger(d, hn::Mul(p.k, hn::Set(d, 1.0 / 3)));
  const auto j = hn::NegMulAdd(q, hn::Set(d, 3.0), p.k);  // -1, 0 or 1
  const auto factor = hn::IfThenElse(hn::Lt(j, zero), hn::Set(d, kCbrtHalf), hn::Set(d, kCbrt2));
  const auto start = EvenOdd(d, kCbrtStart, hn::Add(p.f, hn::Set(d, 1.0)));
  const auto scaled = hn::IfThenElse(hn::Eq(j, zero), start, hn::Mul(start, factor));
  const auto m = hn::Mul(hn::Add(p.f, hn::Set(d, 1.0)), PowerOfTwo(d, j));
  const auto t = HalleyStep(d, m, scaled);
  const auto square = TwoProduct(d, t, t);
  const auto cube = Product(d, square, Pair<D>{t, zero});
  const auto residual = hn::Sub(hn::Sub(m, cube.hi), cube.lo);
  const auto step = hn::Div(residual, hn::Mul(square.hi, hn::Set(d, 3.0)));
  const auto value = hn::CopySign(hn::Mul(hn::Add(t, step), PowerOfTwo(d, q)), x);
  const auto regular = hn::And(hn::Gt(a, zero), hn::Lt(a, hn::Set(d, kInfinity)));
  return hn::IfThenElse(regular, value, x);
}

// sqrt(x^2 + y^2) without overflow or underflow on the way, infinite if either is; at most 1
// ulp, 1.2 without fused multiply-add.
template <class D>
HWY_INLINE hn::Vec<D> Hypot(D d, hn::Vec<D> x, hn::Vec<D> y) {
  const auto ax = hn::Abs(x), ay = hn::Abs(y), infinity = hn::Set(d, kInfinity);
  const auto ordered = hn::Gt(ax, ay);
  const auto a = hn::IfThenElse(ordered, ax, ay), b = hn::IfThenElse(ordered, ay, ax);
  const auto large = hn::Gt(a, hn::Set(d, 0x1p500)), small = hn::Lt(a, hn::Set(d, 0x1p-450));
  const auto up = hn::IfThenElse(small, hn::Set(d, 0x1p600), hn::Set(d, 1.0));
  const auto scale = hn::IfThenElse(large, hn::Set(d, 0x1p-600), up);
  const auto down = hn::IfThenElse(small, hn::Set(d, 0x1p-600), hn::Set(d, 1.0));
  const auto back = hn::IfThenElse(large, hn::Set(d, 0x1p600), down);
  const auto p = hn::Mul(a, scale), q = hn::Mul(b, scale);
  const auto value = hn::Mul(hn::Sqrt(hn::MulAdd(p, p, hn::Mul(q, q))), back);
  const auto infinite = hn::Or(hn::Eq(ax, infinity), hn::Eq(ay, infinity));
  return hn::IfThenElse(infinite, infinity, NaNWhereEither(d, x, y, value));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
