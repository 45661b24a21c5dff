#include "numerics/series_smoother.hpp"

#include "base/error.hpp"

namespace credo::numerics {
namespace {
double inner(Index n, const double* x, const double* y) {
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// Information about the unknowns from outcomes until now: S and s, and S^-1 times a vector by elimination.
class UnknownSums {
 public:
  // `least`: share of an unknown's information that is left beside the others; below it, it counts as not determined.
  UnknownSums(Index count, double least)
      : u_(count),
        least_(least),
        s_(static_cast<std::size_t>(count * count)),
        sum_(static_cast<std::size_t>(count)) {}
  // V, v and F of an outcome.
  void add(const double* unknown, double v, double f) {
    for (Index j = 0; j < u_; ++j) {
      sum_[static_cast<std::size_t>(j)] += unknown[j] * v / f;
      for (Index i = 0; i < u_; ++i)
        s_[static_cast<std::size_t>(i + j * u_)] += unknown[i] * unknown[j] / f;
    }
  }
  // The mean of the unknowns, -S^-1 s; empty while outcomes don't determine them.
  std::vector<double> mean() const {
    std::vector<double> x = solved(sum_);
    for (double& value : x) value = -value;
    return x;
  }
  std::vector<double> solved(std::vector<double> b) const {
    std::vector<double> a = s_;
    for (Index k = 0; k < u_; ++k) {
      const double pivot = a[static_cast<std::size_t>(k + k * u_)];
      if (!(pivot > least_ * s_[static_cast<std::size_t>(k + k * u_)])) return {};
      for (Index i = k + 1; i < u_; ++i) {
        const double by = a[static_cast<std::size_t>(i + k * u_)] / pivot;
        for (Index j = k; j < u_; ++j)
          a[static_cast<std::size_t>(i + j * u_)] -= by * a[static_cast<std::size_t>(k + j * u_)];
        b[static_cast<std::size_t>(i)] -= by * b[static_cast<std::size_t>(k)];
      }
    }
    for (Index k = u_; k-- > 0;) {
      for (Index j = k + 1; j < u_; ++j)
        b[static_cast<std::size_t>(k)] -=
            a[static_cast<std::size_t>(k + j * u_)] * b[static_cast<std::size_t>(j)];
      b[static_cast<std::size_t>(k)] /= a[static_cast<std::size_t>(k + k * u_)];
    }
    return b;
  }

 private:
  Index u_;
  double least_;
  std::vector<double> s_, sum_;
};
// Predictions are left out until the unknowns are determined to this share.
constexpr double kSafeShare = 1e-10;
}  // namespace

SeriesInputs SeriesSystem::inputs() const {
  SeriesInputs in{};
  for (std::size_t part = 0; part < kSeriesParts; ++part) in[part] = parts[part].data();
  return in;
}

SeriesSmoother::SeriesSmoother(const SeriesSystem& system)
    : system_(system),
      n_(system.sizes.states),
      u_(system.sizes.unknowns),
      times_(system.sizes.times),
      stride_(series_trace_size(system.sizes)),
      trace_(static_cast<std::size_t>(stride_ * times_)) {
  std::vector<double> scratch(static_cast<std::size_t>(series_filter_scratch(system.sizes)));
  log_density_ = series_filter(system.sizes, system.inputs(), trace_.data(), scratch.data());
}

const double* SeriesSmoother::design(Index t) const {
  return system_.parts[kSeriesDesign].data() + (system_.sizes.design_varies ? t * n_ : 0);
}
const double* SeriesSmoother::transition(Index t) const {
  const auto kind =
      static_cast<Index>(system_.parts[kSeriesKinds][static_cast<std::size_t>(t)]) - 1;
  return system_.parts[kSeriesTransition].data() + kind * n_ * n_;
}

SeriesSmoother::OneStep SeriesSmoother::one_step() const {
  OneStep found{std::vector<double>(static_cast<std::size_t>(times_), kNaN),
                std::vector<double>(static_cast<std::size_t>(times_), kNaN)};
  UnknownSums sums(u_, kSafeShare);
  for (Index t = 0; t < times_; ++t) {
    const double *all = innovations(t), f = all[0], v = all[1], *unknown = all + 2;
    if (!(f > 0.0)) continue;
    double shift = 0.0, variance = f;
    bool is_known = true;
    if (u_ > 0) {
      const std::vector<double> mean = sums.mean();
      is_known = !mean.empty();
      if (is_known) {
        shift = inner(u_, unknown, mean.data());
        variance += inner(u_, unknown, sums.solved({unknown, unknown + u_}).data());
      }
      sums.add(unknown, v, f);
    }
    if (!is_known) continue;
    const auto k = static_cast<std::size_t>(t);
    found.mean[k] = system_.parts[kSeriesOutcomes][k] - (v + shift);
    found.sd[k] = std::sqrt(variance);
  }
  return found;
}

std::vector<double> SeriesSmoother::means() const {
  return smoothed(system_.parts[kSeriesOutcomes], system_.parts[kSeriesMean]);
}

// Smoothed means for other outcomes at the same times and another mean of the first state: gains and covariances are the same.
std::vector<double> SeriesSmoother::smoothed(std::span<const double> outcomes,
                                             std::span<const double> first) const {
  std::vector<double> a(static_cast<std::size_t>(n_ * times_)), v(static_cast<std::size_t>(times_)),
      work(first.begin(), first.end());
  UnknownSums sums(u_, kLeastUnknownShare);
  for (Index t = 0; t < times_; ++t) {
    std::ranges::copy(work, a.begin() + t * n_);
    const double *all = innovations(t), f = all[0];
    if (f > 0.0) {
      const double error =
          outcomes[static_cast<std::size_t>(t)] - inner(n_, design(t), work.data());
      v[static_cast<std::size_t>(t)] = error;
      if (u_ > 0) sums.add(all + 2, error, f);
      for (Index i = 0; i < n_; ++i) work[static_cast<std::size_t>(i)] += gain(t)[i] * error / f;
    }
    if (t + 1 == times_) break;
    std::vector<double> next(work.size(), 0.0);
    const double* matrix = transition(t + 1);
    for (Index k = 0; k < n_; ++k)
      for (Index i = 0; i < n_; ++i)
        next[static_cast<std::size_t>(i)] += matrix[i + k * n_] * work[static_cast<std::size_t>(k)];
    work = std::move(next);
  }
  const std::vector<double> delta = u_ > 0 ? sums.mean() : std::vector<double>();
  if (ssize(delta) < u_)
    throw Error(ErrorCode::evaluation,
                "the outcomes don't determine the states whose start is diffuse, so these can't be "
                "computed at a draw");
  std::vector<double> r(static_cast<std::size_t>(n_), 0.0);
  for (Index t = times_; t-- > 0;) {
    double* mean = a.data() + t * n_;
    const double *all = innovations(t), f = all[0], *z = design(t);
    double error = v[static_cast<std::size_t>(t)];
    for (Index j = 0; j < ssize(delta); ++j) {
      error += all[2 + j] * delta[static_cast<std::size_t>(j)];
      for (Index i = 0; i < n_; ++i)
        mean[i] += unknown(t)[i + j * n_] * delta[static_cast<std::size_t>(j)];
    }
    if (f > 0.0) {
      const double by = (error - inner(n_, gain(t), r.data())) / f;
      for (Index i = 0; i < n_; ++i) r[static_cast<std::size_t>(i)] += by * z[i];
    }
    for (Index i = 0; i < n_; ++i) mean[i] += inner(n_, covariance(t) + i * n_, r.data());
    if (t == 0) break;
    std::vector<double> before(r.size());
    const double* matrix = transition(t);
    for (Index k = 0; k < n_; ++k)
      before[static_cast<std::size_t>(k)] = inner(n_, matrix + k * n_, r.data());
    r = std::move(before);
  }
  return a;
}

std::vector<double> SeriesSmoother::draw(Rng& rng) const {
  std::vector<double> outcomes(static_cast<std::size_t>(times_));
  std::vector<double> states = path(rng, outcomes);
  for (std::size_t t = 0; t < outcomes.size(); ++t)
    outcomes[t] = system_.parts[kSeriesOutcomes][t] - outcomes[t];
  const std::vector<double> none(static_cast<std::size_t>(n_), 0.0);
  const std::vector<double> moved = smoothed(outcomes, none);
  for (std::size_t k = 0; k < states.size(); ++k) states[k] += moved[k];
  return states;
}

// A path of the model with the unknowns 0, and its outcomes.
std::vector<double> SeriesSmoother::path(Rng& rng, std::span<double> outcomes) const {
  std::vector<double> states(static_cast<std::size_t>(n_ * times_), 0.0);
  const std::vector<double> root = start_root();
  std::vector<double> normals(static_cast<std::size_t>(n_));
  for (Index t = 0; t < times_; ++t) {
    double* now = states.data() + t * n_;
    for (double& x : normals) x = rng.normal();
    if (t == 0) {
      for (Index j = 0; j < n_; ++j)
        for (Index i = j; i < n_; ++i)
          now[i] +=
              root[static_cast<std::size_t>(i + j * n_)] * normals[static_cast<std::size_t>(j)];
      for (Index i = 0; i < n_; ++i)
        now[i] += system_.parts[kSeriesMean][static_cast<std::size_t>(i)];
    } else {
      const double *matrix = transition(t), *before = now - n_;
      const auto kind =
          static_cast<Index>(system_.parts[kSeriesKinds][static_cast<std::size_t>(t)]) - 1;
      for (Index k = 0; k < n_; ++k)
        for (Index i = 0; i < n_; ++i) now[i] += matrix[i + k * n_] * before[k];
      for (Index i = 0; i < n_; ++i)
        now[i] +=
            std::sqrt(system_.parts[kSeriesStateNoise][static_cast<std::size_t>(i + kind * n_)]) *
            normals[static_cast<std::size_t>(i)];
    }
    const auto k = static_cast<std::size_t>(t);
    const double noise = system_.parts[kSeriesNoise][system_.sizes.noise_varies ? k : 0];
    outcomes[k] = inner(n_, design(t), now) + std::sqrt(noise) * rng.normal();
  }
  return states;
}

// Lower Cholesky factor of the first covariance, which may be singular.
std::vector<double> SeriesSmoother::start_root() const {
  std::vector<double> l = system_.parts[kSeriesCovariance];
  const auto at = [&](Index i, Index j) -> double& {
    return l[static_cast<std::size_t>(i + j * n_)];
  };
  for (Index j = 0; j < n_; ++j) {
    const double whole = at(j, j);
    for (Index k = 0; k < j; ++k)
      for (Index i = j; i < n_; ++i) at(i, j) -= at(i, k) * at(j, k);
    const bool is_there = at(j, j) > 1e-14 * whole;
    const double pivot = is_there ? std::sqrt(at(j, j)) : 0.0;
    for (Index i = j; i < n_; ++i) at(i, j) = is_there ? at(i, j) / pivot : 0.0;
  }
  return l;
}

}  // namespace credo::numerics
