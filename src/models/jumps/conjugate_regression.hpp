// Linear regression whose coefficients and noise are integrated out.
//
//   y = X c + e,  e ~ N(0, s^2),  c_j | s ~ N(0, (scale_j s)^2),  s^2 ~ inverse gamma(shape, rate)
//
//   log p(y) = -N/2 log 2 pi - 1/2 log |A| - sum log scale_j + shape log rate - lgamma(shape)
//              + lgamma(shape + N/2) - (shape + N/2) log(rate + (y'y - b'A^-1 b) / 2),
//   A = X'X + diag(scale^-2),  b = X'y                         [gelman2013, sec. 14.2 and 14.8]
#pragma once
#include "base/types.hpp"

namespace credo::models {

struct NoisePrior {  // prior of the variance: density proportional to v^(-shape - 1) exp(-rate / v)
  double shape = 2.0, rate = 1.0;
};

// Sufficient statistics of a regression on some columns: products of columns and y. Memory for max_columns.
class ConjugateRegression {
 public:
  explicit ConjugateRegression(Index max_columns);

  void start(Index num_columns);                    // all zeros
  void add(std::span<const double> row, double y);  // one observation
  // Or set the sums: i >= j.
  double& product(Index i, Index j) { return gram_[static_cast<std::size_t>(i * max_ + j)]; }
  double& moment(Index j) { return moment_[static_cast<std::size_t>(j)]; }
  void set_squares(double num_rows, double squares) { num_rows_ = num_rows, squares_ = squares; }

  // log p(y); -infinity where rounding leaves nothing of A.
  double log_evidence(std::span<const double> scales, const NoisePrior& noise);
  // After log_evidence: mean of the coefficients given y, and of the inverse gamma its parameters.
  std::span<const double> coefficients();
  double noise_shape() const { return noise_shape_; }
  double noise_rate() const { return noise_rate_; }

 private:
  bool factorise(std::span<const double> scales);

  Index max_, columns_ = 0;
  double num_rows_ = 0.0, squares_ = 0.0, noise_shape_ = 0.0, noise_rate_ = 0.0;
  std::vector<double> gram_, moment_, factor_, solved_;
};

}  // namespace credo::models
