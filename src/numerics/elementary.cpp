// Scalar and array forms of the elementary functions: one table of pointers per SIMD target. A
// scalar is a vector of one lane, the end of an array is done lane by lane.
#include "numerics/elementary.hpp"

#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/elementary.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "numerics/simd/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using OneLane = hn::CappedTag<double, 1>;
using AllLanes = hn::ScalableTag<double>;

template <auto kFunction>
double UnaryScalar(double x) {
  const OneLane d;
  return hn::GetLane(kFunction(d, hn::Set(d, x)));
}

template <auto kFunction>
void UnaryArray(const double* x, double* out, size_t n) {
  const AllLanes d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(kFunction(d, hn::LoadU(d, x + i)), d, out + i);
  }
  for (; i < n; ++i) out[i] = UnaryScalar<kFunction>(x[i]);
}

template <auto kFunction>
double BinaryScalar(double x, double y) {
  const OneLane d;
  return hn::GetLane(kFunction(d, hn::Set(d, x), hn::Set(d, y)));
}

template <auto kFunction>
void BinaryArray(const double* x, const double* y, double* out, size_t n) {
  const AllLanes d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(kFunction(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, out + i);
  }
  for (; i < n; ++i) out[i] = BinaryScalar<kFunction>(x[i], y[i]);
}

template <auto kFunction>
constexpr UnaryFunction unary(std::string_view name) {
  return {name, &UnaryScalar<kFunction>, &UnaryArray<kFunction>};
}

template <auto kFunction>
constexpr BinaryFunction binary(std::string_view name) {
  return {name, &BinaryScalar<kFunction>, &BinaryArray<kFunction>};
}

const UnaryFunction* UnaryTable() {
  static constexpr UnaryFunction kTable[] = {
      unary<[](auto d, auto x) { return Exp(d, x); }>("exp"),
      unary<[](auto d, auto x) { return Exp2(d, x); }>("exp2"),
      unary<[](auto d, auto x) { return Expm1(d, x); }>("expm1"),
      unary<[](auto d, auto x) { return Log(d, x); }>("log"),
      unary<[](auto d, auto x) { return Log1p(d, x); }>("log1p"),
      unary<[](auto d, auto x) { return Sqrt(d, x); }>("sqrt"),
      unary<[](auto d, auto x) { return InvLogit(d, x); }>("inv_logit"),
      unary<[](auto d, auto x) { return Log1pExp(d, x); }>("log1p_exp"),
      unary<[](auto d, auto x) { return Log1mExp(d, x); }>("log1m_exp"),
      unary<[](auto d, auto x) { return LogInvLogit(d, x); }>("log_inv_logit"),
      unary<[](auto d, auto x) { return Log1mInvLogit(d, x); }>("log1m_inv_logit"),
      unary<[](auto d, auto x) { return Logit(d, x); }>("logit"),
      unary<[](auto d, auto x) { return Square(d, x); }>("square"),
      unary<[](auto d, auto x) { return Floor(d, x); }>("floor"),
      unary<[](auto d, auto x) { return Ceil(d, x); }>("ceil"),
      unary<[](auto d, auto x) { return Trunc(d, x); }>("trunc"),
      unary<[](auto d, auto x) { return Round(d, x); }>("round"),
      unary<[](auto d, auto x) { return Log2(d, x); }>("log2"),
      unary<[](auto d, auto x) { return Log10(d, x); }>("log10"),
      unary<[](auto d, auto x) { return Cbrt(d, x); }>("cbrt"),
      unary<[](auto d, auto x) { return Sin(d, x); }>("sin"),
      unary<[](auto d, auto x) { return Cos(d, x); }>("cos"),
      unary<[](auto d, auto x) { return Tan(d, x); }>("tan"),
      unary<[](auto d, auto x) { return Asin(d, x); }>("asin"),
      unary<[](auto d, auto x) { return Acos(d, x); }>("acos"),
      unary<[](auto d, auto x) { return Atan(d, x); }>("atan"),
      unary<[](auto d, auto x) { return Sinh(d, x); }>("sinh"),
      unary<[](auto d, auto x) { return Cosh(d, x); }>("cosh"),
      unary<[](auto d, auto x) { return Tanh(d, x); }>("tanh"),
      unary<[](auto d, auto x) { return Asinh(d, x); }>("asinh"),
      unary<[](auto d, auto x) { return Acosh(d, x); }>("acosh"),
      unary<[](auto d, auto x) { return Atanh(d, x); }>("atanh"),
  };
  static_assert(std::size(kTable) == static_cast<size_t>(Unary::count));
  return kTable;
}

const BinaryFunction* BinaryTable() {
  static constexpr BinaryFunction kTable[] = {
      binary<[](auto d, auto x, auto y) { return Pow(d, x, y); }>("pow"),
      binary<[](auto d, auto x, auto y) { return LogSumExp2(d, x, y); }>("log_sum_exp"),
      binary<[](auto d, auto x, auto y) { return LogDiffExp(d, x, y); }>("log_diff_exp"),
      binary<[](auto d, auto x, auto y) { return Atan2(d, x, y); }>("atan2"),
      binary<[](auto d, auto x, auto y) { return Hypot(d, x, y); }>("hypot"),
      binary<[](auto d, auto x, auto y) { return Fmod(d, x, y); }>("fmod"),
  };
  static_assert(std::size(kTable) == static_cast<size_t>(Binary::count));
  return kTable;
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {

HWY_EXPORT(UnaryTable);
HWY_EXPORT(BinaryTable);

const UnaryFunction& function(Unary which) {
  return HWY_DYNAMIC_DISPATCH(UnaryTable)()[static_cast<size_t>(which)];
}

const BinaryFunction& function(Binary which) {
  return HWY_DYNAMIC_DISPATCH(BinaryTable)()[static_cast<size_t>(which)];
}

double exp(double x) { return function(Unary::exp).scalar(x); }
double exp2(double x) { return function(Unary::exp2).scalar(x); }
double expm1(double x) { return function(Unary::expm1).scalar(x); }
double log(double x) { return function(Unary::log).scalar(x); }
double log1p(double x) { return function(Unary::log1p).scalar(x); }
double sqrt(double x) { return function(Unary::sqrt).scalar(x); }
double inv_logit(double x) { return function(Unary::inv_logit).scalar(x); }
double log1p_exp(double x) { return function(Unary::log1p_exp).scalar(x); }
double log1m_exp(double x) { return function(Unary::log1m_exp).scalar(x); }
double log_inv_logit(double x) { return function(Unary::log_inv_logit).scalar(x); }
double log1m_inv_logit(double x) { return function(Unary::log1m_inv_logit).scalar(x); }
double logit(double x) { return function(Unary::logit).scalar(x); }
double square(double x) { return function(Unary::square).scalar(x); }
double floor(double x) { return function(Unary::floor).scalar(x); }
double ceil(double x) { return function(Unary::ceil).scalar(x); }
double trunc(double x) { return function(Unary::trunc).scalar(x); }
double round(double x) { return function(Unary::round).scalar(x); }
double log2(double x) { return function(Unary::log2).scalar(x); }
double log10(double x) { return function(Unary::log10).scalar(x); }
double cbrt(double x) { return function(Unary::cbrt).scalar(x); }
double sin(double x) { return function(Unary::sin).scalar(x); }
double cos(double x) { return function(Unary::cos).scalar(x); }
double tan(double x) { return function(Unary::tan).scalar(x); }
double asin(double x) { return function(Unary::asin).scalar(x); }
double acos(double x) { return function(Unary::acos).scalar(x); }
double atan(double x) { return function(Unary::atan).scalar(x); }
double sinh(double x) { return function(Unary::sinh).scalar(x); }
double cosh(double x) { return function(Unary::cosh).scalar(x); }
double tanh(double x) { return function(Unary::tanh).scalar(x); }
double asinh(double x) { return function(Unary::asinh).scalar(x); }
double acosh(double x) { return function(Unary::acosh).scalar(x); }
double atanh(double x) { return function(Unary::atanh).scalar(x); }

double pow(double x, double y) { return function(Binary::pow).scalar(x, y); }
double log_sum_exp(double a, double b) { return function(Binary::log_sum_exp).scalar(a, b); }
double log_diff_exp(double a, double b) { return function(Binary::log_diff_exp).scalar(a, b); }
double atan2(double y, double x) { return function(Binary::atan2).scalar(y, x); }
double hypot(double x, double y) { return function(Binary::hypot).scalar(x, y); }
double fmod(double x, double y) { return function(Binary::fmod).scalar(x, y); }

}  // namespace credo::numerics
#endif
