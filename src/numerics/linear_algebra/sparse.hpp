// A sparse symmetric matrix: the places of its elements are fixed, their values change.
//
// The lower triangle is stored column by column, rows ascending; each column has its diagonal element, zero or not. One value
// stands for A(i, j) and A(j, i), so the derivative by an off-diagonal value counts both. Rows and columns are counted from 0.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

struct SparsePattern {
  Index size = 0;
  std::vector<Index> starts = {
      0};  // column j: places starts[j], ..., starts[j + 1] - 1; the first is the diagonal
  std::vector<Index> rows = {};

  Index num_values() const { return ssize(rows); }
  // The place of A(row, col), which is that of A(col, row); -1 if the pattern lacks it. Costs the log of the column's length.
  Index place(Index row, Index col) const;
};

struct SparseElement {
  Index row = 0, col = 0;
  double value = 0.0;
};

class SparseSymmetric {
 public:
  SparseSymmetric() = default;
  // Each element stands for both halves, also if it names the upper one; values of the same place are added. Rows and columns must lie
  // within [0, size).
  SparseSymmetric(Index size, std::span<const SparseElement> elements);

  Index size() const { return pattern_->size; }
  const SparsePattern& pattern() const { return *pattern_; }
  std::shared_ptr<const SparsePattern> shared_pattern() const { return pattern_; }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }
  double operator()(Index row, Index col) const;  // 0 outside of the pattern

  void multiply(std::span<const double> x, std::span<double> out) const;  // out = A x; out isn't x

 private:
  std::shared_ptr<const SparsePattern> pattern_ = std::make_shared<SparsePattern>();
  std::vector<double> values_ = {};
};

// Derivatives of x' A y by the values of A.
std::vector<double> bilinear_gradient(const SparsePattern& pattern, std::span<const double> x,
                                      std::span<const double> y);

}  // namespace credo::numerics
