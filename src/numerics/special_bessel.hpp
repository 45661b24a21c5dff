// log I_nu(z), the modified Bessel function of the first kind of real order nu > -1, z > 0, with
// first and second derivatives by order and argument. Relative error of the value below 1e-13
// (absolute near a zero), of first derivatives below 1e-11, for z and nu up to 1e8
// (special_bessel_test.cpp).
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

struct LogBesselI {
  double value;
  double by_order, by_argument;
  double by_order_twice, by_both, by_argument_twice;
};
LogBesselI log_bessel_i(double nu, double z);

}  // namespace credo::numerics
