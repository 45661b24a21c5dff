#include "diagnose/moment_matching.hpp"

#include "base/aligned.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::diagnose {
namespace {
using MatchPoints = std::vector<double>;   // a point after another
constexpr Index kDrawsForCovariance = 10;  // for each coordinate

numerics::LaneOperand columns_of(const AlignedArray& a, Index rows) {
  return {.data = a.data(), .row = 1, .col = rows};
}

// x -> to + M (x - from), M a diagonal, or L K⁻¹ of two lower factors.
struct AffineMap {
  std::vector<double> from, to, scale;
  AlignedArray factor, inverse_of;  // L and K; empty: M = diag(scale)

  Index dimension() const { return ssize(from); }
  bool has_factors() const { return factor.size() > 0; }

  double log_determinant() const {
    double sum = 0.0;
    const Index n = dimension();
    for (Index d = 0; d < n; ++d)
      sum += has_factors() ? std::log(factor[d * n + d]) - std::log(inverse_of[d * n + d])
                           : std::log(scale[static_cast<std::size_t>(d)]);
    return sum;
  }
  void apply(MatchPoints& points) const { move(points, {from, to, factor, inverse_of}, false); }
  void undo(MatchPoints& points) const { move(points, {to, from, inverse_of, factor}, true); }

 private:
  struct Parts {
    const std::vector<double>&from, &to;
    const AlignedArray &times, &over;
  };
  void move(MatchPoints& points, const Parts& parts, bool inverts) const {
    const std::size_t n = from.size();
    for (std::size_t k = 0; k < points.size(); ++k) {
      points[k] -= parts.from[k % n];
      if (!has_factors() && inverts) points[k] /= scale[k % n];
      if (!has_factors() && !inverts) points[k] *= scale[k % n];
    }
    if (has_factors()) multiply(points, parts.times, parts.over);
    for (std::size_t k = 0; k < points.size(); ++k) points[k] += parts.to[k % n];
  }
  static void multiply(MatchPoints& points, const AlignedArray& times, const AlignedArray& over) {
    const auto n = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(times.size()))));
    const Index count = ssize(points) / n;
    AlignedArray in(ssize(points)), solved(ssize(points)), out(ssize(points));
    std::copy(points.begin(), points.end(), in.data());
    AlignedArray scratch(numerics::solve_lower_scratch(n, count));
    numerics::solve_lower(1, {.n = n, .cols = count}, columns_of(over, n), columns_of(in, n),
                          solved.data(), scratch.data());
    const numerics::ProductSizes sizes{.rows = n, .inner = n, .cols = count};
    AlignedArray more(numerics::multiply_scratch(sizes));
    numerics::multiply(1, sizes, columns_of(times, n), columns_of(solved, n), out.data(),
                       more.data());
    std::copy(out.span().begin(), out.span().end(), points.begin());
  }
};

// Moments of points under weights that add up to 1; none: equal ones.
struct WeightedMoments {
  WeightedMoments(std::span<const double> points, Index dimension, std::span<const double> weights)
      : mean(static_cast<std::size_t>(dimension), 0.0), variance(mean.size(), 0.0) {
    const std::size_t n = mean.size();
    for (std::size_t k = 0; k < points.size(); ++k) mean[k % n] += weights[k / n] * points[k];
    for (std::size_t k = 0; k < points.size(); ++k)
      variance[k % n] += weights[k / n] * (points[k] - mean[k % n]) * (points[k] - mean[k % n]);
  }
  std::vector<double> mean, variance;
};

// The lower factor of the covariance; empty where that isn't positive definite.
AlignedArray covariance_factor(std::span<const double> points, std::span<const double> mean,
                               std::span<const double> weights) {
  const std::size_t n = mean.size();
  AlignedArray centred(ssize(points)), covariance(ssize(mean) * ssize(mean)),
      factor(ssize(mean) * ssize(mean));
  double square = 0.0;
  for (const double w : weights) square += w * w;
  for (std::size_t k = 0; k < points.size(); ++k)
    centred[static_cast<Index>(k)] =
        std::sqrt(weights[k / n] / (1.0 - square)) * (points[k] - mean[k % n]);
  numerics::lower_outer(1, ssize(mean), ssize(weights), columns_of(centred, ssize(mean)),
                        columns_of(centred, ssize(mean)), covariance.data());
  for (double& x : covariance.span()) x = -x;
  AlignedArray scratch(numerics::cholesky_scratch(ssize(mean)));
  numerics::cholesky(1, ssize(mean), columns_of(covariance, ssize(mean)), factor.data(),
                     scratch.data());
  for (const double x : factor.span())
    if (!std::isfinite(x)) return {};
  return factor;
}

class Matcher {
 public:
  Matcher(const MatchedDensity& density, const MatchOptions& options)
      : density_(density),
        options_(options),
        points_(density.points.begin(), density.points.end()),
        log_likelihood_(density.log_likelihood.begin(), density.log_likelihood.end()) {
    for (const double x : log_likelihood_) log_weights_.push_back(-x);
    pareto_k_ = smooth_weights(log_weights_, options_.r_eff);
  }

  // Each round begins with the simplest map.
  void match() {
    while (ssize(maps_) < options_.most_maps && !(pareto_k_ <= options_.k_limit)) {
      if (takes(shift())) continue;
      if (takes(shift_and_scale())) continue;
      const Index draws = ssize(log_weights_);
      if (draws >= kDrawsForCovariance * density_.dimension && takes(shift_and_rotate())) continue;
      break;
    }
  }

  MomentMatch result(RowFigures row) {
    if (maps_.empty()) return {row, 0};
    if (options_.mixes) take_mixture();
    const LogMean mean = of_weights();
    row.elpd_loo = mean.value, row.mcse = mean.mcse, row.pareto_k = pareto_k_;
    return {row, ssize(maps_)};
  }

 private:
  std::vector<double> weights() const {
    std::vector<double> weights;
    for (const double w : log_weights_) weights.push_back(numerics::exp(w));
    return weights;
  }
  std::vector<double> equal_weights() const {
    return std::vector<double>(log_weights_.size(), 1.0 / static_cast<double>(log_weights_.size()));
  }

  AffineMap shift() const {
    const WeightedMoments now(points_, density_.dimension, equal_weights()),
        wanted(points_, density_.dimension, weights());
    return {.from = now.mean,
            .to = wanted.mean,
            .scale = std::vector<double>(now.mean.size(), 1.0),
            .factor = {},
            .inverse_of = {}};
  }
  AffineMap shift_and_scale() const {
    AffineMap map = shift();
    const WeightedMoments now(points_, density_.dimension, equal_weights()),
        wanted(points_, density_.dimension, weights());
    for (std::size_t d = 0; d < map.scale.size(); ++d)
      map.scale[d] = std::sqrt(wanted.variance[d] / now.variance[d]);
    return map;
  }
  AffineMap shift_and_rotate() const {
    AffineMap map = shift();
    map.factor = covariance_factor(points_, map.to, weights());
    map.inverse_of = covariance_factor(points_, map.from, equal_weights());
    if (map.factor.size() == 0 || map.inverse_of.size() == 0) map.scale.clear();  // no map
    return map;
  }

  // True if the map gives better weights: then the points are moved.
  bool takes(AffineMap map) {
    const bool is_map = std::all_of(map.scale.begin(), map.scale.end(),
                                    [](double x) { return std::isfinite(x) && x > 0.0; });
    if (map.scale.empty() || !is_map) return false;
    MatchPoints moved = points_;
    map.apply(moved);
    std::vector<double> log_density(log_weights_.size()), log_likelihood(log_weights_.size());
    density_.at(moved, log_density, log_likelihood);
    std::vector<double> log_weights;
    for (std::size_t s = 0; s < log_density.size(); ++s)
      log_weights.push_back(ratio(log_density[s] - density_.log_density[s], log_likelihood[s]));
    if (!is_usable(log_weights)) return false;
    const double k = smooth_weights(log_weights, options_.r_eff);
    if (!(k < pareto_k_)) return false;
    points_ = std::move(moved), log_weights_ = std::move(log_weights), pareto_k_ = k;
    log_likelihood_ = std::move(log_likelihood);
    maps_.push_back(std::move(map));
    return true;
  }
  // The row's likelihood isn't known at a point that p refuses; it has no weight.
  static double ratio(double log_density_ratio, double log_likelihood) {
    const double ratio = log_density_ratio - log_likelihood;
    return std::isfinite(log_density_ratio) && !std::isnan(ratio) ? ratio : -kInfinity;
  }
  static bool is_usable(std::span<const double> log_weights) {
    return std::any_of(log_weights.begin(), log_weights.end(),
                       [](double w) { return std::isfinite(w); }) &&
           std::none_of(log_weights.begin(), log_weights.end(),
                        [](double w) { return w == kInfinity; });
  }

  // The first half of the draws moved, the second half as they are: draws of the mixture of p and of p moved by T, whose density
  // at x is (p(x) + p(T⁻¹ x) / |T|) / 2.
  void take_mixture() {
    const std::size_t count = log_weights_.size(), n = static_cast<std::size_t>(density_.dimension);
    const std::size_t half = count / 2;
    MatchPoints mixed = points_;
    std::copy(density_.points.begin() + static_cast<std::ptrdiff_t>(half * n),
              density_.points.end(), mixed.begin() + static_cast<std::ptrdiff_t>(half * n));
    MatchPoints back = mixed;
    double log_determinant = 0.0;
    for (auto map = maps_.rbegin(); map != maps_.rend(); ++map) {
      map->undo(back);
      log_determinant += map->log_determinant();
    }
    std::vector<double> here(count), there(count), unused(count);
    log_likelihood_.assign(count, 0.0);
    density_.at(mixed, here, log_likelihood_);
    density_.at(back, there, unused);
    for (std::size_t s = 0; s < count; ++s) {
      const double other = there[s] - log_determinant, larger = std::max(here[s], other);
      const double mixture = larger + std::log1p(std::exp(-std::abs(here[s] - other)));
      log_weights_[s] = ratio(here[s] - mixture, log_likelihood_[s]);
      if (log_weights_[s] == -kInfinity) log_likelihood_[s] = -kInfinity;
    }
    pareto_k_ = smooth_weights(log_weights_, options_.r_eff);
  }

  LogMean of_weights() const {
    return log_mean({log_likelihood_, ssize(log_likelihood_), 1}, log_weights_, options_.r_eff);
  }

  const MatchedDensity& density_;
  const MatchOptions& options_;
  MatchPoints points_;
  std::vector<double> log_likelihood_, log_weights_;
  double pareto_k_ = kNaN;
  std::vector<AffineMap> maps_;
};
}  // namespace

MomentMatch match_moments(const MatchedDensity& density, const RowFigures& row,
                          const MatchOptions& options) {
  Matcher matcher(density, options);
  matcher.match();
  return matcher.result(row);
}

}  // namespace credo::diagnose
