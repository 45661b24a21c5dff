// Heat on a graph: G(t) = exp(-t L) with the Laplace matrix L = D - W of weights W and degrees D [kondor2002].
#pragma once
#include <mutex>

#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {

class GraphHeat {
 public:
  // `weights`: symmetric, not negative, its diagonal isn't used.
  GraphHeat(std::vector<std::string> names, const numerics::DenseMatrix& weights);

  Index size() const { return ssize(names_); }
  const std::vector<std::string>& names() const { return names_; }
  double mean_degree() const { return mean_degree_; }

  struct AtTime {
    double time = -1.0;
    numerics::DenseMatrix value, slope;  // G_ij / sqrt(G_ii G_jj), and its derivative by t
  };
  // N³ for a time that isn't the last one; thread-safe.
  std::shared_ptr<const AtTime> at(double time) const;

 private:
  std::vector<std::string> names_;
  double mean_degree_ = 0.0;
  numerics::SymmetricEigen eigen_;
  mutable std::mutex lock_;
  mutable std::shared_ptr<const AtTime> last_;
};

}  // namespace credo::models
