// Murphy 2023, 12.41-12.50.
#include "models/mixture/gaussian_mixture.hpp"

#include <fmt/format.h>

#include <numbers>

#include "dist/samplers.hpp"

namespace credo::models {
using infer::Chooser;
using infer::RngChooser;
namespace {
const double kLog2Pi = std::log(2.0 * std::numbers::pi);

[[noreturn]] void refuse(std::string message, const char* where) {
  throw Error(ErrorCode::data, std::move(message), where);
}

double log_gaussian(std::span<const double> x, std::span<const double> mean,
                    const RowMatrix& factor) {
  std::vector<double> off(x.begin(), x.end());
  for (Index d = 0; d < ssize(x); ++d) off[d] -= mean[d];
  solve_factor(factor, off);
  double square = 0.0;
  for (const double z : off) square += z * z;
  return -0.5 *
         (static_cast<double>(ssize(x)) * kLog2Pi + log_determinant_of_factor(factor) + square);
}

std::vector<RowMatrix> factors_of(const GaussianMixture& mixture) {
  std::vector<RowMatrix> factors;
  for (const RowMatrix& covariance : mixture.covariances)
    factors.push_back(lower_factor(covariance));
  return factors;
}

void fill_log_weights(const GaussianMixture& mixture, std::span<const RowMatrix> factors,
                      std::span<const double> x, std::span<double> log_weights) {
  for (Index k = 0; k < mixture.num_components(); ++k)
    log_weights[k] = std::log(mixture.weights[k]) + log_gaussian(x, mixture.means[k], factors[k]);
}

void check_finite(std::span<const double> values, const char* where) {
  for (const double x : values)
    if (!std::isfinite(x)) refuse(fmt::format("must be finite, one is {}", x), where);
}

bool is_positive_definite(const RowMatrix& matrix) {
  return log_determinant_of_factor(lower_factor(matrix)) > -kInfinity;
}
}  // namespace

std::vector<double> log_label_weights(const GaussianMixture& mixture, std::span<const double> x) {
  std::vector<double> log_weights(mixture.weights.size());
  fill_log_weights(mixture, factors_of(mixture), x, log_weights);
  return log_weights;
}

void step_known(const GaussianMixture& mixture, LabelledPoint& at, Rng& rng) {
  RngChooser chooser(rng);
  at.x = draw_gaussian(mixture.means[at.label], mixture.covariances[at.label], rng);
  at.label = chooser.choose_log(log_label_weights(mixture, at.x));
}

void GaussianMixturePrior::check() const {
  if (concentrations.empty()) refuse("a mixture needs a component", "concentrations");
  for (const double a : concentrations)
    if (!(a > 0.0)) refuse(fmt::format("must be > 0, is {}", a), "concentrations");
  if (mean_covariance.rows != dimension() || scale.rows != dimension())
    refuse(fmt::format("matrices must be {0} x {0}", dimension()), "prior");
  if (!is_positive_definite(mean_covariance) || !is_positive_definite(scale))
    refuse("matrices must be positive definite", "prior");
  if (!(dof > static_cast<double>(dimension() - 1)))
    refuse(fmt::format("must be > {}, is {}", dimension() - 1, dof), "dof");
}

GaussianMixtureState draw_prior(const GaussianMixturePrior& prior, Index num_points, Rng& rng) {
  GaussianMixtureState state;
  state.mixture.weights = draw_dirichlet(prior.concentrations, rng);
  for (Index k = 0; k < prior.num_components(); ++k) {
    state.mixture.means.push_back(draw_gaussian(prior.mean, prior.mean_covariance, rng));
    state.mixture.covariances.push_back(draw_inverse_wishart(prior.scale, prior.dof, rng));
  }
  RngChooser chooser(rng);
  for (Index i = 0; i < num_points; ++i)
    state.labels.push_back(chooser.choose(state.mixture.weights));
  return state;
}

double log_prior(const GaussianMixturePrior& prior, const GaussianMixture& mixture) {
  const RowMatrix of_means = lower_factor(prior.mean_covariance);
  double sum = 0.0;
  for (Index k = 0; k < mixture.num_components(); ++k) {
    if (!(mixture.weights[k] > 0.0)) return -kInfinity;
    sum += (prior.concentrations[k] - 1.0) * std::log(mixture.weights[k]) +
           log_gaussian(mixture.means[k], prior.mean, of_means);
    const RowMatrix factor = lower_factor(mixture.covariances[k]);
    const double log_determinant = log_determinant_of_factor(factor);
    if (!std::isfinite(log_determinant)) return -kInfinity;
    const RowMatrix inverse = inverse_from_factor(factor);
    double trace = 0.0;
    for (Index i = 0; i < prior.dimension(); ++i)
      for (Index j = 0; j < prior.dimension(); ++j) trace += prior.scale(i, j) * inverse(j, i);
    sum -= 0.5 *
           ((prior.dof + static_cast<double>(prior.dimension()) + 1.0) * log_determinant + trace);
  }
  return sum;
}

std::vector<double> draw_points(const GaussianMixtureState& state, Rng& rng) {
  std::vector<double> points;
  for (const Index k : state.labels) {
    const auto x = draw_gaussian(state.mixture.means[k], state.mixture.covariances[k], rng);
    points.insert(points.end(), x.begin(), x.end());
  }
  return points;
}

GaussianMixtureGibbs::GaussianMixtureGibbs(std::vector<double> points, GaussianMixturePrior prior)
    : points_(std::move(points)), prior_(std::move(prior)) {
  prior_.check();
  num_points_ = ssize(points_) / prior_.dimension();
  if (num_points_ * prior_.dimension() != ssize(points_))
    refuse(fmt::format("{} numbers aren't points of {} dimensions", points_.size(),
                       prior_.dimension()),
           "points");
  check_finite(points_, "points");
}

void GaussianMixtureGibbs::check(const GaussianMixtureState& state) const {
  const auto& [mixture, labels] = state;
  const Index k = prior_.num_components();
  if (mixture.num_components() != k || ssize(mixture.means) != k || ssize(mixture.covariances) != k)
    refuse(fmt::format("a mixture of {} components, the prior has {}", mixture.num_components(), k),
           "state");
  if (ssize(labels) != num_points_)
    refuse(fmt::format("{} labels for {} points", labels.size(), num_points_), "state");
}

void GaussianMixtureGibbs::step(GaussianMixtureState& state, Rng& rng) const {
  check(state);
  RngChooser chooser(rng);
  update_labels(state, chooser);
  update_weights(state, rng);
  update_means(state, rng);
  update_covariances(state, rng);
}

void GaussianMixtureGibbs::update_labels(GaussianMixtureState& state, Chooser& chooser) const {
  const std::vector<RowMatrix> factors = factors_of(state.mixture);
  std::vector<double> log_weights(state.mixture.weights.size());
  for (Index i = 0; i < num_points_; ++i) {
    fill_log_weights(state.mixture, factors, point(i), log_weights);
    state.labels[i] = chooser.choose_log(log_weights);
  }
}

void GaussianMixtureGibbs::update_weights(GaussianMixtureState& state, Rng& rng) const {
  std::vector<double> concentrations = prior_.concentrations;
  for (const Index k : state.labels) concentrations[k] += 1.0;
  state.mixture.weights = draw_dirichlet(concentrations, rng);
}

// N(m, V), V^-1 = V0^-1 + N S^-1, m = V (S^-1 sum of x + V0^-1 m0).
std::vector<double> GaussianMixtureGibbs::draw_mean(const GaussianMixtureState& state, Index k,
                                                    Rng& rng) const {
  const Index d = prior_.dimension();
  const RowMatrix of_prior = inverse_from_factor(lower_factor(prior_.mean_covariance));
  const RowMatrix of_point = inverse_from_factor(lower_factor(state.mixture.covariances[k]));
  RowMatrix precision = of_prior;
  std::vector<double> total(static_cast<std::size_t>(d), 0.0), sums = total;
  const auto count = static_cast<double>(std::count(state.labels.begin(), state.labels.end(), k));
  for (Index i = 0; i < num_points_; ++i) {
    for (Index a = 0; state.labels[i] == k && a < d; ++a) sums[a] += point(i)[a];
  }
  for (Index a = 0; a < d; ++a) {
    for (Index b = 0; b < d; ++b) {
      precision(a, b) += count * of_point(a, b);
      total[a] += of_point(a, b) * sums[b] + of_prior(a, b) * prior_.mean[b];
    }
  }
  const RowMatrix factor = lower_factor(precision);  // L L' = V^-1: V total + L'^-1 normal
  solve_factor(factor, total);
  for (double& z : total) z += rng.normal();
  solve_factor_transposed(factor, total);
  return total;
}

void GaussianMixtureGibbs::update_means(GaussianMixtureState& state, Rng& rng) const {
  for (Index k = 0; k < state.mixture.num_components(); ++k)
    state.mixture.means[k] = draw_mean(state, k, rng);
}

// IW(S0 + sum of (x - mean) (x - mean)', dof + N).
void GaussianMixtureGibbs::update_covariances(GaussianMixtureState& state, Rng& rng) const {
  const Index d = prior_.dimension();
  for (Index k = 0; k < state.mixture.num_components(); ++k) {
    RowMatrix scale = prior_.scale;
    double dof = prior_.dof;
    const std::span<const double> mean = state.mixture.means[k];
    for (Index i = 0; i < num_points_; ++i) {
      if (state.labels[i] != k) continue;
      dof += 1.0;
      for (Index a = 0; a < d; ++a) {
        for (Index b = 0; b < d; ++b)
          scale(a, b) += (point(i)[a] - mean[a]) * (point(i)[b] - mean[b]);
      }
    }
    state.mixture.covariances[k] = draw_inverse_wishart(scale, dof, rng);
  }
}

double GaussianMixtureGibbs::log_complete(const GaussianMixtureState& state) const {
  const std::vector<RowMatrix> factors = factors_of(state.mixture);
  double sum = 0.0;
  for (Index i = 0; i < num_points_; ++i) {
    const Index k = state.labels[i];
    sum += std::log(state.mixture.weights[k]) +
           log_gaussian(point(i), state.mixture.means[k], factors[k]);
  }
  return sum;
}

std::vector<double> draw_dirichlet(std::span<const double> concentrations, Rng& rng) {
  std::vector<double> logs;
  for (const double a : concentrations) logs.push_back(dist::draw_log_gamma(rng, a));
  const double top = *std::max_element(logs.begin(), logs.end());
  double total = 0.0;
  for (double& value : logs) total += value = std::exp(value - top);
  for (double& value : logs) value /= total;
  return logs;
}

std::vector<double> draw_gaussian(std::span<const double> mean, const RowMatrix& covariance,
                                  Rng& rng) {
  std::vector<double> z(mean.size());
  for (double& value : z) value = rng.normal();
  std::vector<double> x = times_factor(lower_factor(covariance), z);
  for (std::size_t d = 0; d < x.size(); ++d) x[d] += mean[d];
  return x;
}

// Bartlett: with scale = L L' and A lower triangular, A_ii^2 ~ chi^2(dof - i), the rest normal,
// W = L'^-1 A A' L^-1 is Wishart(scale^-1, dof) and its inverse M M' with M = L A'^-1, that is
// A M' = L'.
RowMatrix draw_inverse_wishart(const RowMatrix& scale, double dof, Rng& rng) {
  const Index n = scale.rows;
  const RowMatrix factor = lower_factor(scale);
  RowMatrix bartlett(n), rows(n), draw(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) bartlett(i, j) = rng.normal();
    bartlett(i, i) = std::sqrt(2.0 * dist::draw_gamma(rng, 0.5 * (dof - static_cast<double>(i))));
  }
  for (Index i = 0; i < n; ++i) {  // row i of M solves A m = row i of L
    const auto row = rows.row(i);
    for (Index j = 0; j < n; ++j) row[j] = factor(i, j);
    solve_factor(bartlett, row);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) draw(i, j) += rows(i, k) * rows(j, k);
    }
  }
  return draw;
}

NormalPrecisionGibbs::NormalPrecisionGibbs(std::vector<double> data,
                                           const NormalPrecisionPrior& prior)
    : data_(std::move(data)), prior_(prior) {
  check_finite(data_, "data");
  check_finite(std::array{prior.mean, prior.mean_precision, prior.shape, prior.rate}, "prior");
  if (prior.mean_precision < 0.0 || prior.shape < 0.0 || prior.rate < 0.0)
    refuse("mean_precision, shape and rate must be at least 0", "prior");
  const bool all_equal =
      std::adjacent_find(data_.begin(), data_.end(), std::not_equal_to<>()) == data_.end();
  const bool is_proper = prior.mean_precision > 0.0 && prior.shape > 0.0 && prior.rate > 0.0;
  if (!is_proper && all_equal)
    refuse("with an improper prior two different observations are needed", "data");
  sum_ = std::accumulate(data_.begin(), data_.end(), 0.0);
}

// precision ~ Gamma(shape + N/2, rate + sum of squares / 2), then
// mean ~ N((t sum y + p0 m0) / (N t + p0), 1 / (N t + p0)).
void NormalPrecisionGibbs::step(NormalPrecisionState& state, Rng& rng) const {
  const auto n = static_cast<double>(ssize(data_));
  double squares = 0.0;
  for (const double y : data_) squares += (y - state.mean) * (y - state.mean);
  state.precision = dist::draw_gamma(rng, prior_.shape + 0.5 * n) / (prior_.rate + 0.5 * squares);
  const double precision = n * state.precision + prior_.mean_precision;
  const double mean = (state.precision * sum_ + prior_.mean_precision * prior_.mean) / precision;
  state.mean = mean + rng.normal() / std::sqrt(precision);
}

}  // namespace credo::models
