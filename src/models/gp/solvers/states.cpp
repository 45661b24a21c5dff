// Kernels of one input as states: a Kalman filter over the sorted inputs, O(N s³), and the smoother [hartikainen2010; durbin2012, sections 4.3 to 4.5].
//
//   sum of kernels: the states of both; product: their Kronecker product. Functions of the mean are filtered like outcomes: their innovations give
//   the generalised least squares. Derivatives go forwards, four parameters at a time.
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "models/gp/gp_problem.hpp"
#include "models/gp/solvers/state_process.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr double kLeastVariance =
    1e-14;  // variance of an outcome given those before, relative to the largest: smaller ones are rounding errors

// Sums over innovations, from which the evidence is computed.
template <class T>
struct InnovationSums {
  T log_determinant = 0.0, square = 0.0;
  std::vector<T> right, cross;  // q, q x q
  Index failed = -1;
};

double slope_of(const StateDual& x, Index k) { return x.d[static_cast<std::size_t>(k)]; }

class StatesSolver final : public GpSolver {
 public:
  explicit StatesSolver(const GpProblem& problem) : p_(problem) {
    const std::vector<double>& x = inputs();
    for (Index i = 0; i < p_.num_rows(); ++i) order_.push_back(i);
    std::ranges::stable_sort(order_, {}, [&](Index i) { return x[static_cast<std::size_t>(i)]; });
  }

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    const InnovationSums<double> sums = filter<double>({theta.begin(), theta.end()});
    if (sums.failed >= 0) return {.failed = sums.failed};
    const GpMean mean = mean_of(sums);
    if (!mean.is_defined) return {};
    GpEvidence made{.value = gp_log_evidence(sums.log_determinant, mean, p_.num_rows())};
    if (with_slopes) made.slopes = slopes(theta, mean);
    return made;
  }

  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override;

  const std::vector<double>& inputs() const {
    for (const KernelNode* atom : p_.covariance.atoms())
      if (!atom->columns.empty()) return p_.x.by_atom[static_cast<std::size_t>(atom->atom)];
    return p_.x.by_atom[0];
  }
  std::span<const Index> order() const { return order_; }

 private:
  GpMean mean_of(const InnovationSums<double>& sums) const {
    const Index q = p_.mean_columns.cols;
    DenseMatrix cross(q, q);
    for (Index a = 0; a < q; ++a)
      for (Index b = 0; b < q; ++b) cross(a, b) = sums.cross[static_cast<std::size_t>(a * q + b)];
    return solve_mean(cross, sums.right, sums.square);
  }

  // d log p = -1/2 (d log det + d (y'Ky) - 2 b' d right + b' d cross b + tr(cross^-1 d cross))
  std::vector<double> slopes(std::span<const double> theta, const GpMean& mean) const {
    const Index num = p_.covariance.num_parameters(), q = p_.mean_columns.cols;
    std::vector<double> made(static_cast<std::size_t>(num), 0.0);
    std::vector<Index> estimated;
    for (Index k = 0; k < num; ++k)
      if (!p_.covariance.parameters()[static_cast<std::size_t>(k)].is_fixed) estimated.push_back(k);
    DenseMatrix inverse(q, q);
    if (q > 0) {
      const DenseMatrix root = numerics::inverse_of_upper(mean.factor);
      for (Index a = 0; a < q; ++a)
        for (Index b = 0; b < q; ++b)
          for (Index c = 0; c < q; ++c) inverse(a, b) += root(a, c) * root(b, c);
    }
    for (Index first = 0; first < ssize(estimated); first += kStateDerivatives) {
      const Index count = std::min(kStateDerivatives, ssize(estimated) - first);
      std::vector<StateDual> dual(theta.begin(), theta.end());
      for (Index k = 0; k < count; ++k)
        dual[static_cast<std::size_t>(estimated[static_cast<std::size_t>(first + k)])]
            .d[static_cast<std::size_t>(k)] = 1.0;
      const InnovationSums<StateDual> sums = filter<StateDual>(std::move(dual));
      for (Index k = 0; k < count; ++k) {
        double total = slope_of(sums.log_determinant, k) + slope_of(sums.square, k);
        for (Index a = 0; a < q; ++a) {
          const double beta = mean.beta[static_cast<std::size_t>(a)];
          total -= 2.0 * beta * slope_of(sums.right[static_cast<std::size_t>(a)], k);
          for (Index b = 0; b < q; ++b)
            total += (beta * mean.beta[static_cast<std::size_t>(b)] + inverse(a, b)) *
                     slope_of(sums.cross[static_cast<std::size_t>(a * q + b)], k);
        }
        made[static_cast<std::size_t>(estimated[static_cast<std::size_t>(first + k)])] =
            -0.5 * total;
      }
    }
    return made;
  }

  template <class T>
  InnovationSums<T> filter(std::vector<T> theta) const {
    using std::log;
    const KernelNode& root = p_.covariance.root();
    const Index n = num_states(root), q = p_.mean_columns.cols;
    const T noise =
        theta[static_cast<std::size_t>(p_.noise)] * theta[static_cast<std::size_t>(p_.noise)];
    const std::vector<double>& x = inputs();
    InnovationSums<T> sums{.right = std::vector<T>(static_cast<std::size_t>(q), T(0.0)),
                           .cross = std::vector<T>(static_cast<std::size_t>(q * q), T(0.0))};
    Walk<T> walk(root, std::move(theta));
    const double first = x[static_cast<std::size_t>(order_[0])];
    FilterState<T> state{.n = n,
                         .columns = 1 + q,
                         .means = std::vector<T>(static_cast<std::size_t>(n * (1 + q)), T(0.0)),
                         .covariance = walk.start(first).matrix};
    std::vector<double> h(static_cast<std::size_t>(n));
    std::vector<T> gain(static_cast<std::size_t>(n)), innovations(static_cast<std::size_t>(1 + q));
    double before = first, largest = 0.0;
    T product = 1.0;  // product of the variances since the last logarithm
    for (Index k = 0; k < ssize(order_); ++k) {
      if (k % 4096 == 0) stop_if_asked();
      const Index row = order_[static_cast<std::size_t>(k)];
      const double now = x[static_cast<std::size_t>(row)];
      if (now > before) state.predict(walk.move(before, now - before));
      before = now;
      observe(root, now, h.data());
      const T variance = state.load(h, noise, gain);
      largest = std::max(largest, value_of(variance));
      if (!(value_of(variance) > kLeastVariance * largest)) {
        sums.failed = row;
        return sums;
      }
      innovations[0] = state.innovation(0, h, p_.y[static_cast<std::size_t>(row)]);
      for (Index c = 0; c < q; ++c)
        innovations[static_cast<std::size_t>(1 + c)] =
            state.innovation(1 + c, h, p_.mean_columns(row, c));
      product = product * variance;
      if (const double size = value_of(product); size < 1e-100 || size > 1e100)
        sums.log_determinant = sums.log_determinant + log(product), product = 1.0;
      sums.square = sums.square + innovations[0] * innovations[0] / variance;
      for (Index a = 0; a < q; ++a) {
        const T scaled = innovations[static_cast<std::size_t>(1 + a)] / variance;
        sums.right[static_cast<std::size_t>(a)] =
            sums.right[static_cast<std::size_t>(a)] + scaled * innovations[0];
        for (Index b = 0; b < q; ++b)
          sums.cross[static_cast<std::size_t>(a * q + b)] =
              sums.cross[static_cast<std::size_t>(a * q + b)] +
              scaled * innovations[static_cast<std::size_t>(1 + b)];
      }
      state.update(gain, variance, innovations);
    }
    sums.log_determinant = sums.log_determinant + log(product);
    return sums;
  }
  const GpProblem& p_;
  std::vector<Index> order_;
};

// The filter over rows and points together, and backwards the smoother, which inverts nothing.
class StatesPosterior final : public GpPosterior {
 public:
  StatesPosterior(const GpProblem& p, const StatesSolver& solver, std::span<const double> theta,
                  GpMean mean)
      : p_(p), solver_(solver), theta_(theta.begin(), theta.end()), mean_(std::move(mean)) {}

  GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                    const DenseMatrix* h) const override {
    const KernelNode& root = p_.covariance.root();
    const Index n = num_states(root), q = p_.mean_columns.cols;
    std::vector<std::pair<Index, Index>> block = states_of(node);
    const std::vector<Step> steps = filtered(at);
    GpMoments made{.mean = std::vector<double>(static_cast<std::size_t>(at.count)),
                   .variance = std::vector<double>(static_cast<std::size_t>(at.count))};
    std::vector<double> r(static_cast<std::size_t>(n * (1 + q)), 0.0),
        big(static_cast<std::size_t>(n * n), 0.0);
    Walk<double> walk(root, theta_);
    std::vector<double> own(static_cast<std::size_t>(n));
    for (Index k = ssize(steps) - 1; k >= 0; --k) {
      const Step& step = steps[static_cast<std::size_t>(k)];
      if (k + 1 < ssize(steps)) {
        const Step& next = steps[static_cast<std::size_t>(k + 1)];
        if (next.x > step.x) carry_back(walk.move(step.x, next.x - step.x).matrix, n, q, r, big);
      }
      observe(root, step.x, own.data());
      if (step.row >= 0) {
        take_back(step, own, n, q, r, big);
        continue;
      }
      const auto point = static_cast<std::size_t>(step.point);
      std::vector<double> masked(own.size(), 0.0);
      for (const auto& [first, count] : block)
        std::copy_n(own.begin() + first, count, masked.begin() + first);
      // state = a + P r, covariance P - P N P
      std::vector<double> loaded(static_cast<std::size_t>(n), 0.0);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          loaded[static_cast<std::size_t>(i)] +=
              step.covariance[static_cast<std::size_t>(i * n + j)] *
              masked[static_cast<std::size_t>(j)];
      std::vector<double> means(static_cast<std::size_t>(1 + q), 0.0);
      for (Index c = 0; c <= q; ++c)
        for (Index i = 0; i < n; ++i)
          means[static_cast<std::size_t>(c)] +=
              masked[static_cast<std::size_t>(i)] *
                  step.means[static_cast<std::size_t>(c * n + i)] +
              loaded[static_cast<std::size_t>(i)] * r[static_cast<std::size_t>(c * n + i)];
      double variance = 0.0;
      for (Index i = 0; i < n; ++i) {
        variance += masked[static_cast<std::size_t>(i)] * loaded[static_cast<std::size_t>(i)];
        for (Index j = 0; j < n; ++j)
          variance -= loaded[static_cast<std::size_t>(i)] *
                      big[static_cast<std::size_t>(i * n + j)] *
                      loaded[static_cast<std::size_t>(j)];
      }
      double mean = means[0];
      std::vector<double> rest(static_cast<std::size_t>(q),
                               0.0);  // R'^-1 (h - smoothed function of the mean)
      for (Index c = 0; c < q; ++c) {
        double off =
            (h != nullptr ? (*h)(step.point, c) : 0.0) - means[static_cast<std::size_t>(1 + c)];
        mean += off * mean_.beta[static_cast<std::size_t>(c)];
        for (Index b = 0; b < c; ++b) off -= mean_.factor(b, c) * rest[static_cast<std::size_t>(b)];
        rest[static_cast<std::size_t>(c)] = off / mean_.factor(c, c);
        variance += rest[static_cast<std::size_t>(c)] * rest[static_cast<std::size_t>(c)];
      }
      made.mean[point] = mean;
      made.variance[point] = std::max(0.0, variance);
    }
    return made;
  }
  DenseMatrix covariance(const CovariancePoints&, const DenseMatrix*) const override {
    refuse("draws");
  }
  GpMoments derivative(const CovariancePoints&, Index, const DenseMatrix*) const override {
    refuse("derivatives");
  }
  std::vector<double> coefficients() const override { return mean_.beta; }
  std::vector<double> coefficient_sds() const override {
    std::vector<double> sds;
    if (mean_.beta.empty()) return sds;
    const DenseMatrix inverse = numerics::inverse_of_upper(mean_.factor);
    for (Index i = 0; i < inverse.rows; ++i) {
      double sum = 0.0;
      for (Index j = 0; j < inverse.cols; ++j) sum += inverse(i, j) * inverse(i, j);
      sds.push_back(std::sqrt(sum));
    }
    return sds;
  }
  std::span<const double> weights() const override { refuse("the weights of a ridge regression"); }

 private:
  struct Step {
    double x = 0.0;
    Index row = -1, point = -1;
    std::vector<double> means, covariance;  // predicted
    std::vector<double> innovations = {}, gain = {};
    double variance = 0.0;
  };
  [[noreturn]] static void refuse(const char* what) {
    throw Error(ErrorCode::usage, fmt::format("{} are not there with states", what), "--solver",
                "--solver exact has them");
  }

  // Ranges (first state, count) of a term.
  std::vector<std::pair<Index, Index>> states_of(const KernelNode& node) const {
    Index first = 0;
    const KernelNode& root = p_.covariance.root();
    if (&node == &root) return {{0, num_states(root)}};
    for (const KernelNode* term : p_.covariance.terms()) {
      if (term == &node) return {{first, num_states(*term)}};
      first += num_states(*term);
    }
    return {};
  }

  std::vector<Step> filtered(const CovariancePoints& at) const {
    const KernelNode& root = p_.covariance.root();
    const Index n = num_states(root), q = p_.mean_columns.cols;
    std::vector<Step> steps;
    const std::vector<double>& x = solver_.inputs();
    for (const Index row : solver_.order())
      steps.push_back(
          {.x = x[static_cast<std::size_t>(row)], .row = row, .means = {}, .covariance = {}});
    std::size_t input = 0;
    while (p_.covariance.atoms()[input]->columns.empty() && input + 1 < at.by_atom.size()) ++input;
    for (Index j = 0; j < at.count; ++j)
      steps.push_back({.x = at.by_atom[input][static_cast<std::size_t>(j)],
                       .point = j,
                       .means = {},
                       .covariance = {}});
    std::ranges::stable_sort(steps, {}, &Step::x);
    Walk<double> walk(root, theta_);
    FilterState<double> state{
        .n = n,
        .columns = 1 + q,
        .means = std::vector<double>(static_cast<std::size_t>(n * (1 + q)), 0.0),
        .covariance = walk.start(steps[0].x).matrix};
    const double noise = p_.noise_variance(theta_);
    std::vector<double> h(static_cast<std::size_t>(n));
    double before = steps[0].x;
    for (Step& step : steps) {
      if (step.x > before) state.predict(walk.move(before, step.x - before));
      before = step.x;
      step.means = state.means, step.covariance = state.covariance;
      if (step.row < 0) continue;
      observe(root, step.x, h.data());
      step.gain.resize(static_cast<std::size_t>(n));
      step.variance = state.load(h, noise, step.gain);
      step.innovations.push_back(state.innovation(0, h, p_.y[static_cast<std::size_t>(step.row)]));
      for (Index c = 0; c < q; ++c)
        step.innovations.push_back(state.innovation(1 + c, h, p_.mean_columns(step.row, c)));
      state.update(step.gain, step.variance, step.innovations);
    }
    return steps;
  }

  // r <- A' r, N <- A' N A
  static void carry_back(const std::vector<double>& a, Index n, Index q, std::vector<double>& r,
                         std::vector<double>& big) {
    std::vector<double> moved_r(r.size(), 0.0), na(big.size(), 0.0), next(big.size(), 0.0);
    for (Index c = 0; c <= q; ++c)
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          moved_r[static_cast<std::size_t>(c * n + j)] +=
              a[static_cast<std::size_t>(i * n + j)] * r[static_cast<std::size_t>(c * n + i)];
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < n; ++k)
        for (Index j = 0; j < n; ++j)
          na[static_cast<std::size_t>(i * n + j)] +=
              big[static_cast<std::size_t>(i * n + k)] * a[static_cast<std::size_t>(k * n + j)];
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < n; ++k)
        for (Index j = 0; j < n; ++j)
          next[static_cast<std::size_t>(i * n + j)] +=
              a[static_cast<std::size_t>(k * n + i)] * na[static_cast<std::size_t>(k * n + j)];
    r = std::move(moved_r), big = std::move(next);
  }
  // Through an outcome: r <- h v / F + (1 - h g' / F) r, N <- h h' / F + (1 - h g' / F) N (1 - g h' / F), g = P h.
  static void take_back(const Step& step, const std::vector<double>& h, Index n, Index q,
                        std::vector<double>& r, std::vector<double>& big) {
    const double f = step.variance;
    for (Index c = 0; c <= q; ++c) {
      double along = 0.0;
      for (Index i = 0; i < n; ++i)
        along += step.gain[static_cast<std::size_t>(i)] * r[static_cast<std::size_t>(c * n + i)];
      for (Index i = 0; i < n; ++i)
        r[static_cast<std::size_t>(c * n + i)] +=
            h[static_cast<std::size_t>(i)] *
            (step.innovations[static_cast<std::size_t>(c)] - along) / f;
    }
    std::vector<double> ng(static_cast<std::size_t>(n), 0.0);
    double gng = 0.0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        ng[static_cast<std::size_t>(i)] +=
            big[static_cast<std::size_t>(i * n + j)] * step.gain[static_cast<std::size_t>(j)];
      gng += step.gain[static_cast<std::size_t>(i)] * ng[static_cast<std::size_t>(i)];
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const double hi = h[static_cast<std::size_t>(i)], hj = h[static_cast<std::size_t>(j)];
        big[static_cast<std::size_t>(i * n + j)] +=
            hi * hj / f * (1.0 + gng / f) -
            (hi * ng[static_cast<std::size_t>(j)] + ng[static_cast<std::size_t>(i)] * hj) / f;
      }
  }

  const GpProblem& p_;
  const StatesSolver& solver_;
  std::vector<double> theta_;
  GpMean mean_;
};

std::unique_ptr<GpPosterior> StatesSolver::posterior(std::span<const double> theta) {
  const InnovationSums<double> sums = filter<double>({theta.begin(), theta.end()});
  if (sums.failed >= 0)
    throw Error(ErrorCode::evaluation,
                fmt::format("row {} is a function of the rows before it, and there is no noise",
                            sums.failed + 1),
                "",
                "leave one of two equal inputs out, estimate the noise, or state it: --noise 1e-4");
  const GpMean mean = mean_of(sums);
  if (!mean.is_defined)
    throw Error(ErrorCode::data, "the columns of the mean are collinear", "",
                "leave one of them out");
  return std::make_unique<StatesPosterior>(p_, *this, theta, mean);
}
}  // namespace

std::string why_no_states(const Covariance& covariance) {
  Index column = -1;
  for (const KernelNode* atom : covariance.atoms()) {
    if (atom->row->states == nullptr) return fmt::format("{} has no states", atom->text);
    if (atom->columns.size() > 1 || !atom->projection.empty())
      return fmt::format("{} has several inputs", atom->text);
    if (atom->columns.empty()) continue;
    if (column >= 0 && atom->columns[0] != column) return "states are those of one input";
    column = atom->columns[0];
  }
  if (column < 0) return "there is no input";
  constexpr Index kMostStates = 60;
  if (const Index n = num_states(covariance.root()); n > kMostStates)
    return fmt::format("{} states are too many", n);
  return "";
}
bool states_are_approximate(const Covariance& covariance) {
  return std::ranges::any_of(covariance.atoms(), [](const KernelNode* atom) {
    return atom->row->states != nullptr && atom->row->states->is_approximate;
  });
}
std::unique_ptr<GpSolver> make_states_solver(const GpProblem& problem) {
  return std::make_unique<StatesSolver>(problem);
}

}  // namespace credo::models
