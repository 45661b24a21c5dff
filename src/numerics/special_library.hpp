// Special functions computed by Boost.Math, relative error below 1e-12 except next to a zero of an
// oscillating function (special_library_test.cpp). Outside the domain NaN, at a pole an infinity.
// They use the C library's elementary functions: their last bits belong to the machine, not to the
// arithmetic of numerics/elementary.hpp.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

double bessel_j(int order, double x);  // first kind, any x
double bessel_y(int order, double x);  // second kind, x > 0
double bessel_i(int order, double x);  // modified, first kind, any x
double bessel_k(int order, double x);  // modified, second kind, x > 0

double owens_t(double h, double a);
double lambert_w0(double x);   // w >= -1 with w e^w = x, x >= -1/e
double lambert_wm1(double x);  // w <= -1 with w e^w = x, -1/e <= x < 0
double tgamma(double x);       // the Gamma function; NaN at its poles

}  // namespace credo::numerics
