// A step: QR of  [ S A' ]   gives the predicted S;   of  [ R^(1/2)   0 ]   gives  [ V  K ],
//                [ Q^(1/2) ]                             [ S C'      S ]          [ 0  S+ ]
// with V' V the covariance of the innovation e: x+ = x + K' V'^-1 e, log p = -(m log 2 pi + |V'^-1 e|^2)/2 - sum log V_ii.
#include "numerics/kalman.hpp"

#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/decompositions.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::numerics {
namespace {
using Values = std::vector<double>;
constexpr double kLog2Pi = 1.8378770664093454836;

std::size_t at(Index row, Index col, Index rows) {
  return static_cast<std::size_t>(row + col * rows);
}

// R of A = Q R, the first `cols` rows.
Values upper_factor(Index rows, Index cols, Values a) {
  if (rows < cols) {  // filled up with zeros
    Values filled(static_cast<std::size_t>(cols * cols), 0.0);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) filled[at(i, j, cols)] = a[at(i, j, rows)];
    return upper_factor(cols, cols, std::move(filled));
  }
  Values q(static_cast<std::size_t>(rows * cols)), work(static_cast<std::size_t>(rows * cols));
  qr({rows, cols, cols}, a.data(), q.data(), work.data());
  Values r(static_cast<std::size_t>(cols * cols), 0.0);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i <= j; ++i) r[at(i, j, cols)] = a[at(i, j, rows)];
  return r;
}

// B with B' B = A for a symmetric positive semi-definite A.
Values root_of(Index n, Values a) {
  const SymmetricEigen eigen({n, n, std::move(a)});
  Values root(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      root[at(i, j, n)] =
          std::sqrt(std::max(eigen.values[static_cast<std::size_t>(i)], 0.0)) * eigen.vectors(j, i);
  return root;
}

// A B (rows x inner, inner x cols), and A B'.
Values product(Index rows, Index inner, Index cols, const Values& a, const Values& b) {
  Values out(static_cast<std::size_t>(rows * cols), 0.0);
  for (Index j = 0; j < cols; ++j)
    for (Index k = 0; k < inner; ++k)
      for (Index i = 0; i < rows; ++i)
        out[at(i, j, rows)] += a[at(i, k, rows)] * b[at(k, j, inner)];
  return out;
}
Values transposed(Index rows, Index cols, const Values& a) {
  Values out(a.size());
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) out[at(j, i, cols)] = a[at(i, j, rows)];
  return out;
}

// One matrix above another of as many columns.
Values stacked(Index cols, const Values& above, const Values& below) {
  const Index a = ssize(above) / cols, b = ssize(below) / cols;
  Values out(above.size() + below.size());
  for (Index j = 0; j < cols; ++j) {
    std::copy_n(above.begin() + j * a, a, out.begin() + j * (a + b));
    std::copy_n(below.begin() + j * b, b, out.begin() + j * (a + b) + a);
  }
  return out;
}

// V'^-1 B in place, V upper triangular n x n, B n x cols.
void solve_transposed(Index n, Index cols, const Values& v, Values& b) {
  for (Index c = 0; c < cols; ++c)
    for (Index i = 0; i < n; ++i) {
      double x = b[at(i, c, n)];
      for (Index k = 0; k < i; ++k) x -= v[at(k, i, n)] * b[at(k, c, n)];
      b[at(i, c, n)] = x / v[at(i, i, n)];
    }
}

// The state's mean, and behind it a column for each unknown of a diffuse start.
struct Belief {
  Values columns, root;
};

// The present elements of an outcome.
struct Present {
  Index count = 0;
  Values matrix, residual, root;  // count x d; y - d; B with B' B = R
};

Present present(const LinearGaussianStep& step, Index d) {
  Present p;
  std::vector<Index> rows;
  const Index m = ssize(step.outcome);
  for (Index i = 0; i < m; ++i)
    if (!std::isnan(step.outcome[static_cast<std::size_t>(i)])) rows.push_back(i);
  p.count = ssize(rows);
  p.matrix.resize(static_cast<std::size_t>(p.count * d));
  Values noise(static_cast<std::size_t>(p.count * p.count));
  for (Index i = 0; i < p.count; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    p.residual.push_back(step.outcome[static_cast<std::size_t>(row)] -
                         step.observation_offset[static_cast<std::size_t>(row)]);
    for (Index j = 0; j < d; ++j) p.matrix[at(i, j, p.count)] = step.observation[at(row, j, m)];
    for (Index j = 0; j < p.count; ++j)
      noise[at(i, j, p.count)] =
          step.observation_noise[at(row, rows[static_cast<std::size_t>(j)], m)];
  }
  p.root = p.count > 0 ? root_of(p.count, std::move(noise)) : Values{};
  return p;
}

class KalmanFilter {
 public:
  KalmanFilter(Index d, Index num_unknown) : d_(d), columns_(num_unknown + 1) {}

  // Filter that starts at a known state, without unknowns.
  explicit KalmanFilter(const GaussianState& state)
      : d_(ssize(state.mean)), columns_(1), belief_{state.mean, state.root} {}

  void begin(const LinearGaussianStep& step, std::span<const double> unknown) {
    belief_.columns = step.offset;
    belief_.columns.insert(belief_.columns.end(), unknown.begin(), unknown.end());
    belief_.root = upper_factor(d_, d_, root_of(d_, step.noise));
  }
  void predict(const LinearGaussianStep& step) { predict(step, root_of(d_, step.noise)); }
  void predict(const LinearGaussianStep& step, const Values& noise_root) {
    belief_.columns = product(d_, d_, columns_, step.matrix, belief_.columns);
    for (Index i = 0; i < d_; ++i)
      belief_.columns[static_cast<std::size_t>(i)] += step.offset[static_cast<std::size_t>(i)];
    const Values moved = product(d_, d_, d_, belief_.root, transposed(d_, d_, step.matrix));
    belief_.root = upper_factor(2 * d_, d_, stacked(d_, moved, noise_root));
  }
  // V'^-1 of the innovations, a column for each of the belief's, and the log determinant of V.
  struct Innovation {
    Index count = 0;
    Values columns;
    double log_determinant = 0.0;
  };
  Innovation update(const LinearGaussianStep& step) { return update(present(step, d_)); }
  Innovation update(const Present& p) {
    Innovation innovation{.count = p.count, .columns = {}};
    if (p.count == 0) return innovation;
    const Index m = p.count, n = m + d_;
    Values all(static_cast<std::size_t>(n * n), 0.0);
    const Values seen = product(d_, d_, m, belief_.root, transposed(m, d_, p.matrix));
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < m; ++i) all[at(i, j, n)] = p.root[at(i, j, m)];
      for (Index i = 0; i < d_; ++i) all[at(m + i, j, n)] = seen[at(i, j, d_)];
    }
    for (Index j = 0; j < d_; ++j)
      for (Index i = 0; i < d_; ++i) all[at(m + i, m + j, n)] = belief_.root[at(i, j, d_)];
    const Values r = upper_factor(n, n, std::move(all));
    Values v(static_cast<std::size_t>(m * m)), gain(static_cast<std::size_t>(d_ * m));  // gain: K'
    for (Index j = 0; j < m; ++j) std::copy_n(r.begin() + j * n, m, v.begin() + j * m);
    for (Index j = 0; j < d_; ++j) {
      for (Index i = 0; i < m; ++i) gain[at(j, i, d_)] = r[at(i, m + j, n)];
      for (Index i = 0; i < d_; ++i) belief_.root[at(i, j, d_)] = r[at(m + i, m + j, n)];
    }
    innovation.columns = product(m, d_, columns_, p.matrix, belief_.columns);
    for (double& x : innovation.columns) x = -x;
    for (Index i = 0; i < m; ++i)
      innovation.columns[static_cast<std::size_t>(i)] += p.residual[static_cast<std::size_t>(i)];
    solve_transposed(m, columns_, v, innovation.columns);
    for (Index i = 0; i < m; ++i) innovation.log_determinant += log(v[at(i, i, m)]);
    const Values change = product(d_, m, columns_, gain, innovation.columns);
    for (std::size_t k = 0; k < change.size(); ++k) belief_.columns[k] += change[k];
    return innovation;
  }
  const Belief& belief() const { return belief_; }
  Index num_columns() const { return columns_; }

 private:
  Index d_, columns_;
  Belief belief_;
};

// Information of the outcomes about the unknowns: the least squares problem |u + W delta|, u and W the columns of innovations, as a
// triangular factor of [W u], which grows row by row.
class Unknowns {
 public:
  explicit Unknowns(Index count)
      : count_(count), factor_(static_cast<std::size_t>((count + 1) * (count + 1)), 0.0) {}

  void add(const KalmanFilter::Innovation& innovation) {
    if (count_ == 0 || innovation.count == 0) return;
    const Index m = innovation.count, n = count_ + 1;
    Values rows(static_cast<std::size_t>(m * n));
    for (Index i = 0; i < m; ++i) {
      for (Index k = 0; k < count_; ++k) rows[at(i, k, m)] = innovation.columns[at(i, k + 1, m)];
      rows[at(i, count_, m)] = innovation.columns[static_cast<std::size_t>(i)];
    }
    factor_ = upper_factor(n + m, n, stacked(n, factor_, rows));
    for (Index k = 0; k < count_; ++k) scale_ = std::max(scale_, std::fabs(factor_[at(k, k, n)]));
  }
  bool are_determined() const {
    constexpr double kRounding = 1e-11;
    for (Index k = 0; k < count_; ++k)
      if (!(std::fabs(factor_[at(k, k, count_ + 1)]) > kRounding * scale_)) return false;
    return true;
  }
  double log_determinant() const {
    double sum = 0.0;
    for (Index k = 0; k < count_; ++k) sum += log(std::fabs(factor_[at(k, k, count_ + 1)]));
    return sum;
  }
  double residual() const {
    return factor_[at(count_, count_, count_ + 1)];
  }  // the least |u + W delta|

  // Mean and S of what the columns say, with the unknowns at their estimate and its error.
  GaussianState state_of(const Belief& belief, Index d) const {
    if (count_ == 0) return {belief.columns, belief.root};
    const Index n = count_ + 1;
    if (!are_determined())
      return {Values(static_cast<std::size_t>(d), kNaN),
              Values(static_cast<std::size_t>(d * d), kNaN)};
    Values delta(static_cast<std::size_t>(count_));
    for (Index i = count_; i-- > 0;) {
      double x = -factor_[at(i, count_, n)];
      for (Index k = i + 1; k < count_; ++k)
        x -= factor_[at(i, k, n)] * delta[static_cast<std::size_t>(k)];
      delta[static_cast<std::size_t>(i)] = x / factor_[at(i, i, n)];
    }
    GaussianState state{Values(belief.columns.begin(), belief.columns.begin() + d), {}};
    Values upper(static_cast<std::size_t>(count_ * count_)),
        spread(static_cast<std::size_t>(count_ * d));
    for (Index k = 0; k < count_; ++k)
      std::copy_n(factor_.begin() + k * n, count_, upper.begin() + k * count_);
    for (Index k = 0; k < count_; ++k)
      for (Index i = 0; i < d; ++i) {
        const double x = belief.columns[at(i, k + 1, d)];
        state.mean[static_cast<std::size_t>(i)] += x * delta[static_cast<std::size_t>(k)];
        spread[at(k, i, count_)] = x;
      }
    solve_transposed(count_, d, upper, spread);
    state.root = upper_factor(count_ + d, d, stacked(d, spread, belief.root));
    return state;
  }

 private:
  Index count_;
  Values factor_;
  double scale_ = 0.0;
};

// Logarithms for an innovation: the density's factor, and the density without unknowns.
double log_factor_of(const KalmanFilter::Innovation& innovation) {
  return -(0.5 * static_cast<double>(innovation.count) * kLog2Pi + innovation.log_determinant);
}
double log_density_of(const KalmanFilter::Innovation& innovation) {
  double sum = log_factor_of(innovation);
  for (Index i = 0; i < innovation.count; ++i)
    sum -= 0.5 * innovation.columns[static_cast<std::size_t>(i)] *
           innovation.columns[static_cast<std::size_t>(i)];
  return sum;
}
}  // namespace

std::vector<double> GaussianState::covariance() const {
  const Index d = ssize(mean);
  return product(d, d, d, transposed(d, d, root), root);
}

PreparedStep::PreparedStep(const LinearGaussianStep& step) : step_(step) {
  const Index d = ssize(step.offset);
  noise_root_ = root_of(d, step.noise);
  Present p = present(step, d);
  observation_ = std::move(p.matrix);
  residual_ = std::move(p.residual);
  observation_root_ = std::move(p.root);
}

GaussianState PreparedStep::filtered(const GaussianState* before, double& log_increment) const {
  const Index d = ssize(step_.offset);
  KalmanFilter filter =
      before != nullptr
          ? KalmanFilter(*before)
          : KalmanFilter(GaussianState{step_.offset, upper_factor(d, d, noise_root_)});
  if (before != nullptr) filter.predict(step_, noise_root_);
  log_increment =
      log_density_of(filter.update({ssize(residual_), observation_, residual_, observation_root_}));
  return {filter.belief().columns, filter.belief().root};
}

KalmanResult kalman_filter(std::span<const LinearGaussianStep> steps) {
  return diffuse_kalman_filter(steps, {});
}

KalmanResult linearised_kalman_filter(LinearisedModel& model,
                                      std::vector<LinearGaussianStep>& steps) {
  KalmanResult result;
  std::optional<KalmanFilter> filter;
  const auto state = [&] { return GaussianState{filter->belief().columns, filter->belief().root}; };
  for (Index t = 0; t < model.num_times(); ++t) {
    LinearGaussianStep& step = steps.emplace_back();
    model.transition(t, t == 0 ? nullptr : &result.filtered.back(), step);
    if (t == 0) {
      filter.emplace(ssize(step.offset), 0);
      filter->begin(step, {});
    } else {
      filter->predict(step);
    }
    result.predicted.push_back(state());
    model.observation(t, result.predicted.back(), step);
    const KalmanFilter::Innovation innovation = filter->update(step);
    result.log_increments.push_back(log_density_of(innovation));
    result.log_likelihood += result.log_increments.back();
    result.filtered.push_back(state());
  }
  return result;
}

KalmanResult diffuse_kalman_filter(std::span<const LinearGaussianStep> steps,
                                   std::span<const double> unknown) {
  KalmanResult result;
  if (steps.empty()) return result;
  const Index d = ssize(steps[0].offset), count = ssize(unknown) / d;
  KalmanFilter filter(d, count);
  Unknowns unknowns(count);
  const auto settled = [&] {  // the log likelihood's share of the unknowns
    return -unknowns.log_determinant() - 0.5 * unknowns.residual() * unknowns.residual();
  };
  double without = 0.0, before = count == 0 ? 0.0 : kNaN;  // NaN: the unknowns aren't determined
  for (std::size_t t = 0; t < steps.size(); ++t) {
    t == 0 ? filter.begin(steps[t], unknown) : filter.predict(steps[t]);
    result.predicted.push_back(unknowns.state_of(filter.belief(), d));
    const KalmanFilter::Innovation innovation = filter.update(steps[t]);
    unknowns.add(innovation);
    without += count == 0 ? log_density_of(innovation) : log_factor_of(innovation);
    const double now = count == 0 ? without
                       : unknowns.are_determined()
                           ? without + settled() + 0.5 * static_cast<double>(count) * kLog2Pi
                           : kNaN;
    result.log_increments.push_back(now - before);
    before = now;
    result.filtered.push_back(unknowns.state_of(filter.belief(), d));
  }
  result.log_likelihood = before;
  return result;
}

namespace {
// Pseudo-inverse of a symmetric positive semi-definite matrix.
Values pseudo_inverse(Index d, Values singular) {
  const SymmetricEigen eigen({d, d, std::move(singular)});
  return eigen.inverse(1e-13 * std::max(eigen.values.back(), 0.0)).values;
}

// state.mean + G (x - ahead.mean)
void add_gain(const Values& gain, std::span<const double> x, const GaussianState& ahead,
              std::span<double> mean) {
  const Index d = ssize(mean);
  for (Index i = 0; i < d; ++i)
    for (Index k = 0; k < d; ++k)
      mean[static_cast<std::size_t>(i)] +=
          gain[at(i, k, d)] *
          (x[static_cast<std::size_t>(k)] - ahead.mean[static_cast<std::size_t>(k)]);
}
}  // namespace

// G = P A' (A P A' + Q)^-1; the root is the factor of [(S (I - G A)')' ; Q^(1/2) G'].
std::vector<BackwardDistribution> backward_distributions(std::span<const LinearGaussianStep> steps,
                                                         const KalmanResult& filtered) {
  std::vector<BackwardDistribution> distributions;
  for (std::size_t t = 1; t < steps.size(); ++t) {
    const GaussianState& now = filtered.filtered[t - 1];
    const Index d = ssize(now.mean);
    const Values cross = product(d, d, d, now.covariance(), transposed(d, d, steps[t].matrix));
    BackwardDistribution distribution{
        .gain = product(d, d, d, cross, pseudo_inverse(d, filtered.predicted[t].covariance())),
        .root = {}};
    Values rest = product(d, d, d, distribution.gain, steps[t].matrix);
    for (Index j = 0; j < d; ++j)
      for (Index i = 0; i < d; ++i) rest[at(i, j, d)] = (i == j ? 1.0 : 0.0) - rest[at(i, j, d)];
    distribution.root = upper_factor(
        2 * d, d,
        stacked(d, product(d, d, d, now.root, transposed(d, d, rest)),
                product(d, d, d, root_of(d, steps[t].noise), transposed(d, d, distribution.gain))));
    distributions.push_back(std::move(distribution));
  }
  return distributions;
}

std::vector<double> smoothed_path(const KalmanResult& filtered,
                                  std::span<const BackwardDistribution> distributions,
                                  std::span<const double> normals) {
  const Index d = ssize(filtered.filtered[0].mean), num_times = ssize(filtered.filtered);
  Values path;
  for (const GaussianState& state : filtered.filtered)
    path.insert(path.end(), state.mean.begin(), state.mean.end());
  for (Index t = num_times; t-- > 0;) {
    const auto place = static_cast<std::size_t>(t);
    const std::span<double> x =
        std::span(path).subspan(static_cast<std::size_t>(t * d), static_cast<std::size_t>(d));
    if (t + 1 < num_times)
      add_gain(distributions[place].gain,
               std::span(path).subspan(static_cast<std::size_t>((t + 1) * d)),
               filtered.predicted[place + 1], x);
    const Values& root =
        t + 1 < num_times ? distributions[place].root : filtered.filtered[place].root;
    for (Index i = 0; i < d; ++i)
      for (Index k = 0; k < d; ++k)
        x[static_cast<std::size_t>(i)] +=
            root[at(k, i, d)] * normals[static_cast<std::size_t>(t * d + k)];
  }
  return path;
}

// The smoothed root is the factor of the backward distribution's and S_ahead G'.
std::vector<GaussianState> rts_smoother(std::span<const LinearGaussianStep> steps,
                                        const KalmanResult& filtered) {
  std::vector<GaussianState> smoothed = filtered.filtered;
  const std::vector<BackwardDistribution> distributions = backward_distributions(steps, filtered);
  for (std::size_t t = steps.size(); t-- > 1;) {
    const BackwardDistribution& distribution = distributions[t - 1];
    GaussianState& result = smoothed[t - 1];
    const Index d = ssize(result.mean);
    const Values later = product(d, d, d, smoothed[t].root, transposed(d, d, distribution.gain));
    add_gain(distribution.gain, smoothed[t].mean, filtered.predicted[t], result.mean);
    result.root = upper_factor(2 * d, d, stacked(d, distribution.root, later));
  }
  return smoothed;
}

}  // namespace credo::numerics
