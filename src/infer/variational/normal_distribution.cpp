#include "infer/variational/normal_distribution.hpp"

#include "numerics/elementary.hpp"

namespace credo::infer {

NormalDistribution::NormalDistribution(CovarianceShape shape, std::vector<double> centre,
                                       Metric units)
    : shape_(shape),
      centre_(std::move(centre)),
      units_(std::move(units)),
      parameters_(static_cast<std::size_t>(num_parameters()), 0.0),
      scales_(centre_.size(), 1.0),
      work_(centre_.size()) {
  std::vector<double> unit(centre_.size()), column(centre_.size());
  for (std::size_t d = 0; d < unit.size(); ++d) {
    unit.assign(unit.size(), 0.0);
    unit[d] = 1.0;
    units_.shape_move(unit, column);
    log_root_of_units_ += numerics::log(column[d]);
  }
}

Index NormalDistribution::num_parameters() const {
  const Index n = dimension();
  return is_full() ? 2 * n + n * (n - 1) / 2 : 2 * n;
}

void NormalDistribution::move_to(std::span<const double> parameters) {
  std::copy(parameters.begin(), parameters.end(), parameters_.begin());
  for (std::size_t d = 0; d < scales_.size(); ++d)
    scales_[d] = numerics::exp(parameters_[scales_.size() + d]);
}

void NormalDistribution::place(std::span<const double> z, std::span<double> x) {
  for (std::size_t d = 0; d < z.size(); ++d) work_[d] = parameters_[d] + scales_[d] * z[d];
  for_each_below(
      [&](std::size_t k, std::size_t i, std::size_t j) { work_[i] += parameters_[k] * z[j]; });
  units_.shape_move(work_, x);
  for (std::size_t d = 0; d < x.size(); ++d) x[d] += centre_[d];
}

void NormalDistribution::pull_back(std::span<const double> z, std::span<const double> gradient,
                                   std::span<double> into) {
  const std::size_t n = centre_.size();
  units_.shape_gradient(gradient, work_);
  for (std::size_t d = 0; d < n; ++d) {
    into[d] += work_[d];
    into[n + d] += work_[d] * scales_[d] * z[d];
  }
  for_each_below([&](std::size_t k, std::size_t i, std::size_t j) { into[k] += work_[i] * z[j]; });
}

double NormalDistribution::log_root_determinant() const {
  double sum = log_root_of_units_;
  for (std::size_t d = 0; d < centre_.size(); ++d) sum += parameters_[centre_.size() + d];
  return sum;
}

void NormalDistribution::add_slope_of_root(std::span<double> into) const {
  for (std::size_t d = 0; d < centre_.size(); ++d) into[centre_.size() + d] += 1.0;
}

double NormalDistribution::log_density(std::span<const double> z) const {
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  double sum = -log_root_determinant();
  for (const double v : z) sum -= 0.5 * v * v + kHalfLogTwoPi;
  return sum;
}

std::vector<double> NormalDistribution::mean() const {
  std::vector<double> mean(centre_.size());
  units_.shape_move(std::span(parameters_).first(mean.size()), mean);
  for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += centre_[d];
  return mean;
}

// Row sums of the squares of U C.
std::vector<double> NormalDistribution::variances() const {
  const std::size_t n = centre_.size();
  std::vector<double> columns(n * n, 0.0), column(n), variances(n, 0.0);
  for (std::size_t d = 0; d < n; ++d) columns[d * n + d] = scales_[d];
  for_each_below(
      [&](std::size_t k, std::size_t i, std::size_t j) { columns[j * n + i] = parameters_[k]; });
  for (std::size_t j = 0; j < n; ++j) {
    units_.shape_move(std::span(columns).subspan(j * n, n), column);
    for (std::size_t d = 0; d < n; ++d) variances[d] += column[d] * column[d];
  }
  return variances;
}

}  // namespace credo::infer
