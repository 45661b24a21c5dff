// A cluster of points with a Gaussian distribution whose mean and covariance are summed out.
#pragma once
#include "base/error.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {
using numerics::RowMatrix;

// covariance ~ inverse Wishart(scale, dof), mean | covariance ~ N(mean, covariance / mean_weight):
// the prior with which predictive distributions have a closed form.
struct NormalInverseWishart {
  std::vector<double> mean;  // D
  double mean_weight = 1.0;  // > 0, in observations
  RowMatrix scale;           // D x D, positive definite
  double dof = 1.0;          // > D - 1

  Index dimension() const { return ssize(mean); }
  void check() const;  // throws Error(data)
};

class GaussianCluster {
 public:
  explicit GaussianCluster(const NormalInverseWishart& prior);

  void add(std::span<const double> x);  // O(D^2): rank-one updates
  // Removes a point that was added. False if so little of the scale is left that rounding errors matter: then
  // the cluster is of no use any more.
  [[nodiscard]] bool remove(std::span<const double> x);
  Index count() const { return count_; }
  // Log density of one more point given those in the cluster: Student's t with dof - D + 1 degrees
  // of freedom. O(D^2); allocates nothing.
  double log_predictive(std::span<const double> x);
  // Log density of all points together.
  double log_marginal() const;

 private:
  double half_log_scale() const { return 0.5 * log_determinant_of_factor(factor_); }

  const NormalInverseWishart* prior_;  // outlives the cluster
  Index count_ = 0;
  double mean_weight_, dof_;
  std::vector<double> mean_, off_;
  RowMatrix prior_factor_, factor_;  // Cholesky factors of the scale
};

}  // namespace credo::models
