// Normal distributions with a covariance of low rank beside a diagonal [ong2018]:
//
//   x = c + u ∘ (m + d ∘ ε + B η),   ε ~ N(0, I) of D values, η ~ N(0, I) of r values,   Σ = u (D² + B Bᵀ) u
//
// c and u are fixed units. λ: m, then log d, then the columns of B. With K = I + Bᵀ D⁻² B, r × r,
//
//   (D² + B Bᵀ)⁻¹ = D⁻² - D⁻² B K⁻¹ Bᵀ D⁻²   (Woodbury),   |D² + B Bᵀ| = |D²| |K|
//
// so that a point costs O(D r), and a change of λ O(D r²).
#include "base/rng.hpp"
#include "infer/variational/families/normal_family.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostWithDirections = 500;  // values whose covariance is taken apart at the start
constexpr double kFirstLoading = 0.1;       // without a covariance; at B = 0 the gradient by B is 0
constexpr std::uint64_t kLoadingSeed = 20'180'901;

class LowRankNormal final : public NormalFamily {
 public:
  explicit LowRankNormal(const FamilySetup& setup);
  std::unique_ptr<NormalFamily> clone() const override {
    return std::make_unique<LowRankNormal>(*this);
  }
  Index dimension() const override { return ssize(centre_); }
  Index num_base() const override { return dimension() + rank_; }
  Index num_parameters() const override { return dimension() * (2 + rank_); }
  std::vector<double> start() const override { return start_; }
  void move_to(std::span<const double> parameters) override;
  std::vector<double> settled(std::span<const double> parameters) const override;
  void place(std::span<const double> z, std::span<double> x) const override;
  void pull_back(std::span<const double> z, std::span<const double> v,
                 std::span<double> into) override;
  void project(std::span<const double> v, std::span<double> z) override;
  double entropy() const override {
    return static_cast<double>(dimension()) * (kNormalConstant + 0.5) + log_root_;
  }
  void add_entropy_slope(std::span<double> into) override;
  void score(std::span<const double> x, std::span<double> into) override;
  double log_density(std::span<const double> x) override;
  bool precondition(std::span<double> gradient) override;
  CovarianceParts covariance_parts() const override {
    CovarianceParts parts;
    for (std::size_t i = 0; i < units_.size(); ++i) parts.scales.push_back(units_[i] * scales_[i]);
    for (std::size_t k = 0; k < inner_.size(); ++k)
      for (std::size_t i = 0; i < units_.size(); ++i)
        parts.loadings.push_back(units_[i] * loading(i, k));
    return parts;
  }

 private:
  double& loading(std::size_t i, std::size_t k) { return parameters_[at_loading(i, k)]; }
  double loading(std::size_t i, std::size_t k) const { return parameters_[at_loading(i, k)]; }
  std::size_t at_loading(std::size_t i, std::size_t k) const {
    return (2 + k) * centre_.size() + i;
  }
  void factor();

  std::vector<double> centre_, units_, start_, parameters_, scales_;
  Index rank_;
  numerics::RowMatrix factor_;  // factor of K
  double log_root_of_units_ = 0.0, log_root_ = 0.0;
  std::vector<double> inner_, rest_;  // r values, D values
};

// The start's leading directions, scaled by units of the standard deviations given the others: a covariance of 1 beside
// them keeps its other directions at about their size.
void set_directions(const FamilySetup& setup, std::span<const double> units, Index rank,
                    std::span<double> loadings) {
  const Index n = ssize(units);
  numerics::DenseMatrix scaled(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      scaled(i, j) = setup.covariance[static_cast<std::size_t>(i * n + j)] /
                     (units[static_cast<std::size_t>(i)] * units[static_cast<std::size_t>(j)]);
  const numerics::SymmetricEigen eigen(scaled);
  for (Index k = 0; k < std::min(rank, n); ++k) {
    const auto from = static_cast<std::size_t>(n - 1 - k);  // values ascend
    const double length = std::sqrt(std::max(eigen.values[from] - 1.0, kFirstLoading));
    for (Index i = 0; i < n; ++i)
      loadings[static_cast<std::size_t>(k * n + i)] =
          length * eigen.vector(from)[static_cast<std::size_t>(i)];
  }
}

LowRankNormal::LowRankNormal(const FamilySetup& setup)
    : centre_(setup.mean),
      scales_(centre_.size(), 1.0),
      rank_(std::min(setup.rank, ssize(centre_))),
      inner_(static_cast<std::size_t>(rank_)),
      rest_(centre_.size()) {
  const std::size_t n = centre_.size();
  const std::vector<double> precision = precision_of(setup);
  const bool is_matrix = precision.size() != n;
  for (std::size_t d = 0; d < n; ++d) {
    units_.push_back(1.0 / std::sqrt(precision[is_matrix ? d * n + d : d]));
    log_root_of_units_ += numerics::log(units_.back());
  }
  start_.assign(static_cast<std::size_t>(num_parameters()), 0.0);
  const std::span<double> loadings = std::span(start_).subspan(2 * n);
  if (is_matrix && ssize(centre_) <= kMostWithDirections) {
    set_directions(setup, units_, rank_, loadings);
  } else {
    Rng rng({.seed = kLoadingSeed, .purpose = purpose::kWalker, .chain = 0, .iteration = 0});
    for (double& b : loadings) b = kFirstLoading * rng.normal();
  }
  move_to(start_);
}

void LowRankNormal::move_to(std::span<const double> parameters) {
  parameters_.assign(parameters.begin(), parameters.end());
  for (std::size_t d = 0; d < scales_.size(); ++d)
    scales_[d] = numerics::exp(parameters_[scales_.size() + d]);
  factor();
}

// Means, and logs of standard deviations: directions that turn within their span are the same distribution.
std::vector<double> LowRankNormal::settled(std::span<const double> parameters) const {
  const std::size_t n = centre_.size();
  std::vector<double> all(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    double variance = std::exp(2.0 * parameters[n + i]);
    for (std::size_t k = 0; k < inner_.size(); ++k)
      variance += parameters[at_loading(i, k)] * parameters[at_loading(i, k)];
    all.push_back(0.5 * std::log(variance));
  }
  return all;
}

void LowRankNormal::factor() {
  const auto r = static_cast<std::size_t>(rank_);
  numerics::RowMatrix k = numerics::diagonal_matrix(rank_, 1.0);
  for (std::size_t i = 0; i < scales_.size(); ++i)
    for (std::size_t a = 0; a < r; ++a)
      for (std::size_t b = 0; b < r; ++b)
        k(static_cast<Index>(a), static_cast<Index>(b)) +=
            loading(i, a) * loading(i, b) / (scales_[i] * scales_[i]);
  factor_ = numerics::lower_factor(k);
  log_root_ = log_root_of_units_ + 0.5 * numerics::log_determinant_of_factor(factor_);
  for (std::size_t d = 0; d < scales_.size(); ++d) log_root_ += parameters_[scales_.size() + d];
}

void LowRankNormal::place(std::span<const double> z, std::span<double> x) const {
  const std::size_t n = centre_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = parameters_[i] + scales_[i] * z[i];
    for (std::size_t k = 0; k < inner_.size(); ++k) sum += loading(i, k) * z[n + k];
    x[i] = centre_[i] + units_[i] * sum;
  }
}

void LowRankNormal::pull_back(std::span<const double> z, std::span<const double> v,
                              std::span<double> into) {
  const std::size_t n = centre_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double w = units_[i] * v[i];
    into[i] += w;
    into[n + i] += w * scales_[i] * z[i];
    for (std::size_t k = 0; k < inner_.size(); ++k) into[at_loading(i, k)] += w * z[n + k];
  }
}

void LowRankNormal::project(std::span<const double> v, std::span<double> z) {
  const std::size_t n = centre_.size();
  std::fill(z.begin(), z.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double w = units_[i] * v[i];
    z[i] = scales_[i] * w;
    for (std::size_t k = 0; k < inner_.size(); ++k) z[n + k] += loading(i, k) * w;
  }
}

// By log d_i: 1 - b' K⁻¹ b / d_i², b row i of B; by that row: K⁻¹ b / d_i².
void LowRankNormal::add_entropy_slope(std::span<double> into) {
  const std::size_t n = centre_.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < inner_.size(); ++k) inner_[k] = loading(i, k);
    numerics::solve_factor(factor_, inner_);
    numerics::solve_factor_transposed(factor_, inner_);
    double share = 0.0;
    for (std::size_t k = 0; k < inner_.size(); ++k) {
      const double slope = inner_[k] / (scales_[i] * scales_[i]);
      share += slope * loading(i, k);
      into[at_loading(i, k)] += slope;
    }
    into[n + i] += 1.0 - share;
  }
}

void LowRankNormal::score(std::span<const double> x, std::span<double> into) {
  std::fill(inner_.begin(), inner_.end(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = (x[i] - centre_[i]) / units_[i] - parameters_[i];
    into[i] = off / (scales_[i] * scales_[i]);
    for (std::size_t k = 0; k < inner_.size(); ++k) inner_[k] += loading(i, k) * into[i];
  }
  numerics::solve_factor(factor_, inner_);
  numerics::solve_factor_transposed(factor_, inner_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double low = 0.0;
    for (std::size_t k = 0; k < inner_.size(); ++k) low += loading(i, k) * inner_[k];
    into[i] = -(into[i] - low / (scales_[i] * scales_[i])) / units_[i];
  }
}

double LowRankNormal::log_density(std::span<const double> x) {
  score(x, rest_);
  double sum = -log_root_ - static_cast<double>(dimension()) * kNormalConstant;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += 0.5 * rest_[i] * (x[i] - centre_[i] - units_[i] * parameters_[i]);
  return sum;
}
// With one direction b [tran2020], t_i = b_i² / d_i² and k = 1 + Σ t, the Fisher matrix has the blocks
//
//   m       (d² + b bᵀ)⁻¹
//   log d   2 [ diag(1 - 2 t / k) + t tᵀ / k² ]
//   b       κ / d² + (2 - k) / k² (b / d²) (b / d²)ᵀ,   κ = (k - 1) / k
//
// each a diagonal plus rank one, so that its inverse takes O(D). The block between d and b is left out, as the source has it: with it
// the matrix is singular for one and two values.
bool LowRankNormal::precondition(std::span<double> gradient) {
  if (rank_ != 1) return false;
  constexpr double kLeastPivot = 1e-8,
                   kLeastShare = 1e-2;  // least κ, for a direction that is nearly 0
  const std::size_t n = centre_.size();
  const auto b = std::span<const double>(parameters_).subspan(2 * n, n);
  const std::span<double> mean = gradient.first(n), logs = gradient.subspan(n, n),
                          loadings = gradient.subspan(2 * n, n);
  std::vector<double> t(n);
  for (std::size_t i = 0; i < n; ++i) t[i] = b[i] * b[i] / (scales_[i] * scales_[i]);
  const double k = 1.0 + std::accumulate(t.begin(), t.end(), 0.0);
  const double share = std::max(kLeastShare, (k - 1.0) / k);
  double along_mean = 0.0, along_loadings = 0.0, along_logs = 0.0, of_logs = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double pivot = 2.0 * (1.0 - 2.0 * t[i] / k);
    if (std::fabs(pivot) < kLeastPivot) pivot = kLeastPivot;
    along_mean += b[i] * mean[i], along_loadings += b[i] * loadings[i];
    logs[i] /= pivot;
    along_logs += t[i] * logs[i], of_logs += t[i] * t[i] / pivot;
    rest_[i] = t[i] / pivot;
  }
  const double by_logs = along_logs / (0.5 * k * k + of_logs);
  const double by_loadings = (2.0 - k) / (2.0 * k) * along_loadings / (share * share);
  for (std::size_t i = 0; i < n; ++i) {
    const double square = scales_[i] * scales_[i];
    mean[i] = square * mean[i] + along_mean * b[i];
    logs[i] -= by_logs * rest_[i];
    loadings[i] = square * loadings[i] / share - by_loadings * b[i];
  }
  return true;
}
}  // namespace

std::unique_ptr<NormalFamily> make_low_rank_normal(const FamilySetup& setup) {
  return std::make_unique<LowRankNormal>(setup);
}

}  // namespace credo::infer
