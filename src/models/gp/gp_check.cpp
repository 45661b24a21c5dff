#include "models/gp/gp_check.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr Index kMostRows = 2000, kShownRows = 6;

// U' x
std::vector<double> in_eigenbasis(const numerics::SymmetricEigen& eigen,
                                  std::span<const double> x) {
  std::vector<double> made;
  for (std::size_t k = 0; k < eigen.size(); ++k)
    made.push_back(std::inner_product(x.begin(), x.end(), eigen.vector(k).begin(), 0.0));
  return made;
}

// Weights of the outcomes in the mean at a point: P k + K^-1 H (H' K^-1 H)^-1 h, in the eigenbasis.
std::vector<double> outcome_weights(const numerics::SymmetricEigen& eigen, double noise,
                                    std::span<const double> k, const DenseMatrix& h_rows,
                                    const DenseMatrix& h, Index at) {
  const std::size_t n = eigen.size();
  const Index q = h_rows.cols;
  std::vector<std::vector<double>> columns;
  for (Index c = 0; c < q; ++c)
    columns.push_back(
        in_eigenbasis(eigen, std::span(h_rows.values).subspan(static_cast<std::size_t>(c) * n, n)));
  std::vector<double> kernel = in_eigenbasis(eigen, k), right;
  DenseMatrix cross(q, q);
  for (Index a = 0; a < q; ++a) {
    double off = h(at, a);
    for (std::size_t e = 0; e < n; ++e) {
      const double scaled = columns[static_cast<std::size_t>(a)][e] / (eigen.values[e] + noise);
      off -= scaled * kernel[e];
      for (Index b = 0; b < q; ++b) cross(a, b) += scaled * columns[static_cast<std::size_t>(b)][e];
    }
    right.push_back(off);
  }
  const GpMean solved = solve_mean(cross, right, 0.0);
  std::vector<double> weights(n, 0.0);
  for (std::size_t e = 0; e < n; ++e) {
    double value = kernel[e];
    for (std::size_t c = 0; c < solved.beta.size(); ++c) value += columns[c][e] * solved.beta[c];
    value /= eigen.values[e] + noise;
    for (std::size_t i = 0; i < n; ++i) weights[i] += value * eigen.vector(e)[i];
  }
  return weights;
}
}  // namespace

namespace {
constexpr Index kJointPoints = 12;

numerics::DenseMatrix rows_of_matrix(const DenseMatrix& a, std::span<const Index> rows) {
  DenseMatrix made(ssize(rows), a.cols);
  for (Index i = 0; i < made.rows; ++i)
    for (Index c = 0; c < a.cols; ++c) made(i, c) = a(rows[static_cast<std::size_t>(i)], c);
  return made;
}

// Every second of the first points, backwards, by a distribution of its own.
void compare_marginals(const GpTable& table, const GpPosterior& posterior, const GpPoints& points,
                       GpCheck& check) {
  const Covariance& covariance = table.problem.covariance;
  std::vector<Index> all, some;
  for (Index k = 0; k < std::min(kJointPoints, points.count()); ++k) all.push_back(k);
  for (Index k = ssize(all) - 1; k >= 0; k -= 2) some.push_back(k);
  const auto part = [&](std::span<const Index> rows, DenseMatrix& h) {
    std::vector<std::vector<double>> columns;
    for (const std::vector<double>& x : points.columns) {
      columns.emplace_back();
      for (const Index row : rows) columns.back().push_back(x[static_cast<std::size_t>(row)]);
    }
    h = rows_of_matrix(points.mean_columns, rows);
    return covariance.points(columns);
  };
  DenseMatrix h_all, h_some;
  const CovariancePoints at_all = part(all, h_all), at_some = part(some, h_some);
  const DenseMatrix joint = posterior.covariance(at_all, &h_all),
                    marginal = posterior.covariance(at_some, &h_some);
  const GpMoments joint_moments = posterior.moments(covariance.root(), at_all, &h_all),
                  moments = posterior.moments(covariance.root(), at_some, &h_some);
  check.num_joint = ssize(all), check.num_marginal = ssize(some);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto a = static_cast<std::size_t>(some[i]);
    check.marginal_error =
        std::max(check.marginal_error, std::abs(joint_moments.mean[a] - moments.mean[i]));
    for (std::size_t j = 0; j < some.size(); ++j)
      check.marginal_error = std::max(
          check.marginal_error, std::abs(joint(some[i], some[j]) -
                                         marginal(static_cast<Index>(i), static_cast<Index>(j))));
  }
}
}  // namespace

GpCheck check_gp(const GpTable& table, std::span<const double> theta, const GpPoints& points,
                 Index at) {
  const GpProblem& p = table.problem;
  const Index n = p.num_rows();
  if (n > kMostRows)
    throw Error(ErrorCode::usage, fmt::format("eigenvalues of {} rows take too long", n), "--check",
                fmt::format("at most {} rows", kMostRows));
  DenseMatrix gram(n);
  Covariance::Work work;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; j += Covariance::kMostAtOnce)
      p.covariance.values(p.covariance.root(), theta, p.x, i, p.x, j,
                          std::min(Covariance::kMostAtOnce, n - j), &gram(j, i), work);
  const DenseMatrix copy = gram;
  const numerics::SymmetricEigen eigen(std::move(gram));
  const double noise = p.noise_variance(theta), largest = eigen.values.back();
  GpCheck made{.eigenvalues = {eigen.values.rbegin(), eigen.values.rend()}};
  made.is_positive = eigen.values.front() > -1e-10 * largest;
  for (const double value : eigen.values) {
    if (value > 1e-12 * largest) ++made.rank;
    if (value > 0.0) made.effective += value / (value + noise);
  }
  if (!(noise > 1e-14 * largest)) return made;
  // by features Phi = U sqrt(values): w = (Phi'Phi + noise)^-1 Phi' r, f = Phi w; by rows: f = K (K + noise)^-1 r
  std::vector<double> residual = p.y;
  const auto solver = make_exact_solver(p);
  const auto posterior = solver->posterior(theta);
  compare_marginals(table, *posterior, points, made);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < p.mean_columns.cols; ++c)
      residual[static_cast<std::size_t>(i)] -=
          p.mean_columns(i, c) * posterior->coefficients()[static_cast<std::size_t>(c)];
  const std::vector<double> turned = in_eigenbasis(eigen, residual);
  for (Index i = 0; i < n; ++i) {
    double by_features = 0.0, by_rows = 0.0;
    for (std::size_t e = 0; e < eigen.size(); ++e) {
      if (!(eigen.values[e] > 1e-12 * largest)) continue;
      const double root = std::sqrt(eigen.values[e]),
                   weight = root * turned[e] / (eigen.values[e] + noise);
      by_features += root * eigen.vector(e)[static_cast<std::size_t>(i)] * weight;
    }
    for (Index j = 0; j < n; ++j)
      by_rows += copy(i, j) * posterior->weights()[static_cast<std::size_t>(j)];
    made.feature_error = std::max(made.feature_error, std::abs(by_features - by_rows));
  }
  std::vector<double> k(static_cast<std::size_t>(n));
  const CovariancePoints here = p.covariance.points(points.columns);
  for (Index j = 0; j < n; j += Covariance::kMostAtOnce)
    p.covariance.values(p.covariance.root(), theta, here, at, p.x, j,
                        std::min(Covariance::kMostAtOnce, n - j), k.data() + j, work);
  const std::vector<double> weights =
      outcome_weights(eigen, noise, k, p.mean_columns, points.mean_columns, at);
  made.weight_sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, std::ranges::greater{},
                    [&](Index i) { return std::abs(weights[static_cast<std::size_t>(i)]); });
  for (Index r = 0; r < std::min(kShownRows, n); ++r) {
    made.rows.push_back(order[static_cast<std::size_t>(r)]);
    made.row_weights.push_back(weights[static_cast<std::size_t>(made.rows.back())]);
  }
  return made;
}

namespace {
using SpectrumPeaks = std::vector<std::array<double, 2>>;  // centre and sd of each

// Frequencies from 0 on, with the variance below each of them.
struct CumulativeSpectrum {
  std::vector<double> frequency, below;

  // Simpson's rule on each cell. Half of the variance is at positive frequencies, so integrals over them are doubled.
  template <class Density>
  void integrate(const Density& density) {
    below.assign(1, 0.0);
    for (std::size_t c = 1; c < frequency.size(); ++c) {
      const double lo = frequency[c - 1], hi = frequency[c];
      below.push_back(below.back() + (density(lo) + 4.0 * density(0.5 * (lo + hi)) + density(hi)) *
                                         (hi - lo) / 3.0);
    }
  }
  double quantile(double variance) const {
    const auto found = std::ranges::lower_bound(below, variance) - below.begin();
    return frequency[std::min(static_cast<std::size_t>(found), frequency.size() - 1)];
  }
};

// Cells of a 50th of its sd around each peak, up to 8 sd from it.
std::vector<double> frequencies_around(const SpectrumPeaks& peaks) {
  constexpr int kSide = 400;
  std::vector<double> all{0.0};
  for (const auto& [centre, sd] : peaks)
    for (int k = -kSide; k <= kSide; ++k)
      if (const double f = centre + 8.0 * sd * k / kSide; f > 0.0) all.push_back(f);
  std::ranges::sort(all);
  return all;
}

// Without peaks, the density is largest at 0: the range is doubled until it has 98.5 % of the variance.
template <class Density>
CumulativeSpectrum cumulative_spectrum(const SpectrumPeaks& peaks, double variance,
                                       const Density& density) {
  constexpr int kCells = 4000;
  CumulativeSpectrum made;
  if (!peaks.empty()) {
    made.frequency = frequencies_around(peaks);
    made.integrate(density);
    return made;
  }
  double end = 1e-3 * variance / density(0.0);
  for (int k = 0; k < 60; ++k, end *= 2.0) {
    made.frequency.clear();
    for (int c = 0; c <= kCells; ++c) made.frequency.push_back(end * c / kCells);
    made.integrate(density);
    if (made.below.back() > 0.985 * variance) break;
  }
  return made;
}

// An even grid, and the peaks, which may be narrower than its cells.
std::vector<double> shown_frequencies(double end, const SpectrumPeaks& peaks) {
  constexpr int kShown = 40;
  std::vector<double> all;
  for (int k = 0; k <= kShown; ++k) all.push_back(end * k / kShown);
  for (const auto& [centre, sd] : peaks)
    for (int k = -2; k <= 2; ++k)
      if (const double f = centre + sd * k; f > 0.0 && f < end) all.push_back(f);
  std::ranges::sort(all);
  return all;
}
}  // namespace

std::vector<GpSpectrum> spectra_of(const Covariance& covariance, std::span<const double> theta) {
  std::vector<GpSpectrum> all;
  for (const KernelNode* term : covariance.terms()) {
    if (term->kind != KernelNode::Kind::atom || term->row->spectral_density == nullptr ||
        term->options.dimension != 1)
      continue;
    const double sd = term->sd >= 0 ? theta[static_cast<std::size_t>(term->sd)] : 1.0,
                 variance = term->factor * sd * sd;
    const double* const own = theta.data() + term->first;
    const auto density = [&](double f) {
      return variance * term->row->spectral_density(term->options, own, 2.0 * std::numbers::pi * f);
    };
    SpectrumPeaks peaks;
    if (term->row->spectral_peaks != nullptr) peaks = term->row->spectral_peaks(term->options, own);
    const CumulativeSpectrum spectrum = cumulative_spectrum(peaks, variance, density);
    GpSpectrum made{.term = term->text,
                    .frequency = {},
                    .density = {},
                    .half = spectrum.quantile(0.5 * variance),
                    .most = spectrum.quantile(0.95 * variance)};
    made.frequency = shown_frequencies(1.2 * made.most, peaks);
    for (const double f : made.frequency) made.density.push_back(density(f));
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace credo::models
