// log|Gamma| and its derivatives on the whole real line. Included once per SIMD target; errors are
// stated in numerics/special.hpp.
//
//   x >= 16            asymptotic series [dlmf, 5.11.1]
//   1/2 <= x < 16      piecewise table; lgamma as (x - 1)(x - 2) G(x), digamma as (x - root) H(x)
//   -1/2 < x < 1/2     recurrence from x + 1
//   x <= -1/2          reflection at |x|, with S = sin(pi r) / pi, r = |x| - nearest integer
#if defined(CREDO_NUMERICS_SIMD_SPECIAL_GAMMA_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_SPECIAL_GAMMA_INL_HPP_
#undef CREDO_NUMERICS_SIMD_SPECIAL_GAMMA_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_SPECIAL_GAMMA_INL_HPP_
#endif

#include "numerics/simd/highway.hpp"

#include "hwy/highway.h"
#include "numerics/simd/special_table-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kHalfLog2PiLessHalf = 0.41893853320467274178;

// Points of evaluation for an argument x: y is |x|, or x + 1 close to 0; t = y - 1 exactly.
template <class D>
struct GammaArgument {
  hn::Vec<D> x, y, t;
  hn::Mask<D> central, reflected, large;  // |x| < 1/2; x <= -1/2; y >= 16
};

template <class D>
HWY_INLINE GammaArgument<D> ReduceGamma(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0), size = hn::Abs(x);
  const auto central = hn::Lt(size, hn::Set(d, 0.5));
  const auto y = hn::IfThenElse(central, hn::Add(x, one), size);
  const auto t = hn::IfThenElse(central, x, hn::Sub(size, one));
  return {x, y, t, central, hn::Le(x, hn::Set(d, -0.5)), hn::Ge(y, hn::Set(d, 16.0))};
}

template <tables::Shape kShape, class D>
HWY_INLINE hn::Vec<D> GammaTable(D d, const double* table, const GammaArgument<D>& a) {
  return Piecewise<kShape>(d, table, a.y, a.t, 1.0);
}

// S, C and 1/y of the reflection formulas; r carries the sign of |x| - nearest integer.
template <class D>
struct Reflection {
  hn::Vec<D> sine, cosine, inverse;
};

template <class D>
HWY_INLINE Reflection<D> Reflect(D d, const GammaArgument<D>& a) {
  const auto r = FromInteger(d, a.y);
  return {SinPiOverPi(d, r), ReflectionCosine(d, r), hn::Div(hn::Set(d, 1.0), a.y)};
}

template <class D>
HWY_INLINE hn::Vec<D> StirlingLgamma(D d, hn::Vec<D> y) {
  const auto inverse = hn::Div(hn::Set(d, 1.0), y);
  const auto series = Polynomial(d, tables::kStirling, hn::Mul(inverse, inverse));
  const auto rest = hn::MulAdd(series, inverse, hn::Set(d, kHalfLog2PiLessHalf));
  const auto log_less_one = hn::Sub(Log(d, y), hn::Set(d, 1.0));
  return hn::MulAdd(hn::Sub(y, hn::Set(d, 0.5)), log_less_one, rest);
}

// log|Gamma(x)|; +infinity at the poles.
template <class D>
HWY_INLINE hn::Vec<D> Lgamma(D d, hn::Vec<D> x) {
  const auto a = ReduceGamma(d, x);
  const auto factor = GammaTable<tables::kLgammaShape>(d, tables::kLgamma, a);
  auto value = hn::Mul(hn::Mul(a.t, hn::Sub(a.t, hn::Set(d, 1.0))), factor);
  if (Any(d, a.large)) value = hn::IfThenElse(a.large, StirlingLgamma(d, a.y), value);
  if (Any(d, a.central)) {
    value = hn::IfThenElse(a.central, hn::Sub(value, Log(d, hn::Abs(x))), value);
  }
  if (Any(d, a.reflected)) {
    const auto sine = hn::Abs(SinPiOverPi(d, FromInteger(d, a.y)));
    const auto mirrored = hn::Neg(hn::Add(Log(d, hn::Mul(a.y, sine)), value));
    value = hn::IfThenElse(a.reflected, mirrored, value);
  }
  return OneNaN(d, hn::IfThenElse(hn::Eq(hn::Abs(x), hn::Inf(d)), hn::Inf(d), value));
}

// log Gamma(1 + t) for t >= -1/2, with the relative accuracy that 1 + t would spoil for small t.
template <class D>
HWY_INLINE hn::Vec<D> Lgamma1p(D d, hn::Vec<D> t) {
  const auto one = hn::Set(d, 1.0), y = hn::Add(t, one);
  const auto factor = Piecewise<tables::kLgammaShape>(d, tables::kLgamma, y, t, 1.0);
  const auto near = hn::Mul(hn::Mul(t, hn::Sub(t, one)), factor);
  const auto large = hn::Ge(y, hn::Set(d, 16.0));
  if (!Any(d, large)) return OneNaN(d, near);
  const auto far_value = hn::IfThenElse(hn::Eq(y, hn::Inf(d)), y, StirlingLgamma(d, y));
  return OneNaN(d, hn::IfThenElse(large, far_value, near));
}

// lgamma'; NaN at the poles, where the one-sided limits differ in sign.
template <class D>
HWY_INLINE hn::Vec<D> Digamma(D d, hn::Vec<D> x) {
  const auto a = ReduceGamma(d, x);
  const auto one = hn::Set(d, 1.0);
  const auto from_root = hn::Sub(hn::Sub(a.t, hn::Set(d, tables::kDigammaRoot - 1.0)),
                                 hn::Set(d, tables::kDigammaRootLow));
  auto value = hn::Mul(from_root, GammaTable<tables::kDigammaShape>(d, tables::kDigamma, a));
  if (Any(d, a.large)) {
    const auto inverse = hn::Div(one, a.y), square = hn::Mul(inverse, inverse);
    const auto series = hn::Mul(square, Polynomial(d, tables::kStirling1, square));
    const auto small = hn::NegMulAdd(hn::Set(d, 0.5), inverse, series);
    value = hn::IfThenElse(a.large, hn::Add(Log(d, a.y), small), value);
  }
  if (Any(d, a.central)) {
    value = hn::IfThenElse(a.central, hn::Sub(value, hn::Div(one, x)), value);
    value = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::NaN(d), value);
  }
  if (!Any(d, a.reflected)) return OneNaN(d, value);
  const auto f = Reflect(d, a);  // psi(-y) = psi(y) + 1/y + pi cot(pi y)
  auto mirrored = hn::Add(hn::Add(value, f.inverse), hn::Div(f.cosine, f.sine));
  mirrored = hn::IfThenElse(hn::Eq(f.sine, hn::Zero(d)), hn::NaN(d), mirrored);
  return OneNaN(d, hn::IfThenElse(a.reflected, mirrored, value));
}

// digamma'; +infinity at the poles.
template <class D>
HWY_INLINE hn::Vec<D> Trigamma(D d, hn::Vec<D> x) {
  const auto a = ReduceGamma(d, x);
  const auto one = hn::Set(d, 1.0);
  auto value = GammaTable<tables::kTrigammaShape>(d, tables::kTrigamma, a);
  if (Any(d, a.large)) {
    const auto inverse = hn::Div(one, a.y), square = hn::Mul(inverse, inverse);
    const auto series = hn::MulAdd(square, Polynomial(d, tables::kStirling2, square),
                                   hn::Mul(hn::Set(d, 0.5), inverse));
    value = hn::IfThenElse(a.large, hn::MulAdd(inverse, series, inverse), value);
  }
  if (Any(d, a.central)) {
    value = hn::IfThenElse(a.central, hn::Add(value, hn::Div(one, hn::Mul(x, x))), value);
  }
  if (!Any(d, a.reflected)) return OneNaN(d, value);
  const auto f = Reflect(d, a);  // psi1(-y) = 1/S^2 - psi1(y) + 1/y^2
  const auto peak = hn::Div(one, hn::Mul(f.sine, f.sine));
  const auto mirrored = hn::Sub(peak, hn::NegMulAdd(f.inverse, f.inverse, value));
  return OneNaN(d, hn::IfThenElse(a.reflected, mirrored, value));
}

// trigamma'; NaN at the poles below 0.
template <class D>
HWY_INLINE hn::Vec<D> Tetragamma(D d, hn::Vec<D> x) {
  const auto a = ReduceGamma(d, x);
  const auto one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
  auto value = GammaTable<tables::kTetragammaShape>(d, tables::kTetragamma, a);
  if (Any(d, a.large)) {
    const auto inverse = hn::Div(one, a.y), square = hn::Mul(inverse, inverse);
    const auto series =
        hn::Sub(hn::Mul(square, Polynomial(d, tables::kStirling3, square)), inverse);
    value = hn::IfThenElse(a.large, hn::Mul(square, hn::Sub(series, one)), value);
  }
  if (Any(d, a.central)) {
    const auto cube = hn::Mul(x, hn::Mul(x, x));
    value = hn::IfThenElse(a.central, hn::Sub(value, hn::Div(two, cube)), value);
  }
  if (!Any(d, a.reflected)) return OneNaN(d, value);
  const auto f = Reflect(d, a);  // psi2(-y) = psi2(y) + 2/y^3 + 2 C/S^3
  const auto peak = hn::Div(f.cosine, hn::Mul(f.sine, hn::Mul(f.sine, f.sine)));
  const auto cube = hn::Mul(f.inverse, hn::Mul(f.inverse, f.inverse));
  auto mirrored = hn::MulAdd(two, hn::Add(peak, cube), value);
  mirrored = hn::IfThenElse(hn::Eq(f.sine, hn::Zero(d)), hn::NaN(d), mirrored);
  return OneNaN(d, hn::IfThenElse(a.reflected, mirrored, value));
}

// tetragamma'; +infinity at the poles.
template <class D>
HWY_INLINE hn::Vec<D> Pentagamma(D d, hn::Vec<D> x) {
  const auto a = ReduceGamma(d, x);
  const auto one = hn::Set(d, 1.0), two = hn::Set(d, 2.0), six = hn::Set(d, 6.0);
  auto value = GammaTable<tables::kPentagammaShape>(d, tables::kPentagamma, a);
  if (Any(d, a.large)) {  // 2/y^3 + 3/y^4 + y^-5 (...)
    const auto inverse = hn::Div(one, a.y), square = hn::Mul(inverse, inverse);
    const auto series = hn::MulAdd(square, Polynomial(d, tables::kStirling4, square),
                                   hn::Mul(hn::Set(d, 3.0), inverse));
    value = hn::IfThenElse(a.large, hn::Mul(hn::Mul(square, inverse), hn::Add(two, series)), value);
  }
  if (Any(d, a.central)) {
    const auto square = hn::Mul(x, x);
    const auto pole = hn::Div(hn::Div(six, square), square);
    value = hn::IfThenElse(a.central, hn::Add(value, pole), value);
  }
  if (!Any(d, a.reflected)) return OneNaN(d, value);
  const auto f = Reflect(d, a);  // psi3(-y) = 2 (1 + 2 cos^2) / S^4 - psi3(y) + 6/y^4
  const auto sine2 = hn::Mul(f.sine, f.sine), inverse2 = hn::Mul(f.inverse, f.inverse);
  const auto cosines = hn::MulAdd(hn::Mul(two, f.cosine), f.cosine, one);
  const auto peak = hn::Div(hn::Div(hn::Mul(two, cosines), sine2), sine2);
  const auto rest = hn::NegMulAdd(hn::Mul(six, inverse2), inverse2, value);
  return OneNaN(d, hn::IfThenElse(a.reflected, hn::Sub(peak, rest), value));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif
