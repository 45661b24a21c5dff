// The exact solver: a dense Cholesky factor, and for derivatives the inverse once [rasmussen2006, algorithm 2.1, eqs. 2.43 and 5.9].
//
//   d log p / d theta = 1/2 tr((alpha alpha' - P) dK / dtheta),  alpha = P y,  P = K^-1 - K^-1 H (H' K^-1 H)^-1 H' K^-1
//
// Memory: two matrices of N² numbers while derivatives are computed, one otherwise.
#include <fmt/format.h>

#include "base/error.hpp"
#include "models/gp/gp_problem.hpp"
#include "models/gp/hyper.hpp"
#include "models/gp/tiled_factor.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr double kLeastPivot = 1e-14;  // relative to the variance: smaller ones are rounding errors
constexpr Index kColumnsAtOnce = 8;

// K + noise, its factor, and the coefficients of the mean.
struct FactoredGp {
  std::unique_ptr<TiledFactor> factor;
  DenseMatrix solved;         // L^-1 H
  std::vector<double> alpha;  // P y
  DenseMatrix projected;      // V, N x q: K^-1 H R^-1, so that P = K^-1 - V V'
  GpMean mean;
  double log_determinant = 0.0;
  Index failed = -1;
};

// k(x_i, x_j) of two rows, with the noise.
double element(const GpProblem& p, std::span<const double> theta, Index i, Index j) {
  Covariance::Work work;
  double value = 0.0;
  p.covariance.values(p.covariance.root(), theta, p.x, i, p.x, j, 1, &value, work);
  return i == j ? value + p.noise_variance(theta) : value;
}

void fill(const GpProblem& p, std::span<const double> theta, TiledFactor& to, WorkerTeam& team) {
  const Index n = p.num_rows();
  std::vector<Covariance::Work> work(static_cast<std::size_t>(team.size()));
  const double noise = p.noise_variance(theta);
  team.for_each((n + kColumnsAtOnce - 1) / kColumnsAtOnce, [&](Index piece, Index member) {
    for (Index j = piece * kColumnsAtOnce; j < std::min(n, (piece + 1) * kColumnsAtOnce); ++j) {
      for (Index i = j; i < n; i += Covariance::kMostAtOnce)
        p.covariance.values(p.covariance.root(), theta, p.x, j, p.x, i,
                            std::min(Covariance::kMostAtOnce, n - i), to.at(i, j),
                            work[static_cast<std::size_t>(member)]);
      *to.at(j, j) += noise;
    }
  });
}

FactoredGp factored(const GpProblem& p, std::span<const double> theta, WorkerTeam& team) {
  const Index n = p.num_rows(), q = p.mean_columns.cols;
  FactoredGp made;
  made.factor = std::make_unique<TiledFactor>(n, team);
  fill(p, theta, *made.factor, team);
  std::vector<double> variances;
  for (Index j = 0; j < n; ++j) variances.push_back(*made.factor->at(j, j));
  if (!made.factor->factor()) made.failed = made.factor->failed();
  for (Index j = 0; j < n && made.failed < 0; ++j) {
    const double pivot = *made.factor->at(j, j);
    if (!(pivot * pivot > kLeastPivot * variances[static_cast<std::size_t>(j)])) made.failed = j;
  }
  if (made.failed >= 0) return made;
  made.log_determinant = made.factor->log_determinant();
  std::vector<double> z = p.y;
  made.factor->solve(z);
  made.solved = p.mean_columns;
  for (Index c = 0; c < q; ++c)
    made.factor->solve(std::span(made.solved.values)
                           .subspan(static_cast<std::size_t>(c * n), static_cast<std::size_t>(n)));
  DenseMatrix cross(q, q);
  std::vector<double> right(static_cast<std::size_t>(q), 0.0);
  double square = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double zi = z[static_cast<std::size_t>(i)];
    square += zi * zi;
    for (Index a = 0; a < q; ++a) {
      right[static_cast<std::size_t>(a)] += made.solved(i, a) * zi;
      for (Index b = 0; b < q; ++b) cross(a, b) += made.solved(i, a) * made.solved(i, b);
    }
  }
  made.mean = solve_mean(cross, right, square);
  if (!made.mean.is_defined) return made;
  // V = L'^-1 (L^-1 H) R^-1
  made.projected = made.solved;
  for (Index c = 0; c < q; ++c) {
    for (Index i = 0; i < n; ++i) {
      double v = made.projected(i, c);
      for (Index b = 0; b < c; ++b) v -= made.projected(i, b) * made.mean.factor(b, c);
      made.projected(i, c) = v / made.mean.factor(c, c);
    }
  }
  for (Index c = 0; c < q; ++c)
    made.factor->solve_transposed(
        std::span(made.projected.values)
            .subspan(static_cast<std::size_t>(c * n), static_cast<std::size_t>(n)));
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < q; ++c)
      z[static_cast<std::size_t>(i)] -=
          made.solved(i, c) * made.mean.beta[static_cast<std::size_t>(c)];
  made.factor->solve_transposed(z);
  made.alpha = std::move(z);
  return made;
}

// Derivatives; the factor becomes the inverse.
std::vector<double> slopes(const GpProblem& p, std::span<const double> theta, FactoredGp& gp,
                           WorkerTeam& team) {
  gp.factor->invert();
  const Index n = p.num_rows(), q = p.mean_columns.cols, num = p.covariance.num_parameters();
  const Index pieces = (n + kColumnsAtOnce - 1) / kColumnsAtOnce;
  std::vector<Covariance::Work> work(static_cast<std::size_t>(team.size()));
  std::vector<double> parts(static_cast<std::size_t>(pieces * (num + 1)), 0.0);
  team.for_each(pieces, [&](Index piece, Index member) {
    double* const sums = parts.data() + piece * (num + 1);
    std::array<double, Covariance::kMostAtOnce> weights;
    for (Index j = piece * kColumnsAtOnce; j < std::min(n, (piece + 1) * kColumnsAtOnce); ++j)
      for (Index first = j; first < n; first += Covariance::kMostAtOnce) {
        const Index count = std::min(Covariance::kMostAtOnce, n - first);
        for (Index k = 0; k < count; ++k) {
          const Index i = first + k;
          double g = gp.alpha[static_cast<std::size_t>(i)] * gp.alpha[static_cast<std::size_t>(j)] -
                     *gp.factor->at(i, j);
          for (Index c = 0; c < q; ++c) g += gp.projected(i, c) * gp.projected(j, c);
          weights[static_cast<std::size_t>(k)] = i == j ? 0.5 * g : g;
        }
        if (first == j) sums[num] += weights[0];
        p.covariance.add_slopes(theta, p.x, j, p.x, first, count, weights.data(), sums,
                                work[static_cast<std::size_t>(member)]);
      }
  });
  std::vector<double> total(static_cast<std::size_t>(num), 0.0);
  double diagonal = 0.0;
  for (Index piece = 0; piece < pieces; ++piece) {
    for (Index k = 0; k < num; ++k)
      total[static_cast<std::size_t>(k)] += parts[static_cast<std::size_t>(piece * (num + 1) + k)];
    diagonal += parts[static_cast<std::size_t>(piece * (num + 1) + num)];
  }
  total[static_cast<std::size_t>(p.noise)] +=
      2.0 * theta[static_cast<std::size_t>(p.noise)] * diagonal;
  return total;
}

class ExactPosterior final : public GpPosterior {
 public:
  ExactPosterior(const GpProblem& p, std::span<const double> theta, FactoredGp gp, WorkerTeam& team)
      : p_(p), theta_(theta.begin(), theta.end()), gp_(std::move(gp)), team_(team) {}

  GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                    const DenseMatrix* h) const override {
    constexpr Index kAtOnce = 512;
    GpMoments made;
    Covariance::Work work;
    for (Index first = 0; first < at.count; first += kAtOnce) {
      const Index count = std::min(kAtOnce, at.count - first);
      DenseMatrix cross = cross_covariance(node, at, first, count);
      const DenseMatrix rest = mean_rest(cross, h, first);  // q x count
      for (Index j = 0; j < count; ++j) made.mean.push_back(mean_at(cross, h, first, j));
      gp_.factor->solve_columns(cross.values.data(), count);
      for (Index j = 0; j < count; ++j)
        made.variance.push_back(
            std::max(0.0, p_.covariance.variance(node, theta_, at, first + j, work) -
                              dot(cross, j, j) + dot(rest, j, j)));
    }
    return made;
  }
  DenseMatrix covariance(const CovariancePoints& at, const DenseMatrix* h) const override {
    const KernelNode& root = p_.covariance.root();
    DenseMatrix cross = cross_covariance(root, at, 0, at.count), made(at.count);
    const DenseMatrix rest = mean_rest(cross, h, 0);
    gp_.factor->solve_columns(cross.values.data(), at.count);
    Covariance::Work work;
    for (Index i = 0; i < at.count; ++i)
      for (Index j = 0; j <= i; ++j) {
        double k = 0.0;
        p_.covariance.values(root, theta_, at, i, at, j, 1, &k, work);
        made(i, j) = made(j, i) = k - dot(cross, i, j) + dot(rest, i, j);
      }
    return made;
  }
  GpMoments derivative(const CovariancePoints& at, Index column,
                       const DenseMatrix* h) const override {
    const KernelNode& root = p_.covariance.root();
    const Index n = p_.num_rows();
    GpMoments made;
    for (Index j = 0; j < at.count; ++j) {
      DenseMatrix cross(n, 1);
      for (Index i = 0; i < n; ++i)
        cross(i, 0) = p_.covariance.by_input(root, theta_, at, j, p_.x, i, column)[1];
      const DenseMatrix rest = mean_rest(cross, h, j);
      made.mean.push_back(mean_at(cross, h, j, 0));
      gp_.factor->solve(cross.values);
      made.variance.push_back(
          std::max(0.0, p_.covariance.by_input(root, theta_, at, j, at, j, column)[3] -
                            dot(cross, 0, 0) + dot(rest, 0, 0)));
    }
    return made;
  }
  std::vector<double> coefficients() const override { return gp_.mean.beta; }
  std::vector<double> coefficient_sds() const override {
    std::vector<double> sds;
    const Index q = ssize(gp_.mean.beta);
    if (q == 0) return sds;
    const DenseMatrix inverse = numerics::inverse_of_upper(gp_.mean.factor);
    for (Index i = 0; i < q; ++i) {
      double sum = 0.0;
      for (Index j = 0; j < q; ++j) sum += inverse(i, j) * inverse(i, j);
      sds.push_back(std::sqrt(sum));
    }
    return sds;
  }
  std::span<const double> weights() const override { return gp_.alpha; }

 private:
  // k(x_i, at_j), N x count.
  DenseMatrix cross_covariance(const KernelNode& node, const CovariancePoints& at, Index first,
                               Index count) const {
    const Index n = p_.num_rows();
    DenseMatrix cross(n, count);
    std::vector<Covariance::Work> work(static_cast<std::size_t>(team_.size()));
    team_.for_each(count, [&](Index j, Index member) {
      for (Index i = 0; i < n; i += Covariance::kMostAtOnce)
        p_.covariance.values(node, theta_, at, first + j, p_.x, i,
                             std::min(Covariance::kMostAtOnce, n - i), &cross(i, j),
                             work[static_cast<std::size_t>(member)]);
    });
    return cross;
  }
  double mean_at(const DenseMatrix& cross, const DenseMatrix* h, Index first, Index j) const {
    double mean = 0.0;
    for (Index i = 0; i < cross.rows; ++i)
      mean += cross(i, j) * gp_.alpha[static_cast<std::size_t>(i)];
    for (Index c = 0; h != nullptr && c < h->cols; ++c)
      mean += (*h)(first + j, c) * gp_.mean.beta[static_cast<std::size_t>(c)];
    return mean;
  }
  // R'^-1 (h - H' K^-1 k) for each column k of `cross`, by which the unknown beta adds to covariances.
  DenseMatrix mean_rest(const DenseMatrix& cross, const DenseMatrix* h, Index first) const {
    const Index q = gp_.projected.cols;
    DenseMatrix rest(q, cross.cols);
    std::vector<double> solved(static_cast<std::size_t>(q), 0.0);  // R'^-1 h
    for (Index j = 0; j < cross.cols; ++j)
      for (Index c = 0; c < q; ++c) {
        double own = h != nullptr ? (*h)(first + j, c) : 0.0;
        for (Index b = 0; b < c; ++b)
          own -= gp_.mean.factor(b, c) * solved[static_cast<std::size_t>(b)];
        solved[static_cast<std::size_t>(c)] = own /= gp_.mean.factor(c, c);
        for (Index i = 0; i < cross.rows; ++i) own -= gp_.projected(i, c) * cross(i, j);
        rest(c, j) = own;
      }
    return rest;
  }
  static double dot(const DenseMatrix& a, Index i, Index j) {
    double sum = 0.0;
    for (Index k = 0; k < a.rows; ++k) sum += a(k, i) * a(k, j);
    return sum;
  }

  const GpProblem& p_;
  std::vector<double> theta_;
  FactoredGp gp_;
  WorkerTeam& team_;
};

class ExactSolver final : public GpSolver {
 public:
  explicit ExactSolver(const GpProblem& problem) : p_(problem), team_(problem.num_threads) {}

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    FactoredGp gp = factored(p_, theta, team_);
    if (gp.failed >= 0 || !gp.mean.is_defined) return {.failed = gp.failed};
    GpEvidence made{.value = gp_log_evidence(gp.log_determinant, gp.mean, p_.num_rows())};
    if (with_slopes) made.slopes = slopes(p_, theta, gp, team_);
    return made;
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override {
    FactoredGp gp = factored(p_, theta, team_);
    if (gp.failed >= 0) refuse(theta, gp.failed);
    if (!gp.mean.is_defined)
      throw Error(ErrorCode::data, "the columns of the mean are collinear", "",
                  "leave one of them out");
    return std::make_unique<ExactPosterior>(p_, theta, std::move(gp), team_);
  }

 private:
  // The row before the failed one that is most like it.
  [[noreturn]] void refuse(std::span<const double> theta, Index failed) const {
    Index nearest = 0;
    double most = -1.0;
    const double own = element(p_, theta, failed, failed);
    for (Index i = 0; i < failed; ++i) {
      const double like =
          std::abs(element(p_, theta, failed, i)) / std::sqrt(own * element(p_, theta, i, i));
      if (like > most) most = like, nearest = i;
    }
    throw Error(
        ErrorCode::evaluation,
        fmt::format("the covariance of the rows isn't positive definite to rounding: row {} is a "
                    "function of the rows before it; the nearest is row {}, correlation {:.10g}",
                    failed + 1, nearest + 1, most),
        "", "leave one of the two rows out, estimate the noise, or state it: --noise 1e-4");
  }

  const GpProblem& p_;
  WorkerTeam team_;
};
}  // namespace

double leave_one_out(const GpProblem& problem, std::span<const double> theta) {
  WorkerTeam team(problem.num_threads);
  FactoredGp gp = factored(problem, theta, team);
  if (gp.failed >= 0 || !gp.mean.is_defined) return -kInfinity;
  gp.factor->invert();
  double sum = 0.0;
  for (Index i = 0; i < problem.num_rows(); ++i) {
    double precision = *gp.factor->at(i, i);
    for (Index c = 0; c < problem.mean_columns.cols; ++c)
      precision -= gp.projected(i, c) * gp.projected(i, c);
    const double residual = gp.alpha[static_cast<std::size_t>(i)] / precision;
    sum += 0.5 * (std::log(precision) - std::log(2.0 * std::numbers::pi) -
                  residual * residual * precision);
  }
  return sum;
}

std::unique_ptr<GpSolver> make_exact_solver(const GpProblem& problem) {
  return std::make_unique<ExactSolver>(problem);
}

}  // namespace credo::models
