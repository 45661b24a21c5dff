// The solver by products [gardner2018, sections 3 and 4; rasmussen2006, eqs. 2.43 and 5.9], with A = K + sigma² and a flat prior of beta.
//
//   log det A  = log det P + mean over probes z ~ N(0, P) of  |P^-1/2 z|² e_1' log(T) e_1
//   tr(A^-1 dA) = mean over the probes of (A^-1 z)' dA (P^-1 z)
//   d log p / dtheta = 1/2 (alpha' dA alpha + sum_c v_c' dA v_c - tr(A^-1 dA)),  V = A^-1 H R^-1
#include "models/gp/solvers/iterative.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stream.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kProbes = stream("gp.probes");
constexpr Index kPointsAtOnce = 16;

// Facts of one evaluation that the report has.
struct KrylovInfo {
  double evidence = -kInfinity, error = 0.0, residual = 0.0;
  Index num_iterations = 0, rank = 0;
};

// Everything of one theta.
struct KrylovState {
  std::unique_ptr<PivotedFactor> factor = {};
  KrylovSolution solved = {};  // solutions for y, H and the probes
  RowMatrix rest = {};         // P^-1 z, N x probes
  std::vector<double> alpha = {};
  RowMatrix projected = {};  // V, N x q
  GpMean mean = {};
  double log_determinant = 0.0, error = 0.0;  // standard error of the log determinant
  bool has_failed = false;
};

class IterativeSolver final : public GpSolver {
 public:
  IterativeSolver(const GpProblem& p, std::unique_ptr<GpOperator> k, const GpSolverOptions& o)
      : p_(p), k_(std::move(k)), options_(o), team_(p.num_threads), q_(p.mean_columns.cols) {}

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    const KrylovState s = state(theta, options_.num_probes);
    if (s.has_failed || !s.mean.is_defined) return {};
    GpEvidence made{.value = gp_log_evidence(s.log_determinant, s.mean, p_.num_rows())};
    if (with_slopes) made.slopes = slopes(theta, s);
    keep_info(s, made.value);
    return made;
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override;
  std::vector<std::string> remarks(std::span<const double> theta) override;

 private:
  friend class IterativePosterior;

  KrylovState state(std::span<const double> theta, Index num_probes);
  void add_probes(KrylovState& s, Index num_probes, RowMatrix& right) const;
  void take_determinant(KrylovState& s, Index num_probes, const RowMatrix& right);
  void take_mean(KrylovState& s);
  std::vector<double> slopes(std::span<const double> theta, const KrylovState& s);
  void keep_info(const KrylovState& s, double value) {
    if (!(value > best_.evidence)) return;
    best_ = {.evidence = value,
             .error = 0.5 * s.error,
             .residual = std::ranges::max(s.solved.residual),
             .num_iterations = std::ranges::max(s.solved.num_iterations),
             .rank = s.factor->rank()};
  }

  const GpProblem& p_;
  std::unique_ptr<GpOperator> k_;
  GpSolverOptions options_;
  WorkerTeam team_;
  Index q_;
  KrylovInfo best_;
  Index num_failed_ = 0;
};

KrylovState IterativeSolver::state(std::span<const double> theta, Index num_probes) {
  const Index n = p_.num_rows(), first_probe = 1 + q_;
  const double noise = p_.noise_variance(theta);
  KrylovState s;
  if (!(noise > 0.0)) {
    s.has_failed = true;
    return s;
  }
  k_->set(theta);
  s.factor = std::make_unique<PivotedFactor>(*k_, noise, options_.rank, team_);
  RowMatrix right(n, first_probe + num_probes);
  for (Index i = 0; i < n; ++i) {
    right(i, 0) = p_.y[static_cast<std::size_t>(i)];
    for (Index c = 0; c < q_; ++c) right(i, 1 + c) = p_.mean_columns(i, c);
  }
  if (num_probes > 0) add_probes(s, num_probes, right);
  s.solved = solve_krylov(
      *k_, noise, *s.factor, right,
      {.tolerance = options_.tolerance, .max_iterations = options_.max_iterations}, team_);
  if (!s.solved.has_converged) {
    ++num_failed_;
    s.has_failed = true;
    return s;
  }
  if (num_probes > 0) take_determinant(s, num_probes, right);
  take_mean(s);
  return s;
}

// The numbers behind the probes are those of the seed, so that the evidence is a function of theta.
void IterativeSolver::add_probes(KrylovState& s, Index num_probes, RowMatrix& right) const {
  const Index n = right.rows, first = 1 + q_;
  RowMatrix low(s.factor->rank(), num_probes), rest(n, num_probes);
  std::vector<double> draws(static_cast<std::size_t>(n + options_.rank));
  for (Index c = 0; c < num_probes; ++c) {
    fill_normal(
        {.seed = options_.seed, .purpose = kProbes, .iteration = static_cast<std::uint32_t>(c)}, 0,
        draws);
    for (Index i = 0; i < n; ++i) rest(i, c) = draws[static_cast<std::size_t>(i)];
    for (Index m = 0; m < low.rows; ++m) low(m, c) = draws[static_cast<std::size_t>(n + m)];
  }
  const RowMatrix probes = s.factor->colour(low, rest);
  s.rest = RowMatrix(n, num_probes);
  s.factor->solve(probes, s.rest);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < num_probes; ++c) right(i, first + c) = probes(i, c);
}

void IterativeSolver::take_determinant(KrylovState& s, Index num_probes, const RowMatrix& right) {
  const auto first = static_cast<std::size_t>(1 + q_);
  std::vector<double> each;
  for (Index c = 0; c < num_probes; ++c) {
    double square = 0.0;  // z' P^-1 z
    for (Index i = 0; i < right.rows; ++i) square += right(i, 1 + q_ + c) * s.rest(i, c);
    const std::size_t column = first + static_cast<std::size_t>(c);
    each.push_back(square * tridiagonal_log(s.solved.alpha[column], s.solved.beta[column]));
  }
  const auto num = static_cast<double>(num_probes);
  const double mean = std::accumulate(each.begin(), each.end(), 0.0) / num;
  double spread = 0.0;
  for (const double x : each) spread += (x - mean) * (x - mean);
  s.log_determinant = s.factor->log_determinant() + mean;
  s.error = num_probes > 1 ? std::sqrt(spread / (num * (num - 1.0))) : kInfinity;
  if (!std::isfinite(s.log_determinant)) s.has_failed = true;
}

void IterativeSolver::take_mean(KrylovState& s) {
  const Index n = p_.num_rows();
  const RowMatrix& x = s.solved.x;
  numerics::DenseMatrix cross(q_, q_);
  std::vector<double> beside(static_cast<std::size_t>(q_), 0.0);
  double square = 0.0;
  for (Index i = 0; i < n; ++i) {
    square += p_.y[static_cast<std::size_t>(i)] * x(i, 0);
    for (Index a = 0; a < q_; ++a) {
      beside[static_cast<std::size_t>(a)] += p_.mean_columns(i, a) * x(i, 0);
      for (Index b = 0; b < q_; ++b) cross(a, b) += p_.mean_columns(i, a) * x(i, 1 + b);
    }
  }
  // solves are equal up to the tolerance from both sides
  for (Index a = 0; a < q_; ++a)
    for (Index b = 0; b < a; ++b) cross(a, b) = cross(b, a) = 0.5 * (cross(a, b) + cross(b, a));
  s.mean = solve_mean(cross, beside, square);
  if (!s.mean.is_defined) return;
  s.alpha.resize(static_cast<std::size_t>(n));
  s.projected = RowMatrix(n, q_);
  for (Index i = 0; i < n; ++i) {
    double a = x(i, 0);
    for (Index c = 0; c < q_; ++c) {
      a -= x(i, 1 + c) * s.mean.beta[static_cast<std::size_t>(c)];
      double v = x(i, 1 + c);
      for (Index b = 0; b < c; ++b) v -= s.projected(i, b) * s.mean.factor(b, c);
      s.projected(i, c) = v / s.mean.factor(c, c);
    }
    s.alpha[static_cast<std::size_t>(i)] = a;
  }
}

std::vector<double> IterativeSolver::slopes(std::span<const double> theta, const KrylovState& s) {
  const Index n = p_.num_rows(), num_probes = s.rest.cols, num = 1 + q_ + num_probes;
  RowMatrix left(n, num), right(n, num);
  for (Index i = 0; i < n; ++i) {
    left(i, 0) = 0.5 * s.alpha[static_cast<std::size_t>(i)];
    right(i, 0) = s.alpha[static_cast<std::size_t>(i)];
    for (Index c = 0; c < q_; ++c) {
      left(i, 1 + c) = 0.5 * s.projected(i, c);
      right(i, 1 + c) = s.projected(i, c);
    }
    for (Index c = 0; c < num_probes; ++c) {
      left(i, 1 + q_ + c) = -0.5 / static_cast<double>(num_probes) * s.solved.x(i, 1 + q_ + c);
      right(i, 1 + q_ + c) = s.rest(i, c);
    }
  }
  std::vector<double> total(static_cast<std::size_t>(p_.covariance.num_parameters()), 0.0);
  k_->add_slopes(left, right, total);
  double diagonal = 0.0;
  for (const double x : column_products(team_, left, right)) diagonal += x;
  total[static_cast<std::size_t>(p_.noise)] +=
      2.0 * theta[static_cast<std::size_t>(p_.noise)] * diagonal;
  return total;
}

class IterativePosterior final : public GpPosterior {
 public:
  IterativePosterior(IterativeSolver& solver, std::span<const double> theta, KrylovState s)
      : o_(solver), theta_(theta.begin(), theta.end()), s_(std::move(s)) {}

  GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                    const numerics::DenseMatrix* h) const override {
    GpMoments made;
    Covariance::Work work;
    o_.k_->set(theta_);
    for (Index first = 0; first < at.count; first += kPointsAtOnce) {
      const Index count = std::min(kPointsAtOnce, at.count - first);
      const RowMatrix cross = o_.k_->cross(node, at, first, count);
      const RowMatrix solved = solve(cross);
      const std::vector<double> taken = column_products(o_.team_, cross, solved);
      for (Index j = 0; j < count; ++j) {
        made.mean.push_back(mean_at(cross, h, first, j));
        const double prior = o_.p_.covariance.variance(node, theta_, at, first + j, work);
        made.variance.push_back(std::max(
            0.0, prior - taken[static_cast<std::size_t>(j)] + rest_of(cross, h, first, j)));
      }
    }
    return made;
  }
  numerics::DenseMatrix covariance(const CovariancePoints& at,
                                   const numerics::DenseMatrix* h) const override {
    const KernelNode& root = o_.p_.covariance.root();
    o_.k_->set(theta_);
    const RowMatrix cross = o_.k_->cross(root, at, 0, at.count), solved = solve(cross);
    const RowMatrix rest = mean_rest(cross, h, 0);
    numerics::DenseMatrix made(at.count);
    Covariance::Work work;
    for (Index i = 0; i < at.count; ++i)
      for (Index j = 0; j <= i; ++j) {
        double k = 0.0, taken = 0.0;
        o_.p_.covariance.values(root, theta_, at, i, at, j, 1, &k, work);
        for (Index r = 0; r < cross.rows; ++r)
          taken += 0.5 * (cross(r, i) * solved(r, j) + cross(r, j) * solved(r, i));
        for (Index c = 0; c < rest.rows; ++c) taken -= rest(c, i) * rest(c, j);
        made(i, j) = made(j, i) = k - taken;
      }
    return made;
  }
  GpMoments derivative(const CovariancePoints& at, Index column,
                       const numerics::DenseMatrix* h) const override {
    GpMoments made;
    o_.k_->set(theta_);
    for (Index j = 0; j < at.count; ++j) {
      const RowMatrix cross = o_.k_->slope_cross(at, j, column), solved = solve(cross);
      made.mean.push_back(mean_at(cross, h, j, 0));
      const double prior =
          o_.p_.covariance.by_input(o_.p_.covariance.root(), theta_, at, j, at, j, column)[3];
      made.variance.push_back(std::max(
          0.0, prior - column_products(o_.team_, cross, solved)[0] + rest_of(cross, h, j, 0)));
    }
    return made;
  }
  std::vector<double> coefficients() const override { return s_.mean.beta; }
  std::vector<double> coefficient_sds() const override {
    std::vector<double> sds;
    if (o_.q_ == 0) return sds;
    const numerics::DenseMatrix inverse = numerics::inverse_of_upper(s_.mean.factor);
    for (Index i = 0; i < o_.q_; ++i) {
      double sum = 0.0;
      for (Index j = 0; j < o_.q_; ++j) sum += inverse(i, j) * inverse(i, j);
      sds.push_back(std::sqrt(sum));
    }
    return sds;
  }
  std::span<const double> weights() const override { return s_.alpha; }

 private:
  RowMatrix solve(const RowMatrix& right) const {
    KrylovSolution made = solve_krylov(
        *o_.k_, o_.p_.noise_variance(theta_), *s_.factor, right,
        {.tolerance = o_.options_.tolerance, .max_iterations = o_.options_.max_iterations},
        o_.team_);
    if (!made.has_converged)
      throw Error(ErrorCode::evaluation,
                  fmt::format("conjugate gradients for the variances stopped after {} steps with a "
                              "relative residual of {:.1e}",
                              o_.options_.max_iterations, std::ranges::max(made.residual)),
                  "--solver", "a larger --tolerance, or --solver sgpr");
    return std::move(made.x);
  }
  double mean_at(const RowMatrix& cross, const numerics::DenseMatrix* h, Index first,
                 Index j) const {
    double mean = 0.0;
    for (Index i = 0; i < cross.rows; ++i)
      mean += cross(i, j) * s_.alpha[static_cast<std::size_t>(i)];
    for (Index c = 0; h != nullptr && c < h->cols; ++c)
      mean += (*h)(first + j, c) * s_.mean.beta[static_cast<std::size_t>(c)];
    return mean;
  }
  // R'^-1 (h - H' A^-1 k) for each column k of `cross`, q x count: the unknown beta adds its products to covariances.
  RowMatrix mean_rest(const RowMatrix& cross, const numerics::DenseMatrix* h, Index first) const {
    RowMatrix rest(o_.q_, cross.cols);
    std::vector<double> solved(static_cast<std::size_t>(o_.q_), 0.0);
    for (Index j = 0; j < cross.cols; ++j)
      for (Index c = 0; c < o_.q_; ++c) {
        double own = h != nullptr ? (*h)(first + j, c) : 0.0;
        for (Index b = 0; b < c; ++b)
          own -= s_.mean.factor(b, c) * solved[static_cast<std::size_t>(b)];
        solved[static_cast<std::size_t>(c)] = own /= s_.mean.factor(c, c);
        for (Index i = 0; i < cross.rows; ++i) own -= s_.projected(i, c) * cross(i, j);
        rest(c, j) = own;
      }
    return rest;
  }
  double rest_of(const RowMatrix& cross, const numerics::DenseMatrix* h, Index first,
                 Index j) const {
    RowMatrix one(cross.rows, 1);
    for (Index i = 0; i < cross.rows; ++i) one(i, 0) = cross(i, j);
    const RowMatrix rest = mean_rest(one, h, first + j);
    double sum = 0.0;
    for (const double x : rest.values) sum += x * x;
    return sum;
  }

  IterativeSolver& o_;
  std::vector<double> theta_;
  KrylovState s_;
};

std::unique_ptr<GpPosterior> IterativeSolver::posterior(std::span<const double> theta) {
  KrylovState s = state(theta, 0);
  if (s.has_failed)
    throw Error(
        ErrorCode::evaluation,
        fmt::format(
            "conjugate gradients didn't converge to {:.0e} within {} steps: the noise, {:.3g}, "
            "is small beside the function",
            options_.tolerance, options_.max_iterations, theta[static_cast<std::size_t>(p_.noise)]),
        "--solver", "a larger --tolerance, more noise (--noise), or --solver exact");
  if (!s.mean.is_defined)
    throw Error(ErrorCode::data, "the columns of the mean are collinear", "",
                "leave one of them out");
  return std::make_unique<IterativePosterior>(*this, theta, std::move(s));
}

std::vector<std::string> IterativeSolver::remarks(std::span<const double> theta) {
  std::vector<std::string> made;
  if (std::isfinite(best_.evidence))
    made.push_back(fmt::format(
        "At the largest evidence: a preconditioner of rank {}, at most {} steps of conjugate "
        "gradients, relative residuals of at most {:.1e}; {} probes give the log evidence a "
        "standard "
        "error of {:.2g}.",
        best_.rank, best_.num_iterations, best_.residual, options_.num_probes, best_.error));
  if (num_failed_ > 0)
    made.push_back(fmt::format(
        "Conjugate gradients didn't converge at {} of the hyperparameters that were tried; these "
        "count as impossible.",
        num_failed_));
  k_->set(theta);
  for (std::string& remark : k_->remarks()) made.push_back(std::move(remark));
  return made;
}
}  // namespace

std::unique_ptr<GpSolver> make_iterative_solver(const GpProblem& problem,
                                                std::unique_ptr<GpOperator> covariance,
                                                const GpSolverOptions& options) {
  return std::make_unique<IterativeSolver>(problem, std::move(covariance), options);
}

}  // namespace credo::models
