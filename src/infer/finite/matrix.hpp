// A square matrix, row-major: the linear algebra of the finite-chain laboratory.
#pragma once
#include <complex>

#include "base/types.hpp"

namespace credo::infer::finite {

struct SquareMatrix {
  SquareMatrix() = default;
  explicit SquareMatrix(Index n) : size(n), values(static_cast<std::size_t>(n * n)) {}
  SquareMatrix(Index n, std::vector<double> row_major) : size(n), values(std::move(row_major)) {}

  double& operator()(Index i, Index j) { return values[i * size + j]; }
  double operator()(Index i, Index j) const { return values[i * size + j]; }
  std::span<double> row(Index i) {
    return {values.data() + i * size, static_cast<std::size_t>(size)};
  }
  std::span<const double> row(Index i) const {
    return {values.data() + i * size, static_cast<std::size_t>(size)};
  }

  Index size = 0;
  std::vector<double> values;
};

SquareMatrix identity(Index n);
SquareMatrix multiply(const SquareMatrix& a, const SquareMatrix& b);
std::vector<double> multiply(std::span<const double> row, const SquareMatrix& a);     // row vector
std::vector<double> multiply(const SquareMatrix& a, std::span<const double> column);  // A column

// All eigenvalues of a real matrix, in no particular order; `a` is destroyed. Reduction to
// Hessenberg form and double implicit shifts [golub2013, algs. 7.4.2, 7.5.1 and 7.5.2]. The error
// of a simple eigenvalue is about 1e-16 n |A| times its condition; if it lacks a full set of
// vectors, a root of that.
std::vector<std::complex<double>> eigenvalues(SquareMatrix a);

// Eigenvalues of a symmetric matrix, descending; the columns of `vectors` are the unit vectors.
struct SymmetricEigen {
  std::vector<double> values;
  SquareMatrix vectors;
};
SymmetricEigen symmetric_eigen(const SquareMatrix& a);

}  // namespace credo::infer::finite
