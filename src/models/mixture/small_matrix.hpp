// Lower triangular factors of small matrices, row by row: what conjugate updates of a few
// dimensions need.
#pragma once
#include "base/types.hpp"

namespace credo::models {

// n x n, row-major.
class SmallMatrix {
 public:
  SmallMatrix() = default;
  explicit SmallMatrix(Index n) : n_(n), values_(static_cast<std::size_t>(n * n), 0.0) {}
  SmallMatrix(Index n, std::vector<double> values) : n_(n), values_(std::move(values)) {}

  Index size() const { return n_; }
  double& operator()(Index i, Index j) { return values_[i * n_ + j]; }
  double operator()(Index i, Index j) const { return values_[i * n_ + j]; }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }
  bool operator==(const SmallMatrix&) const = default;

 private:
  Index n_ = 0;
  std::vector<double> values_;
};

SmallMatrix diagonal_matrix(Index n, double value);

// Reads the lower triangle; NaN where it isn't positive definite.
SmallMatrix cholesky_of(const SmallMatrix& a);
SmallMatrix inverse_from_factor(const SmallMatrix& factor);   // inverse of L L'
double log_determinant_of_factor(const SmallMatrix& factor);  // of L L'

void solve_factor(const SmallMatrix& factor, std::span<double> x);             // L^-1 x in place
void solve_factor_transposed(const SmallMatrix& factor, std::span<double> x);  // L'^-1 x in place
std::vector<double> times_factor(const SmallMatrix& factor, std::span<const double> x);  // L x

// L such that L L' is the old L L' plus sign * v v'; v is overwritten. O(n^2) [gill1974].
// Returns the least share of a squared diagonal that is kept; NaN if one would be negative.
double update_factor(SmallMatrix& factor, std::span<double> v, double sign);

}  // namespace credo::models
