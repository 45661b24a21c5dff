#include "infer/sites/normal_state.hpp"

#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr double kLogTwoPiOfSites = 1.83787706640934548356;
}

bool NormalState::set(const numerics::RowMatrix& precision, std::span<const double> shift) {
  const numerics::RowMatrix factor = numerics::lower_factor(precision);
  const double log_determinant = numerics::log_determinant_of_factor(factor);
  if (!std::isfinite(log_determinant)) return false;
  covariance_ = numerics::inverse_from_factor(factor);
  mean_.assign(shift.begin(), shift.end());
  numerics::solve_factor(factor, mean_);
  double square = 0.0;
  for (const double x : mean_) square += x * x;
  numerics::solve_factor_transposed(factor, mean_);
  log_mass_ =
      0.5 * (square - log_determinant + static_cast<double>(mean_.size()) * kLogTwoPiOfSites);
  column_.assign(mean_.size(), 0.0);
  return true;
}

SiteNormal NormalState::along(const LinearSite& site) {
  std::ranges::fill(column_, 0.0);
  along_ = {0.0, 0.0};
  for (std::size_t k = 0; k < site.places.size(); ++k) {
    const std::span<const double> row = covariance_.row(static_cast<Index>(site.places[k]));
    for (std::size_t d = 0; d < row.size(); ++d) column_[d] += site.weights[k] * row[d];
    along_.mean += site.weights[k] * mean_[site.places[k]];
  }
  for (std::size_t k = 0; k < site.places.size(); ++k)
    along_.variance += site.weights[k] * column_[site.places[k]];
  return along_;
}

// (V⁻¹ + τ a aᵀ)⁻¹ = V - τ / (1 + τ v) V a aᵀ V
void NormalState::add(const SiteFactor& change) {
  const double scale = 1.0 + change.precision * along_.variance,
               move = (change.shift - change.precision * along_.mean) / scale;
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const double by = change.precision / scale * column_[i];
    mean_[i] += move * column_[i];
    if (by == 0.0) continue;
    const std::span<double> row = covariance_.row(static_cast<Index>(i));
    for (std::size_t j = 0; j < row.size(); ++j) row[j] -= by * column_[j];
  }
}

void NormalState::make_diagonal() {
  for (Index i = 0; i < covariance_.rows; ++i)
    for (Index j = 0; j < covariance_.cols; ++j)
      if (i != j) covariance_(i, j) = 0.0;
}

std::vector<double> NormalState::log_sds() const {
  std::vector<double> logs(mean_.size());
  for (std::size_t d = 0; d < logs.size(); ++d)
    logs[d] = 0.5 * numerics::log(covariance_(static_cast<Index>(d), static_cast<Index>(d)));
  return logs;
}

double NormalChanges::since_last(const NormalState& q) {
  const std::vector<double> now = q.log_sds();
  double largest = means_.empty() ? kInfinity : 0.0;
  for (std::size_t d = 0; d < means_.size(); ++d)
    largest = std::max({largest, std::abs(q.mean()[d] - means_[d]) / numerics::exp(now[d]),
                        std::abs(now[d] - log_sds_[d])});
  means_.assign(q.mean().begin(), q.mean().end());
  log_sds_ = now;
  return largest;
}

void add_factor(const LinearSite& site, const SiteFactor& factor, numerics::RowMatrix& precision,
                std::span<double> shift) {
  for (std::size_t k = 0; k < site.places.size(); ++k) {
    const std::size_t i = site.places[k];
    shift[i] += factor.shift * site.weights[k];
    for (std::size_t l = 0; l < site.places.size(); ++l)
      precision(static_cast<Index>(i), static_cast<Index>(site.places[l])) +=
          factor.precision * site.weights[k] * site.weights[l];
  }
}

}  // namespace credo::infer
