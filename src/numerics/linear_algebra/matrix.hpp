// A small dense matrix as a value, for algorithms that are written in matrices and whose time goes elsewhere. Column-major, plain
// arithmetic in index order: the same bits on every CPU.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

struct DenseMatrix {
  Index rows = 0, cols = 0;
  std::vector<double> values = {};

  DenseMatrix() = default;
  DenseMatrix(Index rows_, Index cols_);  // filled with zeros
  DenseMatrix(Index rows_, Index cols_, std::span<const double> values_);
  double& operator()(Index i, Index j) { return values[static_cast<std::size_t>(i + j * rows)]; }
  double operator()(Index i, Index j) const {
    return values[static_cast<std::size_t>(i + j * rows)];
  }
};

DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b);
DenseMatrix operator*(double factor, DenseMatrix a);
DenseMatrix operator+(DenseMatrix a, const DenseMatrix& b);
DenseMatrix operator-(DenseMatrix a, const DenseMatrix& b);
DenseMatrix transposed(const DenseMatrix& a);
DenseMatrix beside(const DenseMatrix& left, const DenseMatrix& right);  // equal row counts
DenseMatrix above(const DenseMatrix& top, const DenseMatrix& bottom);   // of as many columns
DenseMatrix block(const DenseMatrix& a, Index row, Index col, Index rows, Index cols);

// R of A = Q R: upper triangular, cols x cols, its diagonal not negative.
DenseMatrix triangular_factor(const DenseMatrix& a);
// S, upper triangular, with S' S = A; NaN from the first pivot on that isn't positive.
DenseMatrix cholesky_root(const DenseMatrix& a);
// U^-1 B of an upper triangular U, n x n; infinite or NaN where U is singular.
DenseMatrix solve_upper(const DenseMatrix& u, DenseMatrix b);
DenseMatrix inverse_of_upper(const DenseMatrix& u);

// A = V diag(values) V', symmetric and positive semi-definite: values below 0 by rounding are 0.
struct SymmetricSpectrum {
  explicit SymmetricSpectrum(const DenseMatrix& a);
  DenseMatrix function(const std::function<double(double)>& f) const;  // V diag(f(values)) V'
  DenseMatrix vectors;
  std::vector<double> values;
};

}  // namespace credo::numerics
