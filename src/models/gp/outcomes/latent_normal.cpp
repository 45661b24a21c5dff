#include "models/gp/outcomes/latent_normal.hpp"

#include "base/error.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr Index kColumnsTogether = 8;
constexpr double kCoefficientSd = 5.0;

double column_mean(const DenseMatrix& a, Index c) {
  double sum = 0.0;
  for (Index i = 0; i < a.rows; ++i) sum += a(i, c);
  return sum / static_cast<double>(a.rows);
}
}  // namespace

MeanPrior::MeanPrior(const DenseMatrix& columns, bool has_intercept, double scale)
    : has_intercept_(has_intercept) {
  for (Index c = 0; c < columns.cols; ++c) {
    const double mean = column_mean(columns, c);
    double square = 0.0;
    for (Index i = 0; i < columns.rows; ++i)
      square += (columns(i, c) - mean) * (columns(i, c) - mean);
    const double sd = std::sqrt(square / static_cast<double>(columns.rows));
    const bool is_intercept = has_intercept && c == 0;
    if (!is_intercept && !(sd > 0.0))
      throw Error(ErrorCode::data, "a column of the mean is the same in all rows", "",
                  "leave it out: the intercept is the 1 of y ~ 1 + x | se(z)");
    centres_.push_back(has_intercept && !is_intercept ? mean : 0.0);
    sds_.push_back(scale * (is_intercept ? kCoefficientSd : kCoefficientSd / sd));
  }
}

DenseMatrix MeanPrior::scaled(const DenseMatrix& columns) const {
  DenseMatrix made(columns.rows, columns.cols);
  for (Index c = 0; c < columns.cols; ++c)
    for (Index i = 0; i < columns.rows; ++i)
      made(i, c) = (columns(i, c) - centres_[static_cast<std::size_t>(c)]) *
                   sds_[static_cast<std::size_t>(c)];
  return made;
}

// beta_c = sd_c times the scaled one; the intercept is less by the centres times the others.
GpMoments MeanPrior::coefficients(std::span<const double> mean,
                                  const DenseMatrix& covariance) const {
  const Index q = size();
  GpMoments made;
  for (Index c = 0; c < q; ++c) {
    std::vector<double> row(static_cast<std::size_t>(q), 0.0);
    row[static_cast<std::size_t>(c)] = sds_[static_cast<std::size_t>(c)];
    for (Index b = 1; b < q && c == 0 && has_intercept_; ++b)
      row[static_cast<std::size_t>(b)] =
          -centres_[static_cast<std::size_t>(b)] * sds_[static_cast<std::size_t>(b)];
    double value = 0.0, variance = 0.0;
    for (Index a = 0; a < q; ++a) {
      value += row[static_cast<std::size_t>(a)] * mean[static_cast<std::size_t>(a)];
      for (Index b = 0; b < q; ++b)
        variance +=
            row[static_cast<std::size_t>(a)] * row[static_cast<std::size_t>(b)] * covariance(a, b);
    }
    made.mean.push_back(value), made.variance.push_back(std::max(0.0, variance));
  }
  return made;
}

std::vector<double> outcome_means(const GpOutcome& outcome, const GpMoments& f) {
  std::vector<double> made;
  for (std::size_t i = 0; i < f.mean.size(); ++i)
    made.push_back(outcome_mean(*outcome.family, f.mean[i] + outcome.centre, f.variance[i]));
  return made;
}

std::vector<double> sds_of(const GpMoments& moments) {
  std::vector<double> made;
  for (const double variance : moments.variance) made.push_back(std::sqrt(variance));
  return made;
}

LatentPrior::LatentPrior(const GpProblem& problem_, const GpOutcome& outcome_)
    : problem(problem_),
      outcome(outcome_),
      mean(problem_.mean_columns, outcome_.has_intercept, outcome_.scale),
      h(mean.scaled(problem_.mean_columns)),
      team(problem_.num_threads) {}

DenseMatrix LatentPrior::covariance(std::span<const double> theta) const {
  return cross(problem.covariance.root(), theta, problem.x, 0, size(), &h);
}

DenseMatrix LatentPrior::cross(const KernelNode& node, std::span<const double> theta,
                               const CovariancePoints& at, Index first, Index count,
                               const DenseMatrix* scaled_h) const {
  const Index n = size();
  DenseMatrix made(n, count);
  std::vector<Covariance::Work> work(static_cast<std::size_t>(team.size()));
  team.for_each(count, [&](Index j, Index member) {
    for (Index i = 0; i < n; i += Covariance::kMostAtOnce)
      problem.covariance.values(node, theta, at, first + j, problem.x, i,
                                std::min(Covariance::kMostAtOnce, n - i), &made(i, j),
                                work[static_cast<std::size_t>(member)]);
    for (Index c = 0; scaled_h != nullptr && c < h.cols; ++c) {
      const double own = (*scaled_h)(first + j, c);
      for (Index i = 0; i < n; ++i) made(i, j) += h(i, c) * own;
    }
  });
  return made;
}

std::vector<double> LatentPrior::slopes(std::span<const double> theta,
                                        const std::function<double(Index, Index)>& weight) const {
  const Index n = size(), num = problem.covariance.num_parameters();
  const Index pieces = (n + kColumnsTogether - 1) / kColumnsTogether;
  std::vector<Covariance::Work> work(static_cast<std::size_t>(team.size()));
  std::vector<double> parts(static_cast<std::size_t>(pieces * num), 0.0);
  team.for_each(pieces, [&](Index piece, Index member) {
    std::array<double, Covariance::kMostAtOnce> weights;
    for (Index j = piece * kColumnsTogether; j < std::min(n, (piece + 1) * kColumnsTogether); ++j)
      for (Index first = j; first < n; first += Covariance::kMostAtOnce) {
        const Index count = std::min(Covariance::kMostAtOnce, n - first);
        for (Index k = 0; k < count; ++k)
          weights[static_cast<std::size_t>(k)] =
              (first + k == j ? 1.0 : 2.0) * weight(first + k, j);
        problem.covariance.add_slopes(theta, problem.x, j, problem.x, first, count, weights.data(),
                                      parts.data() + piece * num,
                                      work[static_cast<std::size_t>(member)]);
      }
  });
  std::vector<double> total(static_cast<std::size_t>(num), 0.0);
  for (Index piece = 0; piece < pieces; ++piece)
    for (Index p = 0; p < num; ++p)
      total[static_cast<std::size_t>(p)] += parts[static_cast<std::size_t>(piece * num + p)];
  return total;
}

std::vector<double> times(const DenseMatrix& symmetric, std::span<const double> x) {
  std::vector<double> made(x.size(), 0.0);
  for (Index j = 0; j < symmetric.cols; ++j) {
    const double* const column = &symmetric.values[static_cast<std::size_t>(j * symmetric.rows)];
    const double factor = x[static_cast<std::size_t>(j)];
    for (std::size_t i = 0; i < made.size(); ++i) made[i] += column[i] * factor;
  }
  return made;
}

LatentNormal::LatentNormal(const LatentPrior& prior, const DenseMatrix& k, LatentSites given)
    : sites(std::move(given)) {
  const Index n = prior.size();
  for (const double precision : sites.precision) root.push_back(std::sqrt(precision));
  factor = std::make_unique<TiledFactor>(n, prior.team);
  prior.team.for_each(n, [&](Index j, Index) {
    for (Index i = j; i < n; ++i)
      *factor->at(i, j) =
          root[static_cast<std::size_t>(i)] * k(i, j) * root[static_cast<std::size_t>(j)];
    *factor->at(j, j) += 1.0;
  });
  is_defined = factor->factor();
  if (!is_defined) return;
  log_determinant = factor->log_determinant();
  alpha = sites.shift;
  const std::vector<double> solved = times_r(times(k, sites.shift));
  for (std::size_t i = 0; i < alpha.size(); ++i) alpha[i] -= solved[i];
  mean = times(k, alpha);
  is_defined = std::isfinite(log_determinant) &&
               std::ranges::all_of(mean, [](double f) { return std::isfinite(f); });
}

LatentNormal::LatentNormal(std::unique_ptr<TiledFactor> factor_of_k, std::span<const double> f)
    : root(f.size(), 1.0),
      alpha(f.begin(), f.end()),
      mean(f.begin(), f.end()),
      factor(std::move(factor_of_k)) {
  factor->solve(alpha), factor->solve_transposed(alpha);
}

std::vector<double> LatentNormal::times_r(std::span<const double> x) const {
  std::vector<double> made(x.begin(), x.end());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] *= root[i];
  factor->solve(made);
  factor->solve_transposed(made);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] *= root[i];
  return made;
}

// diag(K) - diag(V' V),  V = L^-1 D K
std::vector<double> LatentNormal::variances(const DenseMatrix& k) const {
  constexpr Index kAtATime = 128, kPadding = 32;
  const Index n = k.rows;
  std::vector<double> made;
  for (Index first = 0; first < n; first += kAtATime) {
    const Index count = std::min(kAtATime, n - first);
    std::vector<double> v(static_cast<std::size_t>(n * count + kPadding));
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < n; ++i)
        v[static_cast<std::size_t>(i + j * n)] =
            root[static_cast<std::size_t>(i)] * k(i, first + j);
    factor->solve_columns(v.data(), count);
    for (Index j = 0; j < count; ++j) {
      double sum = k(first + j, first + j);
      for (Index i = 0; i < n; ++i) {
        const double own = v[static_cast<std::size_t>(i + j * n)];
        sum -= own * own;
      }
      made.push_back(std::max(sum, 0.0));
    }
  }
  return made;
}

DenseMatrix LatentNormal::take_r() {
  factor->invert();
  const Index n = factor->size();
  DenseMatrix made(n);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i)
      made(i, j) = made(j, i) =
          root[static_cast<std::size_t>(i)] * *factor->at(i, j) * root[static_cast<std::size_t>(j)];
  return made;
}

namespace {
class LatentPosterior final : public GpPosterior {
 public:
  LatentPosterior(const LatentPrior& prior, std::span<const double> theta, LatentNormal q)
      : prior_(prior), theta_(theta.begin(), theta.end()), q_(std::move(q)) {
    scaled_coefficients();
  }

  GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                    const DenseMatrix* h) const override {
    constexpr Index kAtOnce = 512;
    const DenseMatrix own = h == nullptr ? DenseMatrix() : prior_.mean.scaled(*h);
    GpMoments made;
    Covariance::Work work;
    for (Index first = 0; first < at.count; first += kAtOnce) {
      const Index count = std::min(kAtOnce, at.count - first);
      DenseMatrix cross =
          prior_.cross(node, theta_, at, first, count, h == nullptr ? nullptr : &own);
      for (Index j = 0; j < count; ++j) made.mean.push_back(weighted(cross, j));
      solve(cross);
      for (Index j = 0; j < count; ++j) {
        double variance = prior_.problem.covariance.variance(node, theta_, at, first + j, work) -
                          dot(cross, j, j);
        for (Index c = 0; c < own.cols; ++c) variance += own(first + j, c) * own(first + j, c);
        made.variance.push_back(std::max(0.0, variance));
      }
    }
    return made;
  }
  DenseMatrix covariance(const CovariancePoints& at, const DenseMatrix* h) const override {
    const KernelNode& root = prior_.problem.covariance.root();
    const DenseMatrix own = h == nullptr ? DenseMatrix() : prior_.mean.scaled(*h);
    DenseMatrix cross = prior_.cross(root, theta_, at, 0, at.count, h == nullptr ? nullptr : &own),
                made(at.count);
    solve(cross);
    Covariance::Work work;
    for (Index i = 0; i < at.count; ++i)
      for (Index j = 0; j <= i; ++j) {
        double k = 0.0;
        prior_.problem.covariance.values(root, theta_, at, i, at, j, 1, &k, work);
        for (Index c = 0; c < own.cols; ++c) k += own(i, c) * own(j, c);
        made(i, j) = made(j, i) = k - dot(cross, i, j);
      }
    return made;
  }
  GpMoments derivative(const CovariancePoints& at, Index column,
                       const DenseMatrix* h) const override {
    const Covariance& covariance = prior_.problem.covariance;
    const KernelNode& root = covariance.root();
    const DenseMatrix own = slopes_of_mean(h);
    GpMoments made;
    for (Index j = 0; j < at.count; ++j) {
      DenseMatrix cross(prior_.size(), 1);
      double variance = covariance.by_input(root, theta_, at, j, at, j, column)[3];
      for (Index i = 0; i < cross.rows; ++i) {
        cross(i, 0) = covariance.by_input(root, theta_, at, j, prior_.problem.x, i, column)[1];
        for (Index c = 0; c < own.cols; ++c) cross(i, 0) += prior_.h(i, c) * own(j, c);
      }
      for (Index c = 0; c < own.cols; ++c) variance += own(j, c) * own(j, c);
      made.mean.push_back(weighted(cross, 0));
      solve(cross);
      made.variance.push_back(std::max(0.0, variance - dot(cross, 0, 0)));
    }
    return made;
  }
  std::vector<std::vector<double>> outcomes(const CovariancePoints& at,
                                            const DenseMatrix* h) const override {
    const GpMoments f = moments(prior_.problem.covariance.root(), at, h);
    return {outcome_means(prior_.outcome, f)};
  }
  std::vector<double> coefficients() const override { return coefficients_.mean; }
  std::vector<double> coefficient_sds() const override { return sds_of(coefficients_); }
  std::span<const double> weights() const override { return q_.alpha; }

 private:
  // L^-1 D A, of which products of columns are a' R a.
  void solve(DenseMatrix& a) const {
    const Index n = a.rows;
    for (Index j = 0; j < a.cols; ++j)
      for (Index i = 0; i < n; ++i) a(i, j) *= q_.root[static_cast<std::size_t>(i)];
    a.values.resize(a.values.size() + 32);  // kernels read a vector past the end
    q_.factor->solve_columns(a.values.data(), a.cols);
    a.values.resize(static_cast<std::size_t>(n * a.cols));
  }
  double weighted(const DenseMatrix& cross, Index j) const {
    double sum = 0.0;
    for (Index i = 0; i < cross.rows; ++i)
      sum += cross(i, j) * q_.alpha[static_cast<std::size_t>(i)];
    return sum;
  }
  static double dot(const DenseMatrix& a, Index i, Index j) {
    double sum = 0.0;
    for (Index k = 0; k < a.rows; ++k) sum += a(k, i) * a(k, j);
    return sum;
  }
  // The functions' derivatives have no centre.
  DenseMatrix slopes_of_mean(const DenseMatrix* h) const {
    if (h == nullptr) return {};
    const DenseMatrix zero(h->rows, h->cols);
    return prior_.mean.scaled(*h) - prior_.mean.scaled(zero);
  }
  void scaled_coefficients() {
    const Index q = prior_.h.cols;
    DenseMatrix cross = prior_.h, covariance(q);
    std::vector<double> mean;
    for (Index c = 0; c < q; ++c) mean.push_back(weighted(cross, c));
    if (q > 0) solve(cross);
    for (Index a = 0; a < q; ++a)
      for (Index b = 0; b < q; ++b) covariance(a, b) = (a == b ? 1.0 : 0.0) - dot(cross, a, b);
    coefficients_ = prior_.mean.coefficients(mean, covariance);
  }

  const LatentPrior& prior_;
  std::vector<double> theta_;
  LatentNormal q_;
  GpMoments coefficients_;
};
}  // namespace

std::unique_ptr<GpPosterior> make_latent_posterior(const LatentPrior& prior,
                                                   std::span<const double> theta, LatentNormal q) {
  return std::make_unique<LatentPosterior>(prior, theta, std::move(q));
}

}  // namespace credo::models
