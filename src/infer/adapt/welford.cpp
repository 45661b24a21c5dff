#include "infer/adapt/welford.hpp"

#include "base/error.hpp"

namespace credo::infer {
namespace {
// Prior strength and scale of the shrinkage [stan-reference-manual, "warm-up"].
constexpr double kPriorDraws = 5.0, kPriorVariance = 1e-3;

std::size_t num_squares(MetricKind kind, Index dimension) {
  const auto n = static_cast<std::size_t>(dimension);
  return kind == MetricKind::dense ? n * n : kind == MetricKind::diagonal ? n : 0;
}
}  // namespace

Welford::Welford(MetricKind kind, Index dimension)
    : kind_(kind),
      mean_(static_cast<std::size_t>(dimension)),
      delta_(mean_.size()),
      squares_(num_squares(kind, dimension)),
      result_(squares_.size()) {
  if (kind != MetricKind::lbfgs) return;
  throw Error(ErrorCode::usage, "the metric lbfgs needs the gradients of each draw", "metric",
              "use it with nuts, hmc_static or mala, or another metric");
}

void Welford::restart() {
  count_ = 0;
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(squares_.begin(), squares_.end(), 0.0);
}

void Welford::add(std::span<const double> position) {
  const std::size_t n = mean_.size();
  const double count = static_cast<double>(++count_);
  for (std::size_t d = 0; d < n; ++d) {
    delta_[d] = position[d] - mean_[d];
    mean_[d] += delta_[d] / count;
  }
  if (kind_ == MetricKind::diagonal)
    for (std::size_t d = 0; d < n; ++d) squares_[d] += delta_[d] * (position[d] - mean_[d]);
  const double weight = (count - 1.0) / count;  // (x - old mean)(x - new mean)ᵀ, symmetric as such
  if (kind_ == MetricKind::dense)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) squares_[j * n + i] += weight * (delta_[i] * delta_[j]);
}

std::span<const double> Welford::regularised() {
  CREDO_ASSERT(count_ >= 2, "a variance needs two draws");
  const double n = static_cast<double>(count_);
  const double scale = n / (n + kPriorDraws) / (n - 1.0);
  const double shift = kPriorVariance * kPriorDraws / (n + kPriorDraws);
  return scaled(scale, shift);
}

std::span<const double> Welford::with_jitter(double jitter) {
  CREDO_ASSERT(count_ >= 2, "a variance needs two draws");
  return scaled(1.0 / (static_cast<double>(count_) - 1.0), jitter);
}

std::span<const double> Welford::scaled(double scale, double shift) {
  const std::size_t stride = kind_ == MetricKind::dense ? mean_.size() + 1 : 1;
  for (std::size_t i = 0; i < squares_.size(); ++i) result_[i] = scale * squares_[i];
  for (std::size_t i = 0; i < squares_.size(); i += stride) result_[i] += shift;
  return result_;
}

}  // namespace credo::infer
