// Eigenvalues of small symmetric matrices, for analyses of draws.
#pragma once
#include "base/types.hpp"

namespace credo::verdict {

struct SymmetricEigen {
  std::size_t size = 0;
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // one after another
  std::span<const double> vector(std::size_t k) const {
    return std::span(vectors).subspan(k * size, size);
  }
};

// Cyclic Jacobi rotations [golub2013, sec. 8.5]: small eigenvalues of a correlation matrix come out
// to rounding of its entries. O(n³) a sweep, about ten sweeps.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n);

}  // namespace credo::verdict
