#include "models/ard/type_two.hpp"

#include "base/stop.hpp"

namespace credo::models {
namespace {
constexpr double kLog2Pi = 1.8378770664093454836, kFirstNoise = 0.5;
constexpr Index kLevelRounds = 10;
constexpr double kLeastNoise = 1e-12;  // part of the outcome's variance: below it the columns fit it exactly

double scalar_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
  return sum;
}

// log density of a column's precision given the others, less that without the column [tipping2003, eq. 13].
double log_gain(const ArdState::Fit& fit, double precision) {
  if (!std::isfinite(precision)) return 0.0;
  return 0.5 * (-std::log1p(fit.s / precision) + fit.q * fit.q / (precision + fit.s));
}
}  // namespace

ArdState::ArdState(const ArdData& data)
    : data_(data),
      gram_(ssize(data.columns)),
      precision_(data.columns.size(), 1.0),
      mean_(data.columns.size(), 0.0),
      variance_(data.columns.size(), 0.0) {
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double sum = scalar_product(data.columns[i], data.columns[j]);
      gram_(static_cast<Index>(i), static_cast<Index>(j)) = sum;
      gram_(static_cast<Index>(j), static_cast<Index>(i)) = sum;
    }
    with_outcome_.push_back(scalar_product(data.columns[i], data.outcome));
  }
  square_ = scalar_product(data.outcome, data.outcome);
  const double noise =
      data.sigma > 0.0 ? data.sigma * data.sigma : kFirstNoise * square_ / num_rows();
  set(precision_, noise);
}

void ArdState::set(std::vector<double> precision, double noise) {
  precision_ = std::move(precision);
  noise_ = noise;
  solve();
}
void ArdState::set_precision(std::size_t d, double precision) {
  precision_[d] = precision;
  solve();
}
void ArdState::set_noise(double variance) {
  noise_ = variance;
  solve();
}

// M = XᵀX / σ² + diag(α) over the active columns: log |C| = N log σ² + log |M| - Σ log α, and
// yᵀ C⁻¹ y = ‖y - X μ‖² / σ² + Σ α μ².
void ArdState::solve() {
  active_.clear();
  for (std::size_t d = 0; d < size(); ++d)
    if (std::isfinite(precision_[d])) active_.push_back(d);
  const Index n = ssize(active_);
  numerics::DenseMatrix m(n, n), right(n, 1);
  for (Index j = 0; j < n; ++j) {
    const std::size_t column = active_[static_cast<std::size_t>(j)];
    for (Index i = 0; i < n; ++i)
      m(i, j) = product(active_[static_cast<std::size_t>(i)], column) / noise_;
    m(j, j) += precision_[column];
    right(j, 0) = with_outcome_[column] / noise_;
  }
  const numerics::DenseMatrix root = numerics::cholesky_root(m);
  inverse_root_ = numerics::inverse_of_upper(root);
  mean_.assign(size(), 0.0);
  variance_.assign(size(), 0.0);
  double log_ratio = 0.0, penalty = 0.0;
  known_ = 0.0;
  std::vector<double> half(static_cast<std::size_t>(n), 0.0);  // U⁻ᵀ right
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i <= k; ++i)
      half[static_cast<std::size_t>(k)] += inverse_root_(i, k) * right(i, 0);
  for (Index i = 0; i < n; ++i) {
    const std::size_t d = active_[static_cast<std::size_t>(i)];
    for (Index k = i; k < n; ++k) {
      mean_[d] += inverse_root_(i, k) * half[static_cast<std::size_t>(k)];
      variance_[d] += inverse_root_(i, k) * inverse_root_(i, k);
    }
    log_ratio += 2.0 * std::log(root(i, i)) - std::log(precision_[d]);
    penalty += precision_[d] * mean_[d] * mean_[d];
    known_ += 1.0 - precision_[d] * variance_[d];
  }
  std::vector<double> rest = data_.outcome;
  for (const std::size_t d : active_)
    for (std::size_t row = 0; row < rest.size(); ++row)
      rest[row] -= data_.columns[d][row] * mean_[d];
  residual_ = scalar_product(rest, rest);
  log_evidence_ =
      -0.5 * (num_rows() * (kLog2Pi + std::log(noise_)) + log_ratio + residual_ / noise_ + penalty);
}

ArdState::Fit ArdState::fit_of(std::size_t d) const {
  const Index n = ssize(active_);
  double full = product(d, d) / noise_, q = product(d) / noise_;
  for (Index k = 0; k < n; ++k) {
    double part = 0.0;
    for (Index i = 0; i <= k; ++i)
      part += inverse_root_(i, k) * product(active_[static_cast<std::size_t>(i)], d);
    full -= part * part / (noise_ * noise_);
  }
  for (const std::size_t a : active_) q -= product(a, d) * mean_[a] / noise_;
  Fit fit{.s = full, .q = q, .full = full};
  if (!std::isfinite(precision_[d])) return fit;
  // α - full cancels where a column is well determined: full = α g_d with g_d = 1 - α Σ_dd, q = α μ_d.
  const double left = precision_[d] * variance_[d];
  fit.full = precision_[d] * (1.0 - left);
  fit.s = (1.0 - left) / variance_[d];
  fit.q = mean_[d] / variance_[d];
  return fit;
}

double ArdState::best_precision(std::size_t d) const {
  const Fit fit = fit_of(d);
  const double excess = fit.q * fit.q - fit.s;
  const double best = excess > 0.0 ? fit.s * fit.s / excess : kInfinity;
  return best > kPruned ? kInfinity : best;
}

double ArdState::gain_of(std::size_t d) const {
  const Fit fit = fit_of(d);
  return log_gain(fit, best_precision(d)) - log_gain(fit, precision_[d]);
}

// By the slope of the evidence along log σ², whose curvature is about N / 2.
double ArdState::gain_of_noise() const {
  if (is_noise_known()) return 0.0;
  const double slope = 0.5 * (residual_ / noise_ - (num_rows() - known_));
  return slope * slope / num_rows();
}

ArdFit fit_ard(const ArdData& data, const ArdMethod& method) {
  ArdState state(data);
  ArdFit fit;
  const double variance = scalar_product(data.outcome, data.outcome) / state.num_rows();
  Index num_level = 0;  // rounds in a row that changed nothing
  while (fit.num_rounds < method.most_rounds && !fit.converged && !fit.fits_exactly &&
         num_level < kLevelRounds) {
    stop_if_asked();
    const double before = state.log_evidence();
    method.update(state);
    ++fit.num_rounds;
    const double change = std::abs(state.log_evidence() - before);
    num_level = change <= 1e-13 * (1.0 + std::abs(before)) ? num_level + 1 : 0;
    fit.gain_left = state.gain_of_noise();
    for (std::size_t d = 0; d < state.size(); ++d)
      fit.gain_left = std::max(fit.gain_left, state.gain_of(d));
    fit.converged = fit.gain_left <= kArdTolerance;
    fit.fits_exactly = !state.is_noise_known() && state.noise() < kLeastNoise * variance;
  }
  fit.precision = state.precision();
  fit.mean = state.mean();
  for (std::size_t d = 0; d < state.size(); ++d) fit.sd.push_back(std::sqrt(state.variance(d)));
  fit.sigma = std::sqrt(state.noise());
  fit.log_evidence = state.log_evidence();
  return fit;
}

double direct_evidence(const ArdData& data, std::span<const double> precision, double sigma) {
  const Index n = ssize(data.outcome);
  numerics::DenseMatrix c(n, n);
  for (Index i = 0; i < n; ++i) {
    c(i, i) = sigma * sigma;
    for (Index j = 0; j < n; ++j)
      for (std::size_t d = 0; d < precision.size(); ++d)
        if (std::isfinite(precision[d]))
          c(i, j) += data.columns[d][static_cast<std::size_t>(i)] *
                     data.columns[d][static_cast<std::size_t>(j)] / precision[d];
  }
  const numerics::DenseMatrix root = numerics::cholesky_root(c);
  std::vector<double> z = data.outcome;
  double sum = static_cast<double>(n) * kLog2Pi;
  for (Index i = 0; i < n; ++i) {
    double& own = z[static_cast<std::size_t>(i)];
    for (Index k = 0; k < i; ++k) own -= root(k, i) * z[static_cast<std::size_t>(k)];
    own /= root(i, i);
    sum += 2.0 * std::log(root(i, i)) + own * own;
  }
  return -0.5 * sum;
}

}  // namespace credo::models
