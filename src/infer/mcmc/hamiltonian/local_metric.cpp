#include "infer/mcmc/hamiltonian/local_metric.hpp"

#include "base/error.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::infer {
namespace {
// For close eigenvalues the derivative halfway has the smaller error: (α Δ)²/24 against rounding
// over α Δ. Both are some 1e-10 here.
constexpr double kClose = 1e-6;
}  // namespace

void check_has_matrix(const LocalMetricOptions& options, const density::LogDensity& density,
                      std::string_view sampler) {
  const bool softabs = options.kind == LocalMetricKind::softabs;
  if (softabs ? density.has_hessian() : density.has_information()) return;
  throw Error(ErrorCode::usage,
              std::string(sampler) + " needs the " + (softabs ? "Hessian" : "Fisher metric") +
                  " of the log density, which has none",
              "local_metric",
              "give one with density::with_hessian or with_information, or use nuts");
}

// Below x = 1e-4 the series x coth x = 1 + x²/3 - x⁴/45 + … has an error of x⁴/45 < 3e-18.
double soft_abs(double lambda, double alpha) {
  const double x = std::fabs(alpha * lambda);
  if (x < 1e-4) return (1.0 + x * x / 3.0) / alpha;
  return std::fabs(lambda) / numerics::tanh(x);
}

// coth x - x / sinh² x; 2x/3 - 4x³/45 + … near 0.
double soft_abs_derivative(double lambda, double alpha) {
  const double x = alpha * lambda, size = std::fabs(x);
  if (size < 1e-2) return x * (2.0 / 3.0 - x * x * (4.0 / 45.0 - x * x * (4.0 / 315.0)));
  const double sinh = numerics::sinh(std::min(size, 350.0));
  return std::copysign(1.0 / numerics::tanh(size) - size / (sinh * sinh), x);
}

LocalMetric::LocalMetric(const LocalMetricOptions& options, Index dimension)
    : options_(options),
      n_(static_cast<std::size_t>(dimension)),
      vectors_(n_ * n_),
      lambda_(n_),
      f_(n_, 1.0),
      slopes_(n_ * n_),
      rotated_(n_),
      inner_(n_ * n_),
      work_(std::max(2 * n_, n_ * n_)) {
  for (std::size_t a = 0; a < n_; ++a) vector(a, a) = 1.0;
}

bool LocalMetric::set(std::span<const double> matrix) {
  for (std::size_t b = 0; b < n_; ++b)
    for (std::size_t a = 0; a < n_; ++a)
      vectors_[a + b * n_] = 0.5 * (matrix[a + b * n_] + matrix[b + a * n_]);
  numerics::symmetric_eigen(static_cast<Index>(n_), vectors_.data(), lambda_.data(), work_.data());
  if (!fill_functions()) return false;
  for (std::size_t b = 0; b < n_; ++b)
    for (std::size_t a = 0; a < n_; ++a) slopes_[a + b * n_] = slope_between(a, b);
  return true;
}

bool LocalMetric::fill_functions() {
  log_determinant_ = 0.0;
  for (std::size_t a = 0; a < n_; ++a) {
    f_[a] = options_.kind == LocalMetricKind::softabs ? soft_abs(lambda_[a], options_.softabs_alpha)
                                                      : lambda_[a];
    if (!(f_[a] > 0.0) || !std::isfinite(f_[a])) return false;
    log_determinant_ += numerics::log(f_[a]);
  }
  return true;
}

double LocalMetric::slope_between(std::size_t a, std::size_t b) const {
  if (options_.kind == LocalMetricKind::fisher) return 1.0;
  const double alpha = options_.softabs_alpha, apart = lambda_[a] - lambda_[b];
  const double scale = std::fabs(lambda_[a]) + std::fabs(lambda_[b]) + 1.0 / alpha;
  if (std::fabs(apart) <= kClose * scale)
    return soft_abs_derivative(0.5 * (lambda_[a] + lambda_[b]), alpha);
  return (f_[a] - f_[b]) / apart;
}

void LocalMetric::rotate(std::span<const double> x) {
  for (std::size_t a = 0; a < n_; ++a) {
    rotated_[a] = 0.0;
    for (std::size_t d = 0; d < n_; ++d) rotated_[a] += vector(a, d) * x[d];
  }
}

void LocalMetric::rotate_back(std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t a = 0; a < n_; ++a)
    for (std::size_t d = 0; d < n_; ++d) out[d] += vectors_[a * n_ + d] * rotated_[a];
}

void LocalMetric::velocity(std::span<const double> momentum, std::span<double> velocity) {
  rotate(momentum);
  for (std::size_t a = 0; a < n_; ++a) rotated_[a] /= f_[a];
  rotate_back(velocity);
}

void LocalMetric::momentum(std::span<const double> velocity, std::span<double> momentum) {
  rotate(velocity);
  for (std::size_t a = 0; a < n_; ++a) rotated_[a] *= f_[a];
  rotate_back(momentum);
}

void LocalMetric::shape_momentum(std::span<const double> noise, std::span<double> momentum) {
  for (std::size_t a = 0; a < n_; ++a) rotated_[a] = std::sqrt(f_[a]) * noise[a];
  rotate_back(momentum);
}

double LocalMetric::momentum_norm2(std::span<const double> momentum) {
  rotate(momentum);
  double sum = 0.0;
  for (std::size_t a = 0; a < n_; ++a) sum += rotated_[a] * rotated_[a] / f_[a];
  return sum;
}

double LocalMetric::move_norm2(std::span<const double> move) {
  rotate(move);
  double sum = 0.0;
  for (std::size_t a = 0; a < n_; ++a) sum += rotated_[a] * rotated_[a] * f_[a];
  return sum;
}

void LocalMetric::matrix(std::span<double> out) {
  std::fill(inner_.begin(), inner_.end(), 0.0);
  for (std::size_t a = 0; a < n_; ++a) inner_[a * (n_ + 1)] = f_[a];
  conjugate(out);
}

void LocalMetric::weights(std::span<const double> momentum, std::span<double> out) {
  rotate(momentum);
  for (std::size_t a = 0; a < n_; ++a) rotated_[a] /= f_[a];
  for (std::size_t b = 0; b < n_; ++b) {
    for (std::size_t a = 0; a < n_; ++a)
      inner_[a + b * n_] = -slopes_[a + b * n_] * rotated_[a] * rotated_[b];
    inner_[b * (n_ + 1)] += slopes_[b * (n_ + 1)] / f_[b];
  }
  conjugate(out);
}

// work = Q inner, column by column; out = work Qᵀ.
void LocalMetric::conjugate(std::span<double> out) {
  std::fill_n(work_.begin(), n_ * n_, 0.0);
  for (std::size_t b = 0; b < n_; ++b)
    for (std::size_t a = 0; a < n_; ++a)
      for (std::size_t d = 0; d < n_; ++d) work_[d + b * n_] += vector(a, d) * inner_[a + b * n_];
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t a = 0; a < n_; ++a)
    for (std::size_t e = 0; e < n_; ++e)
      for (std::size_t d = 0; d < n_; ++d) out[d + e * n_] += work_[d + a * n_] * vector(a, e);
}

}  // namespace credo::infer
