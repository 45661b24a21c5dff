// With M⁻¹ = L Lᵀ a momentum is p = L⁻ᵀ z: cov(p) = L⁻ᵀ L⁻¹ = M. One triangular solve, no inverse.
#include "infer/mcmc/hamiltonian/metric.hpp"

#include "base/error.hpp"

namespace credo::infer {
namespace {
// Lower factor of the symmetric n × n matrix in `a`, in place, column by column; the upper triangle
// is left alone. False where a pivot isn't positive.
bool factor_in_place(std::span<double> a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double* column = a.data() + j * n;
    for (std::size_t k = 0; k < j; ++k) {
      const double* before = a.data() + k * n;
      for (std::size_t i = j; i < n; ++i) column[i] -= before[i] * before[j];
    }
    if (!(column[j] > 0.0) || !std::isfinite(column[j])) return false;
    const double pivot = std::sqrt(column[j]);
    for (std::size_t i = j; i < n; ++i) column[i] /= pivot;
  }
  return true;
}

// L Lᵀ ± x xᵀ as a factor, in place, column by column; x is overwritten [golub2013, sec. 6.5.4].
bool update_factor(std::span<double> factor, std::span<double> x, double sign) {
  const std::size_t n = x.size();
  for (std::size_t k = 0; k < n; ++k) {
    double* column = factor.data() + k * n;
    const double square = column[k] * column[k] + sign * (x[k] * x[k]);
    if (!(square > 0.0) || !std::isfinite(square)) return false;
    const double pivot = std::sqrt(square), c = pivot / column[k], s = x[k] / column[k];
    column[k] = pivot;
    for (std::size_t i = k + 1; i < n; ++i) {
      column[i] = (column[i] + sign * (s * x[i])) / c;
      x[i] = c * x[i] - s * column[i];
    }
  }
  return true;
}

// Solves Lᵀ x = b in place.
void solve_transposed(std::span<const double> factor, std::span<double> x) {
  const std::size_t n = x.size();
  for (std::size_t j = n; j-- > 0;) {
    const double* column = factor.data() + j * n;
    double rest = x[j];
    for (std::size_t i = j + 1; i < n; ++i) rest -= column[i] * x[i];
    x[j] = rest / column[j];
  }
}

// Symmetric up to the rounding of a file. Otherwise the factor would read one triangle, velocities
// both.
bool is_symmetric(std::span<const double> a, std::size_t n) {
  constexpr double kRounding = 1e-8;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const double size = std::sqrt(std::fabs(a[i * n + i] * a[j * n + j]));
      if (!(std::fabs(a[j * n + i] - a[i * n + j]) <= kRounding * size)) return false;
    }
  return true;
}

bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return v > 0.0 && std::isfinite(v); });
}
}  // namespace

Metric::Metric(MetricKind kind, Index dimension)
    : kind_(kind), dimension_(dimension), product_(kind == MetricKind::lbfgs ? dimension : 0) {
  const auto n = static_cast<std::size_t>(dimension);
  if (kind != MetricKind::dense) {
    inverse_.assign(n, 1.0);
  } else {
    inverse_.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) inverse_[i * n + i] = 1.0;
  }
  root_ = trial_ = inverse_;
  if (kind == MetricKind::dense) rest_.resize(n);
}

bool Metric::set_inverse(std::span<const double> values) {
  if (kind_ == MetricKind::unit) return values.empty();
  if (values.size() != inverse_.size()) return false;
  std::copy(values.begin(), values.end(), trial_.begin());
  if (kind_ != MetricKind::dense) {
    if (!all_positive(values)) return false;
    for (double& v : trial_) v = 1.0 / std::sqrt(v);
  } else {
    const auto n = static_cast<std::size_t>(dimension_);
    if (!is_symmetric(values, n) || !factor_in_place(trial_, n)) return false;
  }
  std::copy(values.begin(), values.end(), inverse_.begin());
  std::swap(root_, trial_);
  if (kind_ == MetricKind::lbfgs) product_.restart(inverse_);
  return true;
}

bool Metric::add_rank_one(double weight, std::span<const double> direction) {
  CREDO_ASSERT(kind_ == MetricKind::dense, "only a dense metric takes a rank-one change");
  const std::size_t n = direction.size();
  const double length = std::sqrt(std::fabs(weight));
  for (std::size_t i = 0; i < n; ++i) rest_[i] = length * direction[i];
  std::copy(root_.begin(), root_.end(), trial_.begin());
  if (!update_factor(trial_, rest_, weight < 0.0 ? -1.0 : 1.0)) return false;
  std::swap(root_, trial_);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      inverse_[j * n + i] += weight * (direction[i] * direction[j]);
  return true;
}

bool Metric::add_pair(std::span<const double> s, std::span<const double> y) {
  CREDO_ASSERT(kind_ == MetricKind::lbfgs, "other metrics have no pairs");
  return product_.update(s, y);
}

std::vector<double> Metric::whole_inverse() const {
  if (kind_ == MetricKind::lbfgs) return product_.inverse_metric();
  return {inverse_.begin(), inverse_.end()};
}

void Metric::shape_momentum(std::span<double> momentum) const {
  CREDO_ASSERT(ssize(momentum) == dimension_, "a momentum has as many values as the metric");
  if (kind_ == MetricKind::dense) return solve_transposed(root_, momentum);
  if (kind_ == MetricKind::lbfgs) return product_.solve_transposed(momentum);
  if (kind_ == MetricKind::diagonal)
    for (std::size_t d = 0; d < momentum.size(); ++d) momentum[d] *= root_[d];
}

void Metric::shape_move(std::span<const double> noise, std::span<double> out) const {
  const std::size_t n = noise.size();
  if (kind_ == MetricKind::lbfgs) {
    std::copy(noise.begin(), noise.end(), out.begin());
    return product_.apply(out);
  }
  if (kind_ != MetricKind::dense) {
    for (std::size_t d = 0; d < n; ++d) out[d] = noise[d] / root_[d];
    return;
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {  // the factor's columns
    const double* column = root_.data() + j * n;
    for (std::size_t i = j; i < n; ++i) out[i] += column[i] * noise[j];
  }
}

void Metric::unshape_move(std::span<double> move) const {
  if (kind_ == MetricKind::lbfgs) return product_.solve(move);
  const std::size_t n = move.size();
  if (kind_ != MetricKind::dense) {
    for (std::size_t d = 0; d < n; ++d) move[d] *= root_[d];
    return;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const double* column = root_.data() + j * n;
    move[j] /= column[j];
    for (std::size_t i = j + 1; i < n; ++i) move[i] -= column[i] * move[j];
  }
}

void Metric::shape_gradient(std::span<const double> gradient, std::span<double> out) const {
  const std::size_t n = gradient.size();
  if (kind_ == MetricKind::lbfgs) {
    std::copy(gradient.begin(), gradient.end(), out.begin());
    return product_.apply_transposed(out);
  }
  if (kind_ != MetricKind::dense) {
    for (std::size_t d = 0; d < n; ++d) out[d] = gradient[d] / root_[d];
    return;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const double* column = root_.data() + j * n;
    out[j] = 0.0;
    for (std::size_t i = j; i < n; ++i) out[j] += column[i] * gradient[i];
  }
}

void Metric::velocity(std::span<const double> momentum, std::span<double> velocity) const {
  const std::size_t n = momentum.size();
  if (kind_ == MetricKind::lbfgs) {
    std::copy(momentum.begin(), momentum.end(), velocity.begin());
    product_.apply_transposed(velocity);
    return product_.apply(velocity);
  }
  if (kind_ != MetricKind::dense) {
    for (std::size_t d = 0; d < n; ++d) velocity[d] = inverse_[d] * momentum[d];
    return;
  }
  std::fill(velocity.begin(), velocity.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {  // by columns: contiguous, and in a fixed order
    const double* column = inverse_.data() + j * n;
    for (std::size_t i = 0; i < n; ++i) velocity[i] += column[i] * momentum[j];
  }
}

}  // namespace credo::infer
