// Differences of lgamma, digamma and trigamma at two arguments, and the beta and binomial functions
// built on them. Included once per SIMD target; errors are stated in numerics/special.hpp.
//
// With z = x + n, u = n/x and the Stirling remainder s(x) = lgamma(x) - (x - 1/2) log x + x - c:
//   lgamma(z) - lgamma(x) - n log x = x h(u) - log1p(u)/2 + s(z) - s(x),  h(u) = (1 + u) log1p(u) -
//   u
// h comes from a table, s(z) - s(x) from divided differences, so nothing cancels when n is small or
// x huge. Below 8 both arguments are moved up by the recurrence, whose differences are sums of one
// sign.
#if defined(CREDO_NUMERICS_SIMD_SPECIAL_DELTA_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_SPECIAL_DELTA_INL_HPP_
#undef CREDO_NUMERICS_SIMD_SPECIAL_DELTA_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_SPECIAL_DELTA_INL_HPP_
#endif

#include "numerics/simd/highway.hpp"

#include "hwy/highway.h"
#include "numerics/simd/special_gamma-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kStirlingStart = 8;  // 11 terms reach 1e-17 relative to 1/x from here
inline constexpr double kHalfLog2Pi = 0.91893853320467274178;

// log1p(u) - u; relative error small also near u = 0.
template <class D>
HWY_INLINE hn::Vec<D> Log1pmx(D d, hn::Vec<D> u) {
  const auto w = hn::Add(u, hn::Set(d, 1.0));
  const auto factor = Piecewise<tables::kLog1pmxShape>(d, tables::kLog1pmx, w, u, 1.0);
  const auto near = hn::Mul(hn::Mul(u, u), factor);
  const auto inside = hn::And(hn::Ge(w, hn::Set(d, 0.5)), hn::Lt(w, hn::Set(d, 4.0)));
  if (hn::AllTrue(d, inside)) return OneNaN(d, near);
  return OneNaN(d, hn::IfThenElse(inside, near, hn::Sub(Log1p(d, u), u)));
}

// (1 + u) log1p(u) - u
template <class D>
HWY_INLINE hn::Vec<D> EntropyExcess(D d, hn::Vec<D> u) {
  const auto w = hn::Add(u, hn::Set(d, 1.0));
  const auto factor = Piecewise<tables::kEntropyShape>(d, tables::kEntropy, w, u, 1.0);
  const auto near = hn::Mul(hn::Mul(u, u), factor);
  const auto inside = hn::And(hn::Ge(w, hn::Set(d, 0.5)), hn::Lt(w, hn::Set(d, 4.0)));
  if (hn::AllTrue(d, inside)) return OneNaN(d, near);
  return OneNaN(d, hn::IfThenElse(inside, near, hn::MulSub(w, Log1p(d, u), u)));
}

// The quantities of the head comment after moving x and z up by the same whole number.
template <class D>
struct GammaPair {
  hn::Vec<D> n, x, z;            // x, z >= 8
  hn::Vec<D> lower, difference;  // prod x + k, (prod z + k - prod x + k) / n over the steps
  hn::Vec<D> digamma, trigamma;  // psi, psi1 at (z, x) less those at the moved pair
  hn::Vec<D> digamma_excess, trigamma_excess;  // values of the excess functions
};

template <class D>
HWY_INLINE void Step(D d, GammaPair<D>& p, hn::Mask<D> active) {
  const auto one = hn::Set(d, 1.0), next = hn::Add(p.x, one);
  const auto product = hn::Mul(p.x, p.z), ratio = hn::Div(p.n, product);
  const auto sum = hn::Div(hn::Add(p.x, p.z), product);
  const auto excess = hn::Div(hn::Mul(ratio, hn::Sub(one, p.n)), next);
  const auto weight = hn::Add(sum, hn::Div(one, next));
  const auto zero = hn::Zero(d);
  const auto on = [&](hn::Vec<D> v) HWY_ATTR { return hn::IfThenElse(active, v, zero); };
  p.digamma = hn::Add(p.digamma, on(ratio));
  p.trigamma = hn::NegMulAdd(on(ratio), sum, p.trigamma);
  p.digamma_excess = hn::Add(p.digamma_excess, on(excess));
  p.trigamma_excess = hn::NegMulAdd(on(excess), weight, p.trigamma_excess);
  const auto difference = hn::MulAdd(p.difference, p.z, p.lower);
  p.difference = hn::IfThenElse(active, difference, p.difference);
  p.lower = hn::IfThenElse(active, hn::Mul(p.lower, p.x), p.lower);
  p.x = hn::IfThenElse(active, next, p.x);
  p.z = hn::IfThenElse(active, hn::Add(p.z, one), p.z);
}

template <class D>
HWY_INLINE GammaPair<D> MoveUp(D d, hn::Vec<D> x, hn::Vec<D> n) {
  const auto zero = hn::Zero(d), start = hn::Set(d, kStirlingStart);
  GammaPair<D> p{n, x, hn::Add(x, n), hn::Set(d, 1.0), zero, zero, zero, zero, zero};
  for (int k = 0; k < static_cast<int>(kStirlingStart); ++k) {
    const auto active = hn::Or(hn::Lt(p.x, start), hn::Lt(p.z, start));
    if (!Any(d, active)) break;
    Step(d, p, active);
  }
  return p;
}

// s and its first two derivatives at z less those at x, for the moved pair
template <class D>
struct Remainder {
  hn::Vec<D> wx, wz, square_x, square_z, dw, dsquare;  // w = 1/., their squares, differences z - x
};

template <class D>
HWY_INLINE Remainder<D> InverseDifferences(D d, const GammaPair<D>& p) {
  const auto one = hn::Set(d, 1.0), wx = hn::Div(one, p.x), wz = hn::Div(one, p.z);
  const auto dw = hn::Neg(hn::Mul(hn::Mul(p.n, wx), wz));
  return {wx, wz, hn::Mul(wx, wx), hn::Mul(wz, wz), dw, hn::Mul(dw, hn::Add(wx, wz))};
}

template <class D>
HWY_INLINE hn::Vec<D> RemainderDifference(D d, const Remainder<D>& r) {
  const auto p = PolynomialDifference(d, tables::kStirling, r.square_z, r.square_x);
  return hn::MulAdd(hn::Mul(r.wx, r.dsquare), p.slope, hn::Mul(r.dw, p.value));
}

template <class D>
HWY_INLINE hn::Vec<D> RemainderDifference1(D d, const Remainder<D>& r) {
  const auto p = PolynomialDifference(d, tables::kStirling1, r.square_z, r.square_x);
  return hn::Mul(r.dsquare, hn::MulAdd(r.square_x, p.slope, p.value));
}

template <class D>
HWY_INLINE hn::Vec<D> RemainderDifference2(D d, const Remainder<D>& r) {
  const auto p = PolynomialDifference(d, tables::kStirling2, r.square_z, r.square_x);
  const auto cubes = hn::MulAdd(r.wx, hn::Add(r.wx, r.wz), r.square_z);
  const auto cube_x = hn::Mul(r.wx, r.square_x);
  return hn::MulAdd(hn::Mul(r.dw, cubes), p.value, hn::Mul(hn::Mul(cube_x, r.dsquare), p.slope));
}

// lgamma(z) - lgamma(x) - n log x of the moved pair
template <class D>
HWY_INLINE hn::Vec<D> MovedExcess(D d, const GammaPair<D>& p) {
  const auto u = hn::Div(p.n, p.x);
  const auto small =
      hn::NegMulAdd(hn::Set(d, 0.5), Log1p(d, u), RemainderDifference(d, InverseDifferences(d, p)));
  return hn::MulAdd(p.x, EntropyExcess(d, u), small);
}

// log prod (z + k)/(x + k) over the steps of the move
template <class D>
HWY_INLINE hn::Vec<D> MovedProduct(D d, const GammaPair<D>& p) {
  return Log1p(d, hn::Mul(p.n, hn::Div(p.difference, p.lower)));
}

// lgamma(x + n) - lgamma(x) - n log x for x > 0, x + n > 0.
template <class D>
HWY_INLINE hn::Vec<D> LgammaExcess(D d, hn::Vec<D> x, hn::Vec<D> n) {
  const auto p = MoveUp(d, x, n);
  const auto value = MovedExcess(d, p);
  const auto moved = hn::Ne(p.x, x);
  if (!Any(d, moved)) return OneNaN(d, value);
  const auto powers = hn::MulSub(n, Log(d, hn::Div(p.x, x)), MovedProduct(d, p));
  return OneNaN(d, hn::IfThenElse(moved, hn::Add(value, powers), value));
}

// lgamma(x + n) - lgamma(x) for x > 0, x + n > 0.
template <class D>
HWY_INLINE hn::Vec<D> LgammaDelta(D d, hn::Vec<D> x, hn::Vec<D> n) {
  const auto p = MoveUp(d, x, n);
  const auto value = hn::MulAdd(n, Log(d, p.x), MovedExcess(d, p));
  const auto moved = hn::Ne(p.x, x);
  if (!Any(d, moved)) return OneNaN(d, value);
  return OneNaN(d, hn::IfThenElse(moved, hn::Sub(value, MovedProduct(d, p)), value));
}

// digamma(x + n) - digamma(x) - n/x, the derivative of LgammaExcess by x.
template <class D>
HWY_INLINE hn::Vec<D> DigammaExcess(D d, hn::Vec<D> x, hn::Vec<D> n) {
  const auto p = MoveUp(d, x, n);
  const auto r = InverseDifferences(d, p);
  const auto half = hn::Mul(hn::Set(d, -0.5), r.dw);  // n / (2 x z)
  const auto small = hn::Add(half, RemainderDifference1(d, r));
  return OneNaN(d, hn::Add(hn::Add(Log1pmx(d, hn::Div(n, p.x)), small), p.digamma_excess));
}

// digamma(x + n) - digamma(x), the derivative of LgammaDelta by x.
template <class D>
HWY_INLINE hn::Vec<D> DigammaDelta(D d, hn::Vec<D> x, hn::Vec<D> n) {
  const auto p = MoveUp(d, x, n);
  const auto r = InverseDifferences(d, p);
  const auto half = hn::Mul(hn::Set(d, -0.5), r.dw);
  const auto small = hn::Add(half, RemainderDifference1(d, r));
  return OneNaN(d, hn::Add(hn::Add(Log1p(d, hn::Div(n, p.x)), small), p.digamma));
}

// trigamma(x + n) - trigamma(x), the derivative of DigammaDelta by x.
template <class D>
HWY_INLINE hn::Vec<D> TrigammaDelta(D d, hn::Vec<D> x, hn::Vec<D> n) {
  const auto p = MoveUp(d, x, n);
  const auto r = InverseDifferences(d, p);
  const auto half = hn::Mul(hn::Set(d, 0.5), r.dsquare);  // (1/z^2 - 1/x^2) / 2
  const auto small = hn::Add(half, RemainderDifference2(d, r));
  return OneNaN(d, hn::Add(hn::Add(r.dw, small), p.trigamma));
}

// trigamma(x + n) - trigamma(x) + n/x^2, the derivative of DigammaExcess by x.
template <class D>
HWY_INLINE hn::Vec<D> TrigammaExcess(D d, hn::Vec<D> x, hn::Vec<D> n) {
  const auto p = MoveUp(d, x, n);
  const auto r = InverseDifferences(d, p);
  // n^2 / (x^2 z) + (1/z^2 - 1/x^2) / 2
  const auto leading = hn::Neg(hn::Mul(hn::Mul(n, r.wx), r.dw));
  const auto half = hn::Mul(hn::Set(d, 0.5), r.dsquare);
  return OneNaN(
      d, hn::Add(hn::Add(hn::Add(leading, half), RemainderDifference2(d, r)), p.trigamma_excess));
}

// digamma(x) - log x for x > 0; about -1/(2x) for large x.
template <class D>
HWY_INLINE hn::Vec<D> DigammaLessLog(D d, hn::Vec<D> x) {
  const auto near = Piecewise<tables::kDigammaLessLogShape>(d, tables::kDigammaLessLog, x, x, 0.0);
  const auto inside = hn::And(hn::Ge(x, hn::Set(d, 0.5)), hn::Lt(x, hn::Set(d, 16.0)));
  if (hn::AllTrue(d, inside)) return OneNaN(d, near);
  const auto small = hn::Sub(Digamma(d, x), Log(d, x));
  const auto inverse = hn::Div(hn::Set(d, 1.0), x), square = hn::Mul(inverse, inverse);
  const auto series = hn::Mul(square, Polynomial(d, tables::kStirling1, square));
  const auto large = hn::NegMulAdd(hn::Set(d, 0.5), inverse, series);
  const auto outside = hn::IfThenElse(hn::Ge(x, hn::Set(d, 16.0)), large, small);
  return OneNaN(d, hn::IfThenElse(inside, near, outside));
}

// log B(a, b) for 8 <= a <= b, every large term negative
template <class D>
HWY_INLINE hn::Vec<D> LbetaLarge(D d, hn::Vec<D> a, hn::Vec<D> b) {
  const auto one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), sum = hn::Add(a, b);
  const auto remainder = [&](hn::Vec<D> x) HWY_ATTR {
    const auto inverse = hn::Div(one, x);
    return hn::Mul(inverse, Polynomial(d, tables::kStirling, hn::Mul(inverse, inverse)));
  };
  const auto rest = hn::Add(hn::Sub(remainder(b), remainder(sum)), remainder(a));
  const auto constant = hn::Add(hn::Set(d, kHalfLog2Pi), rest);
  const auto root = hn::NegMulAdd(half, Log(d, b), constant);
  const auto first = hn::MulAdd(hn::Sub(a, half), Log(d, hn::Div(a, sum)), root);
  return hn::NegMulAdd(b, Log1p(d, hn::Div(a, b)), first);
}

// log B(a, b) = lgamma(a) + lgamma(b) - lgamma(a + b), a, b > 0.
template <class D>
HWY_INLINE hn::Vec<D> Lbeta(D d, hn::Vec<D> a, hn::Vec<D> b) {
  const auto swap = hn::Gt(a, b);
  const auto smaller = hn::IfThenElse(swap, b, a), larger = hn::IfThenElse(swap, a, b);
  const auto both_large = hn::Ge(smaller, hn::Set(d, kStirlingStart));
  const auto large = LbetaLarge(d, smaller, larger);
  if (hn::AllTrue(d, both_large)) return OneNaN(d, large);
  const auto value = hn::Sub(Lgamma(d, smaller), LgammaDelta(d, larger, smaller));
  return OneNaN(d, hn::IfThenElse(both_large, large, value));
}

// log of the binomial coefficient for real 0 <= k <= n (as Gamma functions beyond).
template <class D>
HWY_INLINE hn::Vec<D> Lchoose(D d, hn::Vec<D> n, hn::Vec<D> k) {
  const auto one = hn::Set(d, 1.0), other = hn::Sub(n, k);
  const auto swap = hn::Gt(k, other);
  const auto smaller = hn::IfThenElse(swap, other, k), larger = hn::IfThenElse(swap, k, other);
  const auto a = hn::Add(smaller, one), b = hn::Add(larger, one);
  const auto both_large = hn::Ge(a, hn::Set(d, kStirlingStart));
  const auto large = hn::Neg(hn::Add(Log1p(d, n), LbetaLarge(d, a, b)));
  if (hn::AllTrue(d, both_large)) return OneNaN(d, large);
  const auto value = hn::Sub(LgammaDelta(d, b, smaller), Lgamma(d, a));
  return OneNaN(d, hn::IfThenElse(both_large, large, value));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif
