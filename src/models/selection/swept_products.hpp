// Sums of products of a regression's columns and outcome, swept by some of the columns [goodnight1979]: least squares for a set of
// columns, to which one more is added, or from which one is taken, by a rank-one update.
//
//   M = [X'X + R, X'y; y'X, y'y],  R diagonal.  After sweeping S, with A = X_S'X_S + R_S:
//   M_SS = -A^-1,  M_Sy = A^-1 X_S'y (the coefficients),  M_yy = y'y - y'X_S A^-1 X_S'y,  log |A| is kept.
#pragma once
#include "base/types.hpp"

namespace credo::models {

class SweptProducts {
 public:
  // `columns`: P columns of n numbers; `ridge`: the diagonal R, one number for all.
  SweptProducts(std::span<const std::vector<double>> columns, std::span<const double> y,
                double ridge);

  Index num_columns() const { return size_ - 1; }
  bool is_in(Index column) const { return in_[static_cast<std::size_t>(column)] != 0; }
  // Adds the column or takes it out. False where rounding leaves nothing of it: it follows from those that are in; then nothing
  // has changed.
  bool flip(Index column);
  double residual() const { return at(size_ - 1, size_ - 1); }  // M_yy
  double log_determinant() const { return log_determinant_; }
  double coefficient(Index column) const {
    return at(column, size_ - 1);
  }                                                                   // for a column that is in
  double inverse(Index column) const { return -at(column, column); }  // diagonal of A^-1

  // M_yy and log |A| after all of these columns, all in or all out, are flipped; nullopt where that isn't possible. O(q^3).
  struct Fit {
    double residual, log_determinant;
  };
  std::optional<Fit> after_flip(std::span<const Index> columns) const;

 private:
  double& at(Index i, Index j) { return products_[static_cast<std::size_t>(i * size_ + j)]; }
  double at(Index i, Index j) const { return products_[static_cast<std::size_t>(i * size_ + j)]; }

  Index size_;
  std::vector<double> products_, diagonal_;
  std::vector<std::uint8_t> in_;
  double log_determinant_ = 0.0;
};

}  // namespace credo::models
