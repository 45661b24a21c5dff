#include "verdict/symmetric_eigen.hpp"

#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::verdict {

SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n) {
  SymmetricEigen result{.size = n, .values = std::vector<double>(n), .vectors = {}};
  std::vector<double> work(2 * n);
  numerics::symmetric_eigen(static_cast<Index>(n), matrix.data(), result.values.data(),
                            work.data());
  result.vectors = std::move(matrix);
  return result;
}

}  // namespace credo::verdict
