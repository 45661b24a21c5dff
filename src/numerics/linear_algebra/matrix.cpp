#include "numerics/linear_algebra/matrix.hpp"

#include "numerics/linear_algebra/decompositions.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::numerics {

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

SymmetricEigen::SymmetricEigen(DenseMatrix a)
    : vectors(std::move(a)), values(static_cast<std::size_t>(vectors.rows)) {
  std::vector<double> work(2 * values.size());
  symmetric_eigen(vectors.rows, vectors.values.data(), values.data(), work.data());
}

DenseMatrix SymmetricEigen::inverse(double least) const {
  DenseMatrix sum(vectors.rows);
  for (Index k = 0; k < vectors.cols; ++k) {
    const double value = values[static_cast<std::size_t>(k)];
    for (Index j = 0; value > least && j < sum.cols; ++j)
      for (Index i = 0; i < sum.rows; ++i) sum(i, j) += vectors(i, k) * vectors(j, k) / value;
  }
  return sum;
}

DenseMatrix SymmetricEigen::function(const std::function<double(double)>& f) const {
  DenseMatrix scaled = vectors;
  for (Index k = 0; k < scaled.cols; ++k) {
    const double factor = f(values[static_cast<std::size_t>(k)]);
    for (Index i = 0; i < scaled.rows; ++i) scaled(i, k) *= factor;
  }
  return scaled * transposed(vectors);
}

// ---- square matrices by rows

RowMatrix diagonal_matrix(Index n, double value) {
  RowMatrix matrix(n);
  for (Index i = 0; i < n; ++i) matrix(i, i) = value;
  return matrix;
}

namespace {
constexpr std::size_t kReadAhead = 16;  // multiply() may read one SIMD vector past the end

std::vector<double> padded(const RowMatrix& a) {
  std::vector<double> copy;
  copy.reserve(a.values.size() + kReadAhead);
  copy.assign(a.values.begin(), a.values.end());
  copy.resize(a.values.size() + kReadAhead);
  return copy;
}
}  // namespace

// dense.hpp multiplies column-major matrices: what lies here as A B is B' A' there.
RowMatrix multiply(const RowMatrix& a, const RowMatrix& b) {
  const Index n = a.rows;
  const std::vector<double> left = padded(b), right = padded(a);
  const ProductSizes sizes{.rows = n, .inner = n, .cols = n};
  std::vector<double> scratch(static_cast<std::size_t>(multiply_scratch(sizes)) + kReadAhead);
  std::vector<double> out(static_cast<std::size_t>(n * n) + kReadAhead);
  multiply(1, sizes, {.data = left.data(), .row = 1, .col = n},
           {.data = right.data(), .row = 1, .col = n}, out.data(), scratch.data());
  out.resize(static_cast<std::size_t>(n * n));
  return {n, n, std::move(out)};
}

std::vector<double> multiply(std::span<const double> row, const RowMatrix& a) {
  std::vector<double> result(row.size());
  for (Index i = 0; i < a.rows; ++i) {
    if (row[i] == 0.0) continue;
    for (Index j = 0; j < a.rows; ++j) result[j] += row[i] * a(i, j);
  }
  return result;
}

std::vector<double> multiply(const RowMatrix& a, std::span<const double> column) {
  std::vector<double> result(column.size());
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.rows; ++j) result[i] += a(i, j) * column[j];
  }
  return result;
}

RowMatrix lower_factor(const RowMatrix& a) {
  const Index n = a.rows;
  RowMatrix factor(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (Index k = 0; k < j; ++k) sum -= factor(i, k) * factor(j, k);
      factor(i, j) = i == j ? std::sqrt(sum) : sum / factor(j, j);
    }
  }
  return factor;
}

RowMatrix inverse_from_factor(const RowMatrix& factor) {
  const Index n = factor.rows;
  RowMatrix inverse(n);
  std::vector<double> column(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) {
    std::fill(column.begin(), column.end(), 0.0);
    column[j] = 1.0;
    solve_factor(factor, column);
    solve_factor_transposed(factor, column);
    for (Index i = 0; i < n; ++i) inverse(i, j) = column[i];
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) inverse(j, i) = inverse(i, j);
  }
  return inverse;
}

double log_determinant_of_factor(const RowMatrix& factor) {
  double sum = 0.0;
  for (Index i = 0; i < factor.rows; ++i) sum += std::log(factor(i, i));
  return 2.0 * sum;
}

void solve_factor(const RowMatrix& factor, std::span<double> x) {
  for (Index i = 0; i < factor.rows; ++i) {
    for (Index k = 0; k < i; ++k) x[i] -= factor(i, k) * x[k];
    x[i] /= factor(i, i);
  }
}

void solve_factor_transposed(const RowMatrix& factor, std::span<double> x) {
  for (Index i = factor.rows - 1; i >= 0; --i) {
    for (Index k = i + 1; k < factor.rows; ++k) x[i] -= factor(k, i) * x[k];
    x[i] /= factor(i, i);
  }
}

std::vector<double> times_factor(const RowMatrix& factor, std::span<const double> x) {
  std::vector<double> out(x.size(), 0.0);
  for (Index i = 0; i < factor.rows; ++i) {
    for (Index k = 0; k <= i; ++k) out[i] += factor(i, k) * x[k];
  }
  return out;
}

double update_factor(RowMatrix& factor, std::span<double> v, double sign) {
  const Index n = factor.rows;
  double least = 1.0;
  for (Index k = 0; k < n; ++k) {
    const double old = factor(k, k), pivot = std::sqrt(old * old + sign * v[k] * v[k]);
    const double cosine = pivot / old, sine = v[k] / old;
    factor(k, k) = pivot;
    if (!(cosine * cosine >= least)) least = cosine * cosine;
    for (Index i = k + 1; i < n; ++i) {
      factor(i, k) = (factor(i, k) + sign * sine * v[i]) / cosine;
      v[i] = cosine * v[i] - sine * factor(i, k);
    }
  }
  return least;
}

}  // namespace credo::numerics
