// Training of a wide network by gradient flow [jacot2018; lee2019]: with the tangent kernel T and rate 1, outputs move by df/dt = T(x, X) (y - f(X)),
// so from f = 0
//
//   f_t(x) = T(x, X) T(X, X)^-1 (1 - exp(-t T(X, X))) y
#pragma once
#include "models/gp/gp_table.hpp"

namespace credo::models {

struct GpFlow {
  std::vector<double> times;
  numerics::DenseMatrix mean;     // points x times
  std::vector<double> loss = {};  // sum of squared residuals at the rows, by time
};
// For any covariance at `theta`, with y less the mean's columns. Infinite times are allowed: the interpolation without noise, by the eigenvalues
// above 1e-12 of the largest. N³; throws Error(usage) for more than 2,000 rows, or a time below 0.
GpFlow flow_of(const GpTable& table, std::span<const double> theta, const GpPoints& points,
               std::span<const double> times);

}  // namespace credo::models
