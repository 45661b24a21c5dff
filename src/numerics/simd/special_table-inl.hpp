// Shared parts of all special functions: polynomials, piecewise polynomials with gathered coefficients,
// and the sine and cosine of pi r that reflection formulas need. Included once per SIMD target.
//
// A piecewise table cuts every octave of w into 16 intervals (special_tables.hpp). The polynomial's
// variable is the distance from the interval's centre; that subtraction is exact, so the only
// errors are the rounding of the leading coefficient and of the last addition: below 1 ulp.
#if defined(CREDO_NUMERICS_SIMD_SPECIAL_TABLE_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_SPECIAL_TABLE_INL_HPP_
#undef CREDO_NUMERICS_SIMD_SPECIAL_TABLE_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_SPECIAL_TABLE_INL_HPP_
#endif

#include "numerics/simd/highway.hpp"

#include "hwy/highway.h"
#include "numerics/simd/exp-inl.hpp"
#include "numerics/simd/log-inl.hpp"
#include "numerics/special_tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// c[0] + c[1] x + ..., by Horner's rule.
template <class D, size_t N>
HWY_INLINE hn::Vec<D> Polynomial(D d, const double (&c)[N], hn::Vec<D> x) {
  hn::Vec<D> sum = hn::Set(d, c[N - 1]);
  for (size_t j = N - 1; j-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, c[j]));
  return sum;
}

// The value and, from the same coefficients, (p(x) - p(y)) / (x - y) without cancellation.
template <class D>
struct DividedDifference {
  hn::Vec<D> value, slope;
};

template <class D, size_t N>
HWY_INLINE DividedDifference<D> PolynomialDifference(D d, const double (&c)[N], hn::Vec<D> x,
                                                     hn::Vec<D> y) {
  hn::Vec<D> value = hn::Set(d, c[N - 1]), slope = hn::Zero(d);
  for (size_t j = N - 1; j-- > 0;) {
    slope = hn::MulAdd(slope, y, value);
    value = hn::MulAdd(value, x, hn::Set(d, c[j]));
  }
  return {value, slope};
}

// w limited to the table's range; comparisons rather than Min and Max, so that a NaN takes the
// first row (its result is NaN through the polynomial's variable).
template <tables::Shape kShape, class D>
HWY_INLINE hn::Vec<D> WithinTable(D d, hn::Vec<D> w) {
  const auto lo = hn::Set(d, std::ldexp(1.0, kShape.first_exponent));
  const auto end =
      hn::Set(d, std::ldexp(1.0, kShape.first_exponent + kShape.num_octaves) * (1.0 - 0x1p-53));
  w = hn::IfThenElse(hn::Gt(w, lo), w, lo);
  return hn::IfThenElse(hn::Lt(w, end), w, end);
}

// The table's function at w = t + shift, where t is exact and w may be rounded.
template <tables::Shape kShape, class D>
HWY_INLINE hn::Vec<D> Piecewise(D d, const double* table, hn::Vec<D> w, hn::Vec<D> t,
                                double shift) {
  const hn::RebindToSigned<D> di;
  const hn::Repartition<int32_t, decltype(di)> d32;
  const auto bits = hn::BitCast(di, WithinTable<kShape>(d, w));
  const auto centre_bits =
      hn::Or(hn::And(bits, hn::Set(di, int64_t{-1} << 48)), hn::Set(di, int64_t{1} << 47));
  const auto r = hn::Sub(t, hn::Sub(hn::BitCast(d, centre_bits), hn::Set(d, shift)));
  const auto row =
      hn::Sub(hn::ShiftRight<48>(bits), hn::Set(di, (int64_t{1023} + kShape.first_exponent) * 16));
  const auto start = hn::MulEven(hn::BitCast(d32, row), hn::Set(d32, kShape.degree + 1));
  hn::Vec<D> sum = hn::GatherIndex(d, table + kShape.degree, start);
  for (int j = kShape.degree; j-- > 0;) {
    sum = hn::MulAdd(sum, r, hn::GatherIndex(d, table + j, start));
  }
  return sum;
}

// The value with every NaN the same one: which of two NaN operands an instruction hands on depends
// on the order the compiler puts them in.
template <class D>
HWY_INLINE hn::Vec<D> OneNaN(D d, hn::Vec<D> value) {
  return hn::IfThenElse(hn::IsNaN(value), hn::Set(d, kNaN), value);
}

template <class D>
HWY_INLINE bool Any(D d, hn::Mask<D> mask) {
  return !hn::AllFalse(d, mask);
}

// x - the nearest integer, exact; in [-1/2, 1/2].
template <class D>
HWY_INLINE hn::Vec<D> FromInteger(D, hn::Vec<D> x) {
  return hn::Sub(x, hn::Round(x));
}

// sin(pi r) / pi and cos(pi r) for |r| <= 1/2.
template <class D>
HWY_INLINE hn::Vec<D> SinPiOverPi(D d, hn::Vec<D> r) {
  const auto square = hn::Mul(r, r);
  return hn::MulAdd(hn::Mul(r, square), Polynomial(d, tables::kSinPi, square), r);
}

template <class D>
HWY_INLINE hn::Vec<D> ReflectionCosine(D d, hn::Vec<D> r) {
  const auto half = hn::Set(d, 0.5);
  const auto zeros = hn::Mul(hn::Sub(half, r), hn::Add(half, r));
  return hn::Mul(zeros, Polynomial(d, tables::kCosPi, hn::Mul(r, r)));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif
