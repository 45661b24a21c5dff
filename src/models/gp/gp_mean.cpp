#include "models/gp/gp_problem.hpp"

namespace credo::models {

GpMean solve_mean(const numerics::DenseMatrix& cross, std::span<const double> right,
                  double square) {
  GpMean made{.beta = std::vector<double>(right.begin(), right.end()), .factor = {}};
  const Index q = cross.rows;
  if (q == 0) {
    made.quadratic = square;
    return made;
  }
  made.factor = numerics::cholesky_root(cross);
  const auto r = [&](Index i, Index j) { return made.factor(i, j); };
  for (Index i = 0; i < q; ++i)
    if (!(r(i, i) * r(i, i) > 1e-13 * cross(i, i))) made.is_defined = false;
  if (!made.is_defined) return made;
  made.quadratic = square;
  for (Index i = 0; i < q; ++i) {  // R' z = right
    double& z = made.beta[static_cast<std::size_t>(i)];
    for (Index j = 0; j < i; ++j) z -= r(j, i) * made.beta[static_cast<std::size_t>(j)];
    z /= r(i, i);
    made.quadratic -= z * z;
    made.log_determinant += 2.0 * std::log(r(i, i));
  }
  for (Index i = q - 1; i >= 0; --i) {
    double& b = made.beta[static_cast<std::size_t>(i)];
    for (Index j = i + 1; j < q; ++j) b -= r(i, j) * made.beta[static_cast<std::size_t>(j)];
    b /= r(i, i);
  }
  return made;
}

double gp_log_evidence(double log_determinant, const GpMean& mean, Index num_rows) {
  const auto free = static_cast<double>(num_rows - ssize(mean.beta));
  return -0.5 * (mean.quadratic + log_determinant + mean.log_determinant +
                 free * std::log(2.0 * std::numbers::pi));
}

}  // namespace credo::models
