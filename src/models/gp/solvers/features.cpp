// The process as a linear model of features [rasmussen2006, section 2.1.2]: y = H beta + Phi w + noise, w ~ N(0, 1), beta with a flat prior.
//
//   S = Phi Phi' + sigma²,  B = 1 + Phi'Phi / sigma²,  log det S = log det B + N log sigma²
//   S^-1 r = (r - Phi u) / sigma²  with  u = B^-1 Phi' r / sigma²;   w given y: N(u_y - U_H beta, B^-1)
//   d log p / dPhi = E = alpha (Phi'alpha)' - Phi B^-1 / sigma² + V (V'Phi),   V = S^-1 H R^-1
#include "models/gp/solvers/features.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "models/gp/tiled_factor.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr Index kSlack = 32;  // kernels read a vector past the end
constexpr Index kFeatureRows = 256;

struct FeatureState {
  std::unique_ptr<TiledFactor> b = {};
  std::vector<double> phi = {};  // N x M by rows
  DenseMatrix u = {};            // M x (1 + q)
  DenseMatrix solved = {};       // S^-1 (y, H), N x (1 + q)
  GpMean mean = {};
  double log_determinant = 0.0;
  bool has_failed = false;
};

class FeatureSolver final : public GpSolver {
 public:
  FeatureSolver(const GpProblem& p, std::unique_ptr<FeatureMap> map)
      : p_(p), map_(std::move(map)), team_(p.num_threads), q_(p.mean_columns.cols) {}

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    FeatureState s = state(theta);
    if (s.has_failed || !s.mean.is_defined) return {};
    GpEvidence made{.value = gp_log_evidence(s.log_determinant, s.mean, p_.num_rows())};
    if (with_slopes) made.slopes = slopes(theta, s);
    return made;
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override;
  std::vector<std::string> remarks(std::span<const double> theta) override;

 private:
  friend class FeaturePosterior;

  FeatureState state(std::span<const double> theta);
  double right(Index c, Index i) const {
    return c == 0 ? p_.y[static_cast<std::size_t>(i)] : p_.mean_columns(i, c - 1);
  }
  void factor(FeatureState& s, double noise);
  void solve_outcomes(FeatureState& s, double noise);
  std::vector<double> slopes(std::span<const double> theta, FeatureState& s);

  const GpProblem& p_;
  std::unique_ptr<FeatureMap> map_;
  WorkerTeam team_;
  Index q_;
};

FeatureState FeatureSolver::state(std::span<const double> theta) {
  const Index n = p_.num_rows(), m = map_->size();
  const double noise = p_.noise_variance(theta);
  FeatureState s;
  s.has_failed = !(noise > 0.0);
  if (s.has_failed) return s;
  map_->set(theta);
  s.phi.resize(static_cast<std::size_t>(n * m + kSlack));
  team_.for_each((n + kFeatureRows - 1) / kFeatureRows, [&](Index piece, Index) {
    for (Index i = piece * kFeatureRows; i < std::min(n, (piece + 1) * kFeatureRows); ++i)
      map_->fill(p_.x, i, -1, s.phi.data() + i * m);
  });
  factor(s, noise);
  if (!s.has_failed) solve_outcomes(s, noise);
  return s;
}

// B, tile by tile
void FeatureSolver::factor(FeatureState& s, double noise) {
  const Index n = p_.num_rows(), m = map_->size();
  s.b = std::make_unique<TiledFactor>(m, team_);
  const Index num = s.b->num_tiles();
  team_.for_each(num * (num + 1) / 2, [&](Index piece, Index) {
    Index j = 0;
    while (piece >= num - j) piece -= num - j, ++j;
    const Index i = j + piece;
    const numerics::ProductSizes sizes{s.b->count(i), n, s.b->count(j)};
    std::vector<double> out(static_cast<std::size_t>(sizes.rows * sizes.cols + kSlack)),
        scratch(static_cast<std::size_t>(numerics::multiply_scratch(sizes) + kSlack));
    numerics::multiply(1, sizes, {s.phi.data() + s.b->first(i), 1, m},
                       {s.phi.data() + s.b->first(j), m, 1}, out.data(), scratch.data());
    for (Index c = 0; c < sizes.cols; ++c)
      for (Index r = 0; r < sizes.rows; ++r)
        *s.b->at(s.b->first(i) + r, s.b->first(j) + c) =
            out[static_cast<std::size_t>(c * sizes.rows + r)] / noise;
  });
  for (Index k = 0; k < m; ++k) *s.b->at(k, k) += 1.0;
  s.has_failed = !s.b->factor();
  if (!s.has_failed)
    s.log_determinant = s.b->log_determinant() + static_cast<double>(n) * std::log(noise);
}

void FeatureSolver::solve_outcomes(FeatureState& s, double noise) {
  const Index n = p_.num_rows(), m = map_->size();
  s.u = DenseMatrix(m, 1 + q_), s.solved = DenseMatrix(n, 1 + q_);
  for (Index c = 0; c <= q_; ++c) {
    const std::span<double> u{&s.u(0, c), static_cast<std::size_t>(m)};
    for (Index i = 0; i < n; ++i) {
      const double r = right(c, i) / noise;
      for (Index k = 0; k < m; ++k)
        u[static_cast<std::size_t>(k)] += s.phi[static_cast<std::size_t>(i * m + k)] * r;
    }
    s.b->solve(u);
    s.b->solve_transposed(u);
    for (Index i = 0; i < n; ++i) {
      double fitted = 0.0;
      for (Index k = 0; k < m; ++k)
        fitted += s.phi[static_cast<std::size_t>(i * m + k)] * u[static_cast<std::size_t>(k)];
      s.solved(i, c) = (right(c, i) - fitted) / noise;
    }
  }
  DenseMatrix cross(q_, q_);
  std::vector<double> beside(static_cast<std::size_t>(q_), 0.0);
  double square = 0.0;
  for (Index i = 0; i < n; ++i) {
    square += right(0, i) * s.solved(i, 0);
    for (Index a = 0; a < q_; ++a) {
      beside[static_cast<std::size_t>(a)] += right(1 + a, i) * s.solved(i, 0);
      for (Index b = 0; b < q_; ++b) cross(a, b) += right(1 + a, i) * s.solved(i, 1 + b);
    }
  }
  s.mean = solve_mean(cross, beside, square);
}

std::vector<double> FeatureSolver::slopes(std::span<const double> theta, FeatureState& s) {
  const Index n = p_.num_rows(), m = map_->size();
  const double noise = p_.noise_variance(theta);
  DenseMatrix sides(n, 1 + q_);  // alpha, V
  for (Index i = 0; i < n; ++i) {
    sides(i, 0) = s.solved(i, 0);
    for (Index c = 0; c < q_; ++c) {
      sides(i, 0) -= s.solved(i, 1 + c) * s.mean.beta[static_cast<std::size_t>(c)];
      double v = s.solved(i, 1 + c);
      for (Index b = 0; b < c; ++b) v -= sides(i, 1 + b) * s.mean.factor(b, c);
      sides(i, 1 + c) = v / s.mean.factor(c, c);
    }
  }
  DenseMatrix products(m, 1 + q_);  // Phi' (alpha, V)
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c <= q_; ++c)
      for (Index k = 0; k < m; ++k)
        products(k, c) += s.phi[static_cast<std::size_t>(i * m + k)] * sides(i, c);
  s.b->invert();
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < j; ++i) *s.b->at(i, j) = *s.b->at(j, i);
  std::vector<double> e(s.phi.size(), 0.0);
  std::vector<double> parts(static_cast<std::size_t>((n + kFeatureRows - 1) / kFeatureRows), 0.0);
  team_.for_each(ssize(parts), [&](Index piece, Index) {
    const Index first = piece * kFeatureRows, count = std::min(kFeatureRows, n - first);
    const numerics::ProductSizes sizes{m, m, count};  // columns: rows of Phi
    std::vector<double> inverse_side(static_cast<std::size_t>(m * count + kSlack)),
        scratch(static_cast<std::size_t>(numerics::multiply_scratch(sizes) + kSlack));
    numerics::multiply(1, sizes, {s.b->at(0, 0), 1, m}, {s.phi.data() + first * m, 1, m},
                       inverse_side.data(), scratch.data());
    double& diagonal = parts[static_cast<std::size_t>(piece)];  // tr G
    for (Index r = 0; r < count; ++r) {
      const Index i = first + r;
      const double* const phi = s.phi.data() + i * m;
      double* const to = e.data() + i * m;
      double own = 0.0;
      for (Index k = 0; k < m; ++k) {
        const double by_inverse = inverse_side[static_cast<std::size_t>(r * m + k)] / noise;
        own += phi[k] * by_inverse;
        to[k] = sides(i, 0) * products(k, 0) - by_inverse;
        for (Index c = 1; c <= q_; ++c) to[k] += sides(i, c) * products(k, c);
      }
      double g = sides(i, 0) * sides(i, 0) - (1.0 - own) / noise;
      for (Index c = 1; c <= q_; ++c) g += sides(i, c) * sides(i, c);
      diagonal += 0.5 * g;
    }
  });
  std::vector<double> total(static_cast<std::size_t>(p_.covariance.num_parameters()), 0.0);
  map_->add_slopes(p_.x, e.data(), s.phi.data(), total);
  total[static_cast<std::size_t>(p_.noise)] += 2.0 * theta[static_cast<std::size_t>(p_.noise)] *
                                               std::accumulate(parts.begin(), parts.end(), 0.0);
  return total;
}

class FeaturePosterior final : public GpPosterior {
 public:
  FeaturePosterior(FeatureSolver& solver, std::span<const double> theta, FeatureState s)
      : o_(solver), theta_(theta.begin(), theta.end()), s_(std::move(s)) {
    for (Index k = 0; k < o_.map_->size(); ++k) {
      weights_.push_back(s_.u(k, 0));
      for (Index c = 0; c < o_.q_; ++c)
        weights_.back() -= s_.u(k, 1 + c) * s_.mean.beta[static_cast<std::size_t>(c)];
    }
  }

  GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                    const DenseMatrix* h) const override {
    return moments_of(features(at, -1, &node), h);
  }
  DenseMatrix covariance(const CovariancePoints& at, const DenseMatrix* h) const override {
    DenseMatrix phi = features(at, -1, nullptr), made(at.count);
    const DenseMatrix rest = mean_rest(phi, h);
    for (Index j = 0; j < at.count; ++j)
      s_.b->solve({&phi(0, j), static_cast<std::size_t>(phi.rows)});
    for (Index i = 0; i < at.count; ++i)
      for (Index j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (Index k = 0; k < phi.rows; ++k) sum += phi(k, i) * phi(k, j);
        for (Index c = 0; c < rest.rows; ++c) sum += rest(c, i) * rest(c, j);
        made(i, j) = made(j, i) = sum;
      }
    return made;
  }
  GpMoments derivative(const CovariancePoints& at, Index column,
                       const DenseMatrix* h) const override {
    return moments_of(features(at, column, nullptr), h);
  }
  std::vector<double> coefficients() const override { return s_.mean.beta; }
  std::vector<double> coefficient_sds() const override {
    std::vector<double> sds;
    if (o_.q_ == 0) return sds;
    const DenseMatrix inverse = numerics::inverse_of_upper(s_.mean.factor);
    for (Index i = 0; i < o_.q_; ++i) {
      double sum = 0.0;
      for (Index j = 0; j < o_.q_; ++j) sum += inverse(i, j) * inverse(i, j);
      sds.push_back(std::sqrt(sum));
    }
    return sds;
  }
  std::span<const double> weights() const override { return weights_; }

 private:
  // M x points; for one term, features of the others are 0.
  DenseMatrix features(const CovariancePoints& at, Index by_column, const KernelNode* node) const {
    o_.map_->set(theta_);
    DenseMatrix made(o_.map_->size(), at.count);
    for (Index j = 0; j < at.count; ++j) o_.map_->fill(at, j, by_column, &made(0, j));
    if (node == nullptr || node->id == o_.p_.covariance.root().id) return made;
    for (const GpFeatureTerm& term : o_.map_->terms())
      if (term.node->id != node->id)
        for (Index j = 0; j < at.count; ++j) std::fill_n(&made(term.first, j), term.count, 0.0);
    return made;
  }
  GpMoments moments_of(DenseMatrix phi, const DenseMatrix* h) const {
    GpMoments made;
    const DenseMatrix rest = mean_rest(phi, h);
    for (Index j = 0; j < phi.cols; ++j) {
      double mean = 0.0, variance = 0.0;
      for (Index k = 0; k < phi.rows; ++k)
        mean += phi(k, j) * weights_[static_cast<std::size_t>(k)];
      for (Index c = 0; h != nullptr && c < h->cols; ++c)
        mean += (*h)(j, c) * s_.mean.beta[static_cast<std::size_t>(c)];
      s_.b->solve({&phi(0, j), static_cast<std::size_t>(phi.rows)});
      for (Index k = 0; k < phi.rows; ++k) variance += phi(k, j) * phi(k, j);
      for (Index c = 0; c < rest.rows; ++c) variance += rest(c, j) * rest(c, j);
      made.mean.push_back(mean), made.variance.push_back(variance);
    }
    return made;
  }
  // R'^-1 (h - U_H' phi)
  DenseMatrix mean_rest(const DenseMatrix& phi, const DenseMatrix* h) const {
    DenseMatrix rest(o_.q_, phi.cols);
    for (Index j = 0; j < phi.cols; ++j)
      for (Index c = 0; c < o_.q_; ++c) {
        double own = h != nullptr ? (*h)(j, c) : 0.0;
        for (Index k = 0; k < phi.rows; ++k) own -= s_.u(k, 1 + c) * phi(k, j);
        for (Index b = 0; b < c; ++b) own -= s_.mean.factor(b, c) * rest(b, j);
        rest(c, j) = own / s_.mean.factor(c, c);
      }
    return rest;
  }

  FeatureSolver& o_;
  std::vector<double> theta_, weights_;
  FeatureState s_;
};

std::unique_ptr<GpPosterior> FeatureSolver::posterior(std::span<const double> theta) {
  FeatureState s = state(theta);
  if (s.has_failed)
    throw Error(ErrorCode::evaluation, "the covariance of the features' weights isn't positive", "",
                "estimate the noise, or state it: --noise 0.1");
  if (!s.mean.is_defined)
    throw Error(ErrorCode::data, "the columns of the mean are collinear", "",
                "leave one of them out");
  return std::make_unique<FeaturePosterior>(*this, theta, std::move(s));
}

// The largest error of the covariance over pairs of rows that are spread over the table, relative to the variance.
std::vector<std::string> FeatureSolver::remarks(std::span<const double> theta) {
  constexpr Index kRows = 8;
  const Index n = p_.num_rows(), m = map_->size(), num = std::min(kRows, n);
  map_->set(theta);
  std::vector<double> own(static_cast<std::size_t>(m)), other(own);
  Covariance::Work work;
  const KernelNode& root = p_.covariance.root();
  double most = 0.0;
  for (Index r = 0; r < num; ++r) {
    const Index i = r * n / num, step = std::max<Index>(1, n / 1000);
    map_->fill(p_.x, i, -1, own.data());
    const double variance = p_.covariance.variance(root, theta, p_.x, i, work);
    for (Index j = 0; j < n; j += step) {
      map_->fill(p_.x, j, -1, other.data());
      double k = 0.0;
      p_.covariance.values(root, theta, p_.x, i, p_.x, j, 1, &k, work);
      const double by_features = std::inner_product(own.begin(), own.end(), other.begin(), 0.0);
      most = std::max(most, std::abs(by_features - k) / variance);
    }
  }
  std::vector<std::string> made{fmt::format(
      "{} features change covariances by at most {:.1e} of the variance (from {} rows to others).",
      m, most, num)};
  if (most > 0.1)
    made.emplace_back(
        "That is much: --features takes more of them, and --solver exact needs none.");
  return made;
}
}  // namespace

std::unique_ptr<GpSolver> make_feature_solver(const GpProblem& problem,
                                              std::unique_ptr<FeatureMap> features) {
  return std::make_unique<FeatureSolver>(problem, std::move(features));
}

}  // namespace credo::models
