// Murphy 2023, 3.4: the posterior is of the prior's family, with mean_weight + n, dof + n, the
// weighted mean, and for each point that is added to a cluster of weight w
//   scale += w / (w + 1) (x - mean) (x - mean)',  mean += (x - mean) / (w + 1).
#include "models/mixture/gaussian_cluster.hpp"

#include <fmt/format.h>

#include <numbers>

#include "numerics/special.hpp"

namespace credo::models {
namespace {
const double kLogPi = std::log(std::numbers::pi);
// Least remaining share of a squared diagonal element of the factor: its relative rounding error is then 2e-16 / 1e-6.
constexpr double kLeastKept = 1e-6;

// Logarithm of the D-variate gamma function, without the power of pi, which cancels in quotients.
double log_gamma_product(Index dimension, double x) {
  double sum = 0.0;
  for (Index j = 0; j < dimension; ++j) sum += numerics::lgamma(x - 0.5 * static_cast<double>(j));
  return sum;
}

[[noreturn]] void refuse(std::string message, const char* where) {
  throw Error(ErrorCode::data, std::move(message), where);
}
}  // namespace

void NormalInverseWishart::check() const {
  const Index d = dimension();
  if (d < 1 || scale.rows != d)
    refuse(fmt::format("a {} x {} matrix for {} dimensions", scale.rows, scale.rows, d), "scale");
  if (!(mean_weight > 0.0)) refuse(fmt::format("must be > 0, is {}", mean_weight), "mean_weight");
  if (!(dof > static_cast<double>(d - 1)))
    refuse(fmt::format("must be > {}, is {}", d - 1, dof), "dof");
  if (!(log_determinant_of_factor(lower_factor(scale)) > -kInfinity))
    refuse("the matrix must be positive definite", "scale");
}

GaussianCluster::GaussianCluster(const NormalInverseWishart& prior)
    : prior_(&prior),
      mean_weight_(prior.mean_weight),
      dof_(prior.dof),
      mean_(prior.mean),
      off_(prior.mean.size()),
      prior_factor_(lower_factor(prior.scale)),
      factor_(prior_factor_) {}

void GaussianCluster::add(std::span<const double> x) {
  const double shrink = std::sqrt(mean_weight_ / (mean_weight_ + 1.0));
  for (Index d = 0; d < ssize(x); ++d) {
    const double off = x[d] - mean_[d];
    off_[d] = shrink * off;
    mean_[d] += off / (mean_weight_ + 1.0);
  }
  update_factor(factor_, off_, 1.0);
  ++count_, mean_weight_ += 1.0, dof_ += 1.0;
}

// The last point leaves the prior itself, not what rounding made of it.
bool GaussianCluster::remove(std::span<const double> x) {
  --count_, dof_ -= 1.0;
  if (count_ == 0) {
    mean_weight_ = prior_->mean_weight, dof_ = prior_->dof;
    mean_ = prior_->mean;
    factor_ = prior_factor_;
    return true;
  }
  const double stretch = std::sqrt(mean_weight_ / (mean_weight_ - 1.0));
  for (Index d = 0; d < ssize(x); ++d) {
    const double off = x[d] - mean_[d];
    off_[d] = stretch * off;
    mean_[d] -= off / (mean_weight_ - 1.0);
  }
  const double kept = update_factor(factor_, off_, -1.0);
  mean_weight_ -= 1.0;
  return kept > kLeastKept;
}

// t with scale matrix scale (w + 1) / (w (dof - D + 1)); dof - D + 1 cancels in the quadratic form.
double GaussianCluster::log_predictive(std::span<const double> x) {
  const double d = static_cast<double>(ssize(x));
  for (Index j = 0; j < ssize(x); ++j) off_[j] = x[j] - mean_[j];
  solve_factor(factor_, off_);
  double square = 0.0;
  for (const double z : off_) square += z * z;
  const double widen = (mean_weight_ + 1.0) / mean_weight_, half = 0.5 * (dof_ + 1.0);
  return numerics::lgamma(half) - numerics::lgamma(half - 0.5 * d) - half_log_scale() -
         0.5 * d * (kLogPi + std::log(widen)) - half * std::log1p(square / widen);
}

double GaussianCluster::log_marginal() const {
  const Index size = prior_->dimension();
  const double d = static_cast<double>(size);
  return log_gamma_product(size, 0.5 * dof_) - log_gamma_product(size, 0.5 * prior_->dof) +
         0.5 * prior_->dof * log_determinant_of_factor(prior_factor_) - dof_ * half_log_scale() +
         0.5 * d * (std::log(prior_->mean_weight) - std::log(mean_weight_)) -
         0.5 * d * static_cast<double>(count_) * kLogPi;
}

}  // namespace credo::models
