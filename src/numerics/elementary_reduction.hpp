// Arguments of sine, cosine and tangent beyond the reach of a subtraction of multiples of pi/2.
#pragma once

namespace credo::numerics {

// x - quadrant pi/2 = hi + lo, |hi| <= pi/4 and a little; quadrant in [-3, 4] modulo 4.
struct HugeReduction {
  double hi, lo, quadrant;
};

// Finite |x| >= 2^17; relative error of hi + lo below 2^-70. The same bits on every CPU.
HugeReduction reduce_huge(double x);

}  // namespace credo::numerics
