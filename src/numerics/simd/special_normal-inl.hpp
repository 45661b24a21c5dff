// The error function and the normal distribution function, their logarithms and inverses. Included
// once per SIMD target; errors are stated in numerics/special.hpp.
//
// Everything stands on m(t) = Phi(-t) exp(t^2/2), t >= 0, which is smooth and decreasing:
//   Phi(-t) = m(t) exp(-t^2/2),   erfc(x) = 2 m(sqrt(2) x) exp(-x^2),   log Phi(-t) = log m(t) -
//   t^2/2.
// The square in the exponent is carried with its rounding error.
#if defined(CREDO_NUMERICS_SIMD_SPECIAL_NORMAL_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_SPECIAL_NORMAL_INL_HPP_
#undef CREDO_NUMERICS_SIMD_SPECIAL_NORMAL_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_SPECIAL_NORMAL_INL_HPP_
#endif

#include "numerics/simd/highway.hpp"

#include "hwy/highway.h"
#include "numerics/simd/special_table-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kInvSqrt2Pi = 0.3989422804014326779;
inline constexpr double kSqrt2 = 1.4142135623730950488;
inline constexpr double kLog2Pi = 1.8378770664093454836;
inline constexpr double kLogHalf = -0.69314718055994530942;
inline constexpr double kMillsEnd = 63;  // end of the table; from here the asymptotic series
// 1 - 1/t^2 + 3/t^4 - 15/t^6 + ...; the next term is 2e-20 at t = 63 [dlmf, 7.12.1]
inline constexpr double kMillsLarge[] = {1, -1, 3, -15, 105, -945, 10395};

// m(t) for t >= 0
template <class D>
HWY_INLINE hn::Vec<D> Mills(D d, hn::Vec<D> t) {
  const auto one = hn::Set(d, 1.0);
  auto value = Piecewise<tables::kMillsShape>(d, tables::kMills, hn::Add(t, one), t, 1.0);
  const auto large = hn::Ge(t, hn::Set(d, kMillsEnd));
  if (!Any(d, large)) return value;
  const auto inverse = hn::Div(one, t);
  const auto series = Polynomial(d, kMillsLarge, hn::Mul(inverse, inverse));
  const auto leading = hn::Mul(inverse, hn::Set(d, kInvSqrt2Pi));
  return hn::IfThenElse(large, hn::Mul(leading, series), value);
}

// exp(-scale t^2) with scale 1 or 1/2; beyond t = 40 it is taken at 40, where it is 0
template <class D>
HWY_INLINE hn::Vec<D> GaussianFactor(D d, hn::Vec<D> t, double scale) {
  const auto limit = hn::Set(d, 40.0);
  const auto s = hn::Set(d, scale), limited = hn::IfThenElse(hn::Gt(t, limit), limit, t);
  const auto square = hn::Mul(limited, limited);
  const auto missing = TwoProduct(d, limited, limited).lo;
  const auto factor = Exp(d, hn::Neg(hn::Mul(s, square)));
  return hn::NegMulAdd(hn::Mul(s, missing), factor, factor);
}

template <class D>
HWY_INLINE hn::Vec<D> ErfcOfPositive(D d, hn::Vec<D> t) {
  const auto m = Mills(d, hn::Mul(t, hn::Set(d, kSqrt2)));
  return hn::Mul(hn::Add(m, m), GaussianFactor(d, t, 1.0));
}

template <class D>
HWY_INLINE hn::Vec<D> Erfc(D d, hn::Vec<D> x) {
  const auto q = ErfcOfPositive(d, hn::Abs(x));
  return OneNaN(d, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0), q), q));
}

template <class D>
HWY_INLINE hn::Vec<D> Erf(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0), t = hn::Abs(x);
  const auto near = hn::Mul(x, Polynomial(d, tables::kErf, hn::Mul(x, x)));
  const auto far_lanes = hn::Ge(t, one);
  if (!Any(d, far_lanes)) return OneNaN(d, near);
  const auto far_value = hn::CopySign(hn::Sub(one, ErfcOfPositive(d, t)), x);
  return OneNaN(d, hn::IfThenElse(far_lanes, far_value, near));
}

// exp(x^2) erfc(x)
template <class D>
HWY_INLINE hn::Vec<D> Erfcx(D d, hn::Vec<D> x) {
  const auto t = hn::Abs(x), m = Mills(d, hn::Mul(t, hn::Set(d, kSqrt2)));
  const auto q = hn::Add(m, m);
  const auto negative = hn::Lt(x, hn::Zero(d));
  if (!Any(d, negative)) return OneNaN(d, q);
  const auto limit = hn::Set(d, 27.0);  // exp(27^2) overflows
  const auto limited = hn::IfThenElse(hn::Gt(t, limit), limit, t);
  const auto square = hn::Mul(limited, limited);
  const auto growth = Exp(d, square);
  const auto missing = TwoProduct(d, limited, limited).lo;
  const auto both = hn::Add(growth, growth);
  const auto exact =
      hn::IfThenElse(hn::Lt(both, hn::Inf(d)), hn::MulAdd(missing, both, both), both);
  return OneNaN(d, hn::IfThenElse(negative, hn::Sub(exact, q), q));
}

// The standard normal distribution function.
template <class D>
HWY_INLINE hn::Vec<D> Phi(D d, hn::Vec<D> x) {
  const auto t = hn::Abs(x), q = hn::Mul(Mills(d, t), GaussianFactor(d, t, 0.5));
  return OneNaN(d, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 1.0), q), q));
}

template <class D>
HWY_INLINE hn::Vec<D> LogPhi(D d, hn::Vec<D> x) {
  const auto t = hn::Abs(x), m = Mills(d, t);
  const auto positive = hn::Gt(x, hn::Zero(d));
  const auto left = hn::NegMulAdd(hn::Mul(hn::Set(d, 0.5), t), t, Log(d, m));
  if (!Any(d, positive)) return OneNaN(d, left);
  const auto right = Log1p(d, hn::Neg(hn::Mul(m, GaussianFactor(d, t, 0.5))));
  return OneNaN(d, hn::IfThenElse(positive, right, left));
}

// phi(x) / Phi(x), the derivative of LogPhi.
template <class D>
HWY_INLINE hn::Vec<D> InverseMills(D d, hn::Vec<D> x) {
  const auto t = hn::Abs(x), m = Mills(d, t);
  const auto positive = hn::Gt(x, hn::Zero(d));
  const auto c = hn::Set(d, kInvSqrt2Pi);
  // m is at least 1e-309 for finite t; far out c / m is t itself
  const auto left = hn::IfThenElse(hn::Gt(t, hn::Set(d, 0x1p60)), t, hn::Div(c, m));
  if (!Any(d, positive)) return OneNaN(d, left);
  const auto factor = GaussianFactor(d, t, 0.5);
  const auto right = hn::Div(hn::Mul(c, factor), hn::NegMulAdd(m, factor, hn::Set(d, 1.0)));
  return OneNaN(d, hn::IfThenElse(positive, right, left));
}

inline constexpr double kCentreStart = 0.0625;  // from here to 1/2 the table in p, below it in s

// InvPhi(p) = (p - 1/2) R(min(p, 1 - p)), given both factors' arguments
template <class D>
HWY_INLINE hn::Vec<D> QuantileCentre(D d, hn::Vec<D> from_half, hn::Vec<D> smaller) {
  return hn::Mul(from_half, Piecewise<tables::kQuantileCentreShape>(d, tables::kQuantileCentre,
                                                                    smaller, smaller, 0.0));
}

// y = x^2 solves y + log y + log(2 pi) - 2 log(1 - 1/y + ...) = s^2; one Newton step from
// s^2 - log(2 pi s^2) leaves a relative error of 1e-16 for s >= 60.
template <class D>
HWY_INLINE hn::Vec<D> QuantileFarTail(D d, hn::Vec<D> square) {
  const auto c = hn::Set(d, kLog2Pi), one = hn::Set(d, 1.0);
  const auto y = hn::Sub(hn::Sub(square, c), Log(d, square)), v = hn::Div(one, y);
  // 2 log(1 - v + 3 v^2 - 15 v^3) = -2 v + 5 v^2 - (74/3) v^3
  constexpr double kSeries[] = {-2, 5, -74.0 / 3};
  const auto series = hn::Mul(v, Polynomial(d, kSeries, v));
  const auto residual = hn::Sub(hn::Sub(square, y), hn::Sub(hn::Add(Log(d, y), c), series));
  const auto slope = hn::MulAdd(v, hn::NegMulAdd(hn::Set(d, 2.0), v, one), one);  // 1 + v - 2 v^2
  return hn::Sqrt(hn::Add(y, hn::Div(residual, slope)));
}

// -InvPhi(p) for a p below kCentreStart, given log p
template <class D>
HWY_INLINE hn::Vec<D> QuantileTail(D d, hn::Vec<D> log_p) {
  const auto square = hn::Mul(hn::Set(d, -2.0), log_p), s = hn::Sqrt(square);
  const auto near = Piecewise<tables::kQuantileTailShape>(d, tables::kQuantileTail, s, s, 0.0);
  const auto far_lanes = hn::Ge(s, hn::Set(d, 64.0));
  if (!Any(d, far_lanes)) return near;
  auto far_value = QuantileFarTail(d, square);
  far_value = hn::IfThenElse(hn::Eq(s, hn::Inf(d)), s, far_value);
  return hn::IfThenElse(far_lanes, far_value, near);
}

// The standard normal quantile of a probability in [0, 1]; NaN outside.
template <class D>
HWY_INLINE hn::Vec<D> InvPhi(D d, hn::Vec<D> p) {
  const auto half = hn::Set(d, 0.5), from_half = hn::Sub(p, half);
  const auto upper = hn::Gt(p, half);
  const auto smaller = hn::IfThenElse(upper, hn::Sub(hn::Set(d, 1.0), p), p);
  const auto centre = QuantileCentre(d, from_half, smaller);
  const auto tail_lanes = hn::Lt(smaller, hn::Set(d, kCentreStart));
  if (!Any(d, tail_lanes)) return OneNaN(d, centre);
  const auto tail = hn::CopySign(QuantileTail(d, Log(d, smaller)), from_half);
  const auto value = hn::IfThenElse(tail_lanes, tail, centre);
  return OneNaN(d, hn::IfThenElse(hn::Lt(smaller, hn::Zero(d)), hn::NaN(d), value));
}

// The standard normal quantile of exp(log_p), log_p <= 0; NaN above.
template <class D>
HWY_INLINE hn::Vec<D> InvPhiLog(D d, hn::Vec<D> log_p) {
  const auto half = hn::Set(d, 0.5), zero = hn::Zero(d);
  const auto upper = hn::Gt(log_p, hn::Set(d, kLogHalf));
  const auto above = hn::Neg(Expm1(d, log_p));  // 1 - p
  const auto below = Exp(d, log_p);
  const auto smaller = hn::IfThenElse(upper, above, below);
  const auto distance = hn::Sub(half, smaller);
  const auto from_half = hn::IfThenElse(upper, distance, hn::Neg(distance));
  const auto centre = QuantileCentre(d, from_half, smaller);
  const auto tail_lanes = hn::Lt(smaller, hn::Set(d, kCentreStart));
  if (!Any(d, tail_lanes)) return OneNaN(d, centre);
  const auto log_smaller = hn::IfThenElse(upper, Log(d, above), log_p);
  const auto tail = hn::CopySign(QuantileTail(d, log_smaller), from_half);
  const auto value = hn::IfThenElse(tail_lanes, tail, centre);
  return OneNaN(d, hn::IfThenElse(hn::Gt(log_p, zero), hn::NaN(d), value));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif
