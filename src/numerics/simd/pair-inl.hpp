// Building blocks of the elementary functions: exact sums and products as pairs hi + lo,
// polynomials, scaling by powers of two. Included once per SIMD target.
//
// With a fused multiply-add the error of a product costs one instruction; without (SSE4) the
// factors are split in halves of 26 bits [dekker1971]. Both are exact while nothing over- or
// underflows.
#if defined(CREDO_NUMERICS_SIMD_PAIR_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_PAIR_INL_HPP_
#undef CREDO_NUMERICS_SIMD_PAIR_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_PAIR_INL_HPP_
#endif

#include "numerics/simd/highway.hpp"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kToInteger = 0x1.8p52;  // x + this - this rounds |x| < 2^51 to an integer

// The unevaluated sum hi + lo, |lo| at most half a unit in the last place of hi.
template <class D>
struct Pair {
  hn::Vec<D> hi, lo;
};

// a + b exactly, if |a| >= |b| or a is 0.
template <class D>
HWY_INLINE Pair<D> FastTwoSum(D, hn::Vec<D> a, hn::Vec<D> b) {
  const auto sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}

// a + b exactly [knuth1997, 4.2.2 theorem B].
template <class D>
HWY_INLINE Pair<D> TwoSum(D, hn::Vec<D> a, hn::Vec<D> b) {
  const auto sum = hn::Add(a, b);
  const auto from_b = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, from_b)), hn::Sub(b, from_b))};
}

// a * b exactly; |a|, |b| < 2^996.
template <class D>
HWY_INLINE Pair<D> TwoProduct(D d, hn::Vec<D> a, hn::Vec<D> b) {
  const auto product = hn::Mul(a, b);
#if HWY_NATIVE_FMA
  (void)d;
  return {product, hn::MulSub(a, b, product)};
#else
  const auto splitter = hn::Set(d, 0x1p27 + 1.0);
  const auto a_scaled = hn::Mul(a, splitter), b_scaled = hn::Mul(b, splitter);
  const auto a_hi = hn::Sub(a_scaled, hn::Sub(a_scaled, a)), a_lo = hn::Sub(a, a_hi);
  const auto b_hi = hn::Sub(b_scaled, hn::Sub(b_scaled, b)), b_lo = hn::Sub(b, b_hi);
  const auto high = hn::Sub(hn::Mul(a_hi, b_hi), product);
  const auto middle = hn::Add(hn::Add(high, hn::Mul(a_hi, b_lo)), hn::Mul(a_lo, b_hi));
  return {product, hn::Add(middle, hn::Mul(a_lo, b_lo))};
#endif
}

// (a.hi + a.lo) (b.hi + b.lo), relative error about 2^-103.
template <class D>
HWY_INLINE Pair<D> Product(D d, Pair<D> a, Pair<D> b) {
  const auto p = TwoProduct(d, a.hi, b.hi);
  const auto cross = hn::MulAdd(a.hi, b.lo, hn::Mul(a.lo, b.hi));
  return FastTwoSum(d, p.hi, hn::Add(p.lo, cross));
}

// (n.hi + n.lo) / (m.hi + m.lo) as a pair not normalised, relative error about 2^-100, with one
// division; infinite or NaN where m.hi is 0.
template <class D>
HWY_INLINE Pair<D> Quotient(D d, Pair<D> n, Pair<D> m) {
  const auto inverse = hn::Div(hn::Set(d, 1.0), m.hi);
  const auto quotient = hn::Mul(n.hi, inverse);
  const auto back = TwoProduct(d, quotient, m.hi);
  const auto rest = hn::Add(hn::Sub(hn::Sub(n.hi, back.hi), back.lo), n.lo);
  return {quotient, hn::Mul(hn::NegMulAdd(quotient, m.lo, rest), inverse)};
}

// c[0] + c[1] x + ... as even and odd part: half the latency of Horner's rule.
template <class D, size_t N>
HWY_INLINE hn::Vec<D> EvenOdd(D d, const double (&c)[N], hn::Vec<D> x) {
  static_assert(N >= 3);
  constexpr size_t kLastEven = (N - 1) / 2 * 2, kLastOdd = N / 2 * 2 - 1;
  const auto square = hn::Mul(x, x);
  hn::Vec<D> even = hn::Set(d, c[kLastEven]), odd = hn::Set(d, c[kLastOdd]);
  for (size_t j = kLastEven; j >= 2; j -= 2) even = hn::MulAdd(even, square, hn::Set(d, c[j - 2]));
  for (size_t j = kLastOdd; j >= 3; j -= 2) odd = hn::MulAdd(odd, square, hn::Set(d, c[j - 2]));
  return hn::MulAdd(odd, x, even);
}

// The integer nearest to x, ties to even; |x| < 2^51.
template <class D>
HWY_INLINE hn::Vec<D> NearestInteger(D d, hn::Vec<D> x) {
  const auto magic = hn::Set(d, kToInteger);
  return hn::Sub(hn::Add(x, magic), magic);
}

// 2^k for an integer k in [-1022, 1023]: k + 1023 moved into the exponent field.
template <class D>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, hn::Vec<D> k) {
  const hn::RebindToUnsigned<D> du;
  const auto biased = hn::BitCast(du, hn::Add(k, hn::Set(d, kToInteger + 1023.0)));
  return hn::BitCast(d, hn::ShiftLeft<52>(biased));
}

// x 2^k for an integer |k| <= 2000; one rounding, where the result is subnormal.
template <class D>
HWY_INLINE hn::Vec<D> Scale(D d, hn::Vec<D> x, hn::Vec<D> k) {
  const auto half = NearestInteger(d, hn::Mul(k, hn::Set(d, 0.5)));
  return hn::Mul(hn::Mul(x, PowerOfTwo(d, half)), PowerOfTwo(d, hn::Sub(k, half)));
}

// x limited to [lo, hi]; NaN stays NaN.
template <class D>
HWY_INLINE hn::Vec<D> Limit(D d, hn::Vec<D> x, double lo, double hi) {
  const auto low = hn::Set(d, lo), high = hn::Set(d, hi);
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}

// value, but NaN where a or b is, always the same one: which of two NaN operands an instruction
// hands on depends on the order the compiler puts them in.
template <class D>
HWY_INLINE hn::Vec<D> NaNWhereEither(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> value) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Set(d, kNaN), value);
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
