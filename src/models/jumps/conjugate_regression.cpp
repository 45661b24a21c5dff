#include "models/jumps/conjugate_regression.hpp"

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::models {
namespace {
constexpr double kHalfLog2Pi = 0.91893853320467274178;
}  // namespace

ConjugateRegression::ConjugateRegression(Index max_columns)
    : max_(max_columns),
      gram_(static_cast<std::size_t>(max_columns * max_columns)),
      moment_(static_cast<std::size_t>(max_columns)),
      factor_(gram_.size()),
      solved_(moment_.size()) {}

void ConjugateRegression::start(Index num_columns) {
  columns_ = num_columns;
  std::fill(gram_.begin(), gram_.end(), 0.0);
  std::fill(moment_.begin(), moment_.end(), 0.0);
  set_squares(0.0, 0.0);
}

void ConjugateRegression::add(std::span<const double> row, double y) {
  for (Index i = 0; i < columns_; ++i) {
    const double x = row[static_cast<std::size_t>(i)];
    for (Index j = 0; j <= i; ++j) product(i, j) += x * row[static_cast<std::size_t>(j)];
    moment(i) += x * y;
  }
  set_squares(num_rows_ + 1.0, squares_ + y * y);
}

// The lower factor of A, row by row.
bool ConjugateRegression::factorise(std::span<const double> scales) {
  double* const l = factor_.data();
  for (Index i = 0; i < columns_; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double sum = product(i, j);
      const double scale = scales[static_cast<std::size_t>(i)];
      if (i == j) sum += 1.0 / (scale * scale);
      for (Index k = 0; k < j; ++k) sum -= l[i * max_ + k] * l[j * max_ + k];
      if (i == j && !(sum > 0.0)) return false;
      l[i * max_ + j] = i == j ? numerics::sqrt(sum) : sum / l[j * max_ + j];
    }
  }
  return true;
}

double ConjugateRegression::log_evidence(std::span<const double> scales, const NoisePrior& noise) {
  if (!factorise(scales)) return -kInfinity;
  double log_sum = 0.0, explained = 0.0;
  for (Index i = 0; i < columns_; ++i) {
    double sum = moment(i);
    for (Index k = 0; k < i; ++k)
      sum -= factor_[static_cast<std::size_t>(i * max_ + k)] * solved_[static_cast<std::size_t>(k)];
    const double pivot = factor_[static_cast<std::size_t>(i * max_ + i)];
    solved_[static_cast<std::size_t>(i)] = sum / pivot;
    explained += solved_[static_cast<std::size_t>(i)] * solved_[static_cast<std::size_t>(i)];
    log_sum += numerics::log(pivot * scales[static_cast<std::size_t>(i)]);
  }
  noise_shape_ = noise.shape + 0.5 * num_rows_;
  noise_rate_ = noise.rate + 0.5 * std::max(0.0, squares_ - explained);
  return -num_rows_ * kHalfLog2Pi - log_sum + noise.shape * numerics::log(noise.rate) -
         numerics::lgamma(noise.shape) + numerics::lgamma(noise_shape_) -
         noise_shape_ * numerics::log(noise_rate_);
}

// L' c = L^-1 b, in place of L^-1 b.
std::span<const double> ConjugateRegression::coefficients() {
  for (Index i = columns_ - 1; i >= 0; --i) {
    double sum = solved_[static_cast<std::size_t>(i)];
    for (Index k = i + 1; k < columns_; ++k)
      sum -= factor_[static_cast<std::size_t>(k * max_ + i)] * solved_[static_cast<std::size_t>(k)];
    solved_[static_cast<std::size_t>(i)] = sum / factor_[static_cast<std::size_t>(i * max_ + i)];
  }
  return std::span(solved_).first(static_cast<std::size_t>(columns_));
}

}  // namespace credo::models
