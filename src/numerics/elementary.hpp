// Elementary functions of one arithmetic: the scalar and array forms of
// numerics/simd/elementary-inl.hpp, equal to it bit for bit on the active SIMD target. Errors are
// stated, in units in the last place (ulp), at each function;
// tests/numerics/elementary_accuracy_test.cpp asserts them.
#pragma once
#include "base/std.hpp"

namespace credo::numerics {

double exp(double x);              // 0.52; subnormal results 1
double exp2(double x);             // 0.53; subnormal results 1
double expm1(double x);            // 0.95
double log(double x);              // 0.9
double log1p(double x);            // 0.9
double pow(double x, double y);    // 0.8; subnormal results 1.1; special values of C99 annex F
double sqrt(double x);             // 0.5
double log2(double x);             // 0.7; exact at powers of 2
double log10(double x);            // 0.7
double cbrt(double x);             // 0.51
double hypot(double x, double y);  // 1; 1.2 without fused multiply-add

// Arguments of any size: huge ones are reduced exactly.
double sin(double x);              // 0.8
double cos(double x);              // 0.8
double tan(double x);              // 0.95
double asin(double x);             // 0.8
double acos(double x);             // 0.8
double atan(double x);             // 0.8
double atan2(double y, double x);  // 1.4; special values of C99 annex F
double sinh(double x);             // 0.75
double cosh(double x);             // 0.75
double tanh(double x);             // 0.8
double asinh(double x);            // 1.6
double acosh(double x);            // 1.8
double atanh(double x);            // 1

double inv_logit(double x);        // 1 / (1 + e^-x); 1.9
double log1p_exp(double x);        // log(1 + e^x); 1.5
double log1m_exp(double x);        // log(1 - e^x), NaN for x > 0; 1
double log_inv_logit(double x);    // log(1 / (1 + e^-x)); 1.5
double log1m_inv_logit(double x);  // log(1 - 1 / (1 + e^-x)); 1.5
double logit(double x);            // log(x / (1 - x)), NaN outside [0, 1]; 1.1
// Errors in ulp of the largest of |a|, |b| and the result.
double log_sum_exp(double a, double b);   // log(e^a + e^b); 2
double log_diff_exp(double a, double b);  // log(e^a - e^b), -inf for a == b, NaN for a < b; 2

double square(double x);
double floor(double x);
double ceil(double x);
double trunc(double x);
double round(double x);           // halves away from zero
double fmod(double x, double y);  // exact, the sign of x

// The functions as tables, in the order of the enumerators, on the active target. `array` writes
// f(x[i]) to out[i] for i < n; out may be x itself.
enum class Unary : size_t {
  exp,
  exp2,
  expm1,
  log,
  log1p,
  sqrt,
  inv_logit,
  log1p_exp,
  log1m_exp,
  log_inv_logit,
  log1m_inv_logit,
  logit,
  square,
  floor,
  ceil,
  trunc,
  round,
  log2,
  log10,
  cbrt,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  count
};
enum class Binary : size_t { pow, log_sum_exp, log_diff_exp, atan2, hypot, fmod, count };

struct UnaryFunction {
  std::string_view name;
  double (*scalar)(double x);
  void (*array)(const double* x, double* out, size_t n);
};
struct BinaryFunction {
  std::string_view name;
  double (*scalar)(double x, double y);
  void (*array)(const double* x, const double* y, double* out, size_t n);
};
const UnaryFunction& function(Unary which);
const BinaryFunction& function(Binary which);

}  // namespace credo::numerics
