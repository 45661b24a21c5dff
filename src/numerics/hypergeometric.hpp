// Generalised hypergeometric series pFq(a; b; z) = sum_n (a_1)_n ... / ((b_1)_n ...) z^n / n!
// [olver2010, ch. 16], with derivatives by the shapes. Converges for p <= q, for p = q + 1 where
// |z| < 1, and where some a is a whole number <= 0; else NaN. Relative error about 1e-15 times the
// largest term over the sum: below 1e-13 where all is positive (hypergeometric_test.cpp).
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

inline constexpr Index kMostHypergeometricShapes = 16;  // shapes of each kind

struct HypergeometricShapes {
  std::span<const double> upper, lower;  // a, b
};

double hypergeometric(const HypergeometricShapes& shapes, double z);
// The derivative by shape k: upper ones first, then lower ones.
double hypergeometric_by(const HypergeometricShapes& shapes, double z, Index k);

}  // namespace credo::numerics
