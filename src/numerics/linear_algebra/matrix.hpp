// A dense matrix as a value: the only one. Kernels over several lanes (dense.hpp) and decompositions in the caller's memory
// (decompositions.hpp) take plain arrays. Plain arithmetic in index order, unless a function says otherwise: the same bits on every CPU.
#pragma once
#include <complex>

#include "base/types.hpp"

namespace credo::numerics {

enum class Order { columns, rows };  // elements of a column, or of a row, are adjacent

template <Order kOrder>
struct Matrix {
  Index rows = 0, cols = 0;
  std::vector<double> values = {};

  Matrix() = default;
  explicit Matrix(Index n) : Matrix(n, n) {}
  Matrix(Index rows_, Index cols_)  // filled with zeros
      : rows(rows_), cols(cols_), values(static_cast<std::size_t>(rows_ * cols_), 0.0) {}
  Matrix(Index rows_, Index cols_, std::vector<double> values_)
      : rows(rows_), cols(cols_), values(std::move(values_)) {}
  Matrix(Index rows_, Index cols_, std::span<const double> values_)
      : rows(rows_), cols(cols_), values(values_.begin(), values_.end()) {}

  double& operator()(Index i, Index j) { return values[place(i, j)]; }
  double operator()(Index i, Index j) const { return values[place(i, j)]; }
  std::span<double> row(Index i) requires(kOrder == Order::rows) {
    return std::span(values).subspan(place(i, 0), static_cast<std::size_t>(cols));
  }
  std::span<const double> row(Index i) const requires(kOrder == Order::rows) {
    return std::span(values).subspan(place(i, 0), static_cast<std::size_t>(cols));
  }
  bool operator==(const Matrix&) const = default;

 private:
  std::size_t place(Index i, Index j) const {
    return static_cast<std::size_t>(kOrder == Order::columns ? i + j * rows : i * cols + j);
  }
};
using DenseMatrix = Matrix<Order::columns>;
using RowMatrix = Matrix<Order::rows>;  // matrices that are written and read row by row

template <Order kOrder>
Matrix<kOrder> transposed(const Matrix<kOrder>& a) {
  Matrix<kOrder> out(a.cols, a.rows);
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j) out(j, i) = a(i, j);
  return out;
}

DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b);
DenseMatrix operator*(double factor, DenseMatrix a);
DenseMatrix operator+(DenseMatrix a, const DenseMatrix& b);
DenseMatrix operator-(DenseMatrix a, const DenseMatrix& b);
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

// A = V diag(values) V' of a symmetric A, values ascending.
struct SymmetricEigen {
  SymmetricEigen() = default;
  explicit SymmetricEigen(DenseMatrix a);
  std::size_t size() const { return values.size(); }
  std::span<const double> vector(std::size_t k) const {  // column k of V
    return std::span(vectors.values).subspan(k * size(), size());
  }
  // Σ v v' / value over the values above `least`: the inverse if all are.
  DenseMatrix inverse(double least = 0.0) const;
  DenseMatrix function(const std::function<double(double)>& f) const;  // V diag(f(values)) V'

  DenseMatrix vectors;
  std::vector<double> values;
};

// ---- square matrices by rows

RowMatrix diagonal_matrix(Index n, double value);
RowMatrix multiply(const RowMatrix& a, const RowMatrix& b);  // with fused multiply-adds (dense.hpp)
std::vector<double> multiply(std::span<const double> row, const RowMatrix& a);
std::vector<double> multiply(const RowMatrix& a, std::span<const double> column);

// All eigenvalues of a real matrix, in no particular order; `a` is destroyed. Reduction to Hessenberg form and double implicit shifts
// [golub2013, algs. 7.4.2, 7.5.1 and 7.5.2]. The error of a simple eigenvalue is about 1e-16 n |A| times its condition; if it lacks a
// full set of vectors, a root of that.
std::vector<std::complex<double>> eigenvalues(RowMatrix a);

// L of A = L L', from the lower triangle of A; NaN where A isn't positive definite.
RowMatrix lower_factor(const RowMatrix& a);
RowMatrix inverse_from_factor(const RowMatrix& factor);     // inverse of L L'
double log_determinant_of_factor(const RowMatrix& factor);  // of L L'

void solve_factor(const RowMatrix& factor, std::span<double> x);             // L^-1 x in place
void solve_factor_transposed(const RowMatrix& factor, std::span<double> x);  // L'^-1 x in place
std::vector<double> times_factor(const RowMatrix& factor, std::span<const double> x);  // L x

// L such that L L' is the old L L' plus sign * v v'; v is overwritten. O(n^2) [gill1974].
// Returns the least share of a squared diagonal that is kept; NaN if one would be negative.
double update_factor(RowMatrix& factor, std::span<double> v, double sign);

}  // namespace credo::numerics
