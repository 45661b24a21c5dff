// Special functions of one number, in the arithmetic of the SIMD kernels: each returns the bits
// that the vector form (simd/special-inl.hpp) gives in any lane. Errors are maxima over the stored
// high-precision values (tests/numerics/special_accuracy_test.cpp), in units in the last place
// (ulp); next to a zero of the function the error is absolute and below 1e-15. NaN in, NaN out.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// --- Gamma function ---------------------------------------------------------------------------
double lgamma(double x);            // log|Gamma(x)|; +infinity at the poles and at +-infinity
double lgamma1p(double t);          // lgamma(1 + t) for t >= -1/2, exact in t
double digamma(double x);           // derivatives of lgamma of order 1 ...
double trigamma(double x);          // 2
double tetragamma(double x);        // 3
double pentagamma(double x);        // 4
double digamma_less_log(double x);  // digamma(x) - log(x), x > 0

// lgamma(x) - (x - 1/2) log x + x - log(2 pi)/2, about 1/(12 x), for x >= 8.
double lgamma_stirling(double x);

// Differences, for x > 0 and x + n > 0, that keep their digits for x up to 1e15 and for small n.
double lgamma_excess(double x, double n);    // lgamma(x + n) - lgamma(x) - n log(x)
double digamma_excess(double x, double n);   // digamma(x + n) - digamma(x) - n/x
double trigamma_excess(double x, double n);  // trigamma(x + n) - trigamma(x) + n/x^2
double lgamma_delta(double x, double n);     // lgamma(x + n) - lgamma(x)
double digamma_delta(double x, double n);    // digamma(x + n) - digamma(x)
double trigamma_delta(double x, double n);   // trigamma(x + n) - trigamma(x)

double lbeta(double a, double b);    // log B(a, b), a, b > 0, however unequal
double lchoose(double n, double k);  // log of the binomial coefficient, real 0 <= k <= n
double log1pmx(double u);            // log1p(u) - u
double entropy_excess(double u);     // (1 + u) log1p(u) - u

// --- error function and normal distribution ---------------------------------------------------
double erf(double x);
double erfc(double x);
double erfcx(double x);            // exp(x^2) erfc(x)
double phi(double x);              // standard normal distribution function
double log_phi(double x);          // its logarithm, for any x
double inverse_mills(double x);    // derivative of log_phi: density over distribution function
double inv_phi(double p);          // quantile of a probability; -+infinity at 0 and 1, NaN outside
double inv_phi_log(double log_p);  // quantile of exp(log_p); NaN for log_p > 0

// --- modified Bessel functions of order 0 and 1 -------------------------------------------------
double log_bessel_i0(double x);   // log I0(x)
double bessel_ratio(double x);    // I1(x) / I0(x), the derivative of log_bessel_i0
double bessel_ratio_1(double x);  // its derivatives
double bessel_ratio_2(double x);

double log_inv_logit_diff(double a, double b);  // log(inv_logit(a) - inv_logit(b)), a > b

}  // namespace credo::numerics
