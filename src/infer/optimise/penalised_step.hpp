// The step of a proximal Newton method: the top of a concave quadratic function less the kinks.
#pragma once
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {

//   q(z) = g·(z - x) - ½ (z - x)ᵀ B (z - x) - Σ_j r_j |z_j - m_j|,  B positive definite
struct PenalisedQuadratic {
  std::vector<double> x, g, centres, rates;  // n values; a rate of 0: no kink
  numerics::DenseMatrix b;                   // n × n

  double gain(std::span<const double> z) const;    // q(z) - q(x)
  double linear(std::span<const double> z) const;  // the same without B
};

// z with the highest q, by coordinate ascent; coordinates at a kink have exactly its centre. Once signs are settled, the equations of the
// coordinates that aren't at a kink are solved at once. Nullopt if B isn't positive definite.
std::optional<std::vector<double>> maximised(const PenalisedQuadratic& q);

}  // namespace credo::infer
