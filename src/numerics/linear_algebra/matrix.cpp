#include "numerics/linear_algebra/matrix.hpp"

#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::numerics {

DenseMatrix::DenseMatrix(Index rows_, Index cols_)
    : rows(rows_), cols(cols_), values(static_cast<std::size_t>(rows_ * cols_), 0.0) {}
DenseMatrix::DenseMatrix(Index rows_, Index cols_, std::span<const double> values_)
    : rows(rows_), cols(cols_), values(values_.begin(), values_.end()) {}

DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix out(a.rows, b.cols);
  for (Index j = 0; j < b.cols; ++j)
    for (Index k = 0; k < a.cols; ++k)
      for (Index i = 0; i < a.rows; ++i) out(i, j) += a(i, k) * b(k, j);
  return out;
}
DenseMatrix operator*(double factor, DenseMatrix a) {
  for (double& x : a.values) x *= factor;
  return a;
}
DenseMatrix operator+(DenseMatrix a, const DenseMatrix& b) {
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] += b.values[k];
  return a;
}
DenseMatrix operator-(DenseMatrix a, const DenseMatrix& b) {
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] -= b.values[k];
  return a;
}

DenseMatrix transposed(const DenseMatrix& a) {
  DenseMatrix out(a.cols, a.rows);
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) out(j, i) = a(i, j);
  return out;
}
DenseMatrix beside(const DenseMatrix& left, const DenseMatrix& right) {
  DenseMatrix out = left;
  out.cols += right.cols;
  out.values.insert(out.values.end(), right.values.begin(), right.values.end());
  return out;
}
DenseMatrix above(const DenseMatrix& top, const DenseMatrix& bottom) {
  DenseMatrix out(top.rows + bottom.rows, top.cols);
  for (Index j = 0; j < out.cols; ++j) {
    for (Index i = 0; i < top.rows; ++i) out(i, j) = top(i, j);
    for (Index i = 0; i < bottom.rows; ++i) out(top.rows + i, j) = bottom(i, j);
  }
  return out;
}
DenseMatrix block(const DenseMatrix& a, Index row, Index col, Index rows, Index cols) {
  DenseMatrix out(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) out(i, j) = a(row + i, col + j);
  return out;
}

DenseMatrix triangular_factor(const DenseMatrix& a) {
  if (a.rows < a.cols) return triangular_factor(above(a, DenseMatrix(a.cols - a.rows, a.cols)));
  DenseMatrix r = a, q(a.rows, a.cols), work(a.rows, a.cols);
  qr({a.rows, a.cols, a.cols}, r.values.data(), q.values.data(), work.values.data());
  return block(r, 0, 0, a.cols, a.cols);
}

DenseMatrix cholesky_root(const DenseMatrix& a) {
  DenseMatrix s(a.rows, a.cols);
  for (Index k = 0; k < a.rows; ++k) {
    for (Index j = k; j < a.cols; ++j) {
      s(k, j) = a(k, j);
      for (Index l = 0; l < k; ++l) s(k, j) -= s(l, k) * s(l, j);
    }
    const double root = s(k, k) > 0.0 ? std::sqrt(s(k, k)) : kNaN;
    for (Index j = k; j < a.cols; ++j) s(k, j) /= root;
  }
  return s;
}

DenseMatrix solve_upper(const DenseMatrix& u, DenseMatrix b) {
  for (Index c = 0; c < b.cols; ++c)
    for (Index i = u.rows; i-- > 0;) {
      for (Index k = i + 1; k < u.rows; ++k) b(i, c) -= u(i, k) * b(k, c);
      b(i, c) /= u(i, i);
    }
  return b;
}

DenseMatrix inverse_of_upper(const DenseMatrix& u) {
  DenseMatrix unit(u.rows, u.rows);
  for (Index i = 0; i < u.rows; ++i) unit(i, i) = 1.0;
  return solve_upper(u, unit);
}

SymmetricSpectrum::SymmetricSpectrum(const DenseMatrix& a)
    : vectors(a), values(static_cast<std::size_t>(a.rows)) {
  std::vector<double> work(static_cast<std::size_t>(2 * a.rows));
  symmetric_eigen(a.rows, vectors.values.data(), values.data(), work.data());
  for (double& value : values) value = std::max(value, 0.0);
}

DenseMatrix SymmetricSpectrum::function(const std::function<double(double)>& f) const {
  DenseMatrix scaled = vectors;
  for (Index k = 0; k < scaled.cols; ++k) {
    const double factor = f(values[static_cast<std::size_t>(k)]);
    for (Index i = 0; i < scaled.rows; ++i) scaled(i, k) *= factor;
  }
  return scaled * transposed(vectors);
}

}  // namespace credo::numerics
