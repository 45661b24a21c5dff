// The special functions as a table: name in the stored values, kernel, largest error. The error of
// a value may reach max_ulp units in its last place, plus 2^-52 times the size of the terms that
// cancel next to a zero of the function (0 where it has none).
#pragma once
#include "numerics/special_kernels.hpp"

namespace credo::test {

using numerics::BinaryKernel;
using numerics::SpecialKernels;
using numerics::UnaryKernel;

struct UnaryCase {
  const char* name;
  UnaryKernel SpecialKernels::*kernel;
  double max_ulp;
  double (*cancelling)(double x);
};

struct BinaryCase {
  const char* name;
  BinaryKernel SpecialKernels::*kernel;
  double max_ulp;
  double (*cancelling)(double x, double y);
};

inline double none(double) { return 0; }
inline double no_pair(double, double) { return 0; }

// Below 8 the arguments are moved up: n log and log1p(n/x) cancel.
inline double moved(double x, double n) { return x < 8 ? 12 * n + 2 * std::log1p(n / x) : 0; }

inline const std::vector<UnaryCase> kUnaryCases = {
    {"lgamma", &SpecialKernels::lgamma, 4, [](double x) { return x < 0 ? 2.0 : 0.0; }},
    {"lgamma1p", &SpecialKernels::lgamma1p, 4, none},
    {"digamma", &SpecialKernels::digamma, 4, [](double x) { return x < 0 ? 4.0 : 0.0; }},
    {"trigamma", &SpecialKernels::trigamma, 4, none},
    {"tetragamma", &SpecialKernels::tetragamma, 5, [](double x) { return x < 0 ? 16.0 : 0.0; }},
    {"pentagamma", &SpecialKernels::pentagamma, 6, none},
    {"digamma_less_log", &SpecialKernels::digamma_less_log, 4, none},
    {"erf", &SpecialKernels::erf, 2, none},
    {"erfc", &SpecialKernels::erfc, 4, none},
    {"erfcx", &SpecialKernels::erfcx, 4, none},
    {"phi", &SpecialKernels::phi, 4, none},
    {"log_phi", &SpecialKernels::log_phi, 4, none},
    {"inverse_mills", &SpecialKernels::inverse_mills, 4, none},
    {"inv_phi", &SpecialKernels::inv_phi, 4, none},
    {"inv_phi_log", &SpecialKernels::inv_phi_log, 4, [](double) { return 1.0; }},
    {"log_bessel_i0", &SpecialKernels::log_bessel_i0, 4, none},
    {"bessel_ratio", &SpecialKernels::bessel_ratio, 4, none},
    {"bessel_ratio_1", &SpecialKernels::bessel_ratio_1, 4, none},
    {"bessel_ratio_2", &SpecialKernels::bessel_ratio_2, 5, none},
    {"log1pmx", &SpecialKernels::log1pmx, 4, none},
    {"entropy_excess", &SpecialKernels::entropy_excess, 4, none},
};

// The excess functions have a zero at n = 1 between terms of order n/x, n/x^2 and n/x^3.
inline const std::vector<BinaryCase> kBinaryCases = {
    {"lgamma_excess", &SpecialKernels::lgamma_excess, 4, [](double x, double n) { return n / x; }},
    {"lgamma_excess_small", &SpecialKernels::lgamma_excess, 4, moved},
    {"digamma_excess", &SpecialKernels::digamma_excess, 4,
     [](double x, double n) { return n / x / x; }},
    {"trigamma_excess", &SpecialKernels::trigamma_excess, 5,
     [](double x, double n) { return n / x / x / x; }},
    {"lgamma_delta", &SpecialKernels::lgamma_delta, 4, moved},
    {"digamma_delta", &SpecialKernels::digamma_delta, 4, no_pair},
    {"trigamma_delta", &SpecialKernels::trigamma_delta, 4, no_pair},
    {"lbeta", &SpecialKernels::lbeta, 4, [](double, double) { return 4.0; }},
    {"lchoose", &SpecialKernels::lchoose, 4, [](double, double) { return 2.0; }},
    {"log_inv_logit_diff", &SpecialKernels::log_inv_logit_diff, 4, no_pair},
};

}  // namespace credo::test
