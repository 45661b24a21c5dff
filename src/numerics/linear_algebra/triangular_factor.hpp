// The triangular factor of a tall matrix, by Householder reflections [golub2013, alg. 5.2.1] of
// blocks of rows under the factor so far. |C p| = |R p| for every p, without the cancellation of
// normal equations.
#pragma once
#include "base/std.hpp"
#include "base/types.hpp"

namespace credo::numerics {

class TriangularFactor {
 public:
  explicit TriangularFactor(std::size_t num_columns)
      : k_(num_columns), factor_(num_columns * num_columns, 0.0) {}

  // Takes in `count` more rows of C, column-major; they are overwritten. 2 count k^2 operations.
  void add(std::span<double> rows, std::size_t count);

  // R, k x k, column-major, upper triangular.
  const std::vector<double>& factor() const { return factor_; }

 private:
  std::size_t k_;
  std::vector<double> factor_;
};

}  // namespace credo::numerics
