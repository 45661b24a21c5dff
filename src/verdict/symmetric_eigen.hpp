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

// Decomposition of an n x n matrix; values and vectors have the errors of numerics::symmetric_eigen, below 1e-14
// n of the largest eigenvalue.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n);

}  // namespace credo::verdict
