#include "infer/finite/matrix.hpp"

#include "numerics/linear_algebra/decompositions.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::infer::finite {
namespace {
constexpr std::size_t kReadAhead = 16;  // multiply() may read one SIMD vector past the end

std::vector<double> padded(const SquareMatrix& a) {
  std::vector<double> copy;
  copy.reserve(a.values.size() + kReadAhead);
  copy.assign(a.values.begin(), a.values.end());
  copy.resize(a.values.size() + kReadAhead);
  return copy;
}
}  // namespace

SquareMatrix identity(Index n) {
  SquareMatrix result(n);
  for (Index i = 0; i < n; ++i) result(i, i) = 1.0;
  return result;
}

// numerics multiplies column-major matrices: what lies here as A B is B' A' there.
SquareMatrix multiply(const SquareMatrix& a, const SquareMatrix& b) {
  const Index n = a.size;
  const std::vector<double> left = padded(b), right = padded(a);
  const numerics::ProductSizes sizes{.rows = n, .inner = n, .cols = n};
  std::vector<double> scratch(static_cast<std::size_t>(numerics::multiply_scratch(sizes)) +
                              kReadAhead);
  std::vector<double> out(static_cast<std::size_t>(n * n) + kReadAhead);
  numerics::multiply(1, sizes, {.data = left.data(), .row = 1, .col = n},
                     {.data = right.data(), .row = 1, .col = n}, out.data(), scratch.data());
  out.resize(static_cast<std::size_t>(n * n));
  return {n, std::move(out)};
}

std::vector<double> multiply(std::span<const double> row, const SquareMatrix& a) {
  std::vector<double> result(row.size());
  for (Index i = 0; i < a.size; ++i) {
    if (row[i] == 0.0) continue;
    for (Index j = 0; j < a.size; ++j) result[j] += row[i] * a(i, j);
  }
  return result;
}

std::vector<double> multiply(const SquareMatrix& a, std::span<const double> column) {
  std::vector<double> result(column.size());
  for (Index i = 0; i < a.size; ++i) {
    for (Index j = 0; j < a.size; ++j) result[i] += a(i, j) * column[j];
  }
  return result;
}

SymmetricEigen symmetric_eigen(const SquareMatrix& a) {
  const Index n = a.size;
  std::vector<double> columns = a.values, ascending(n), work(2 * n);
  numerics::symmetric_eigen(n, columns.data(), ascending.data(), work.data());
  SymmetricEigen result{.values = {ascending.rbegin(), ascending.rend()},
                        .vectors = SquareMatrix(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) result.vectors(i, k) = columns[(n - 1 - k) * n + i];
  }
  return result;
}

}  // namespace credo::infer::finite
