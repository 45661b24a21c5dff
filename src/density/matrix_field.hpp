// A log density with a matrix that varies with the position: its Hessian, or its Fisher metric.
//
//   const auto density = with_information(plain, {
//       .value = [](auto x, auto matrix) { matrix[0] = n / std::exp(2.0 * x[0]); … },
//       .slope = [](auto x, auto weights, auto slope) { slope[0] = … ; }});
//
// It answers values and gradients as the plain one does.
#pragma once
#include "density/log_density.hpp"

namespace credo::density {

// Both functions are called from several threads at once. Entries that aren't finite refuse the
// point.
struct MatrixField {
  // Writes the D × D matrix B(x), both triangles, column-major.
  std::function<void(std::span<const double> x, std::span<double> matrix)> value;
  // Writes the D derivatives of Σ_jk weights_jk B_jk(x) by x, the symmetric weights held fixed.
  std::function<void(std::span<const double> x, std::span<const double> weights,
                     std::span<double> slope)>
      slope;
};

// The field is the Hessian of the log density.
std::shared_ptr<const LogDensity> with_hessian(std::shared_ptr<const LogDensity> density,
                                               MatrixField field);
// The field is the expected information of the likelihood, less the Hessian of the log prior where
// there is one: a metric, positive definite.
std::shared_ptr<const LogDensity> with_information(std::shared_ptr<const LogDensity> density,
                                                   MatrixField field);

// The information in other coordinates y, which x = x(y) maps to those of `matrix`: Jᵀ G J with
// J = dx/dy, D × D, column-major. A Fisher metric transforms so; a Hessian doesn't.
void transform_information(std::span<const double> matrix, std::span<const double> jacobian,
                           std::span<double> transformed);

}  // namespace credo::density
