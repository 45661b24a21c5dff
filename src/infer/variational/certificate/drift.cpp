#include "infer/variational/certificate/drift.hpp"

#include "infer/core/sample.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostDenseDrift = 100;  // coordinates with a dense metric
using DriftPoints = std::span<const std::vector<double>>;

// A dense metric where the points know one, else a diagonal one.
void set_metric(SampleOptions& options, NutsOptions& nuts, const PointMoments& moments,
                std::size_t num_points) {
  const std::size_t n = moments.mean.size();
  Metric metric(MetricKind::dense, static_cast<Index>(n));
  const bool is_known = n > 1 && static_cast<Index>(n) <= kMostDenseDrift && num_points >= 5 * n;
  if (is_known && metric.set_inverse(moments.covariance)) {
    options.inv_metric = moments.covariance;
    nuts.metric = MetricKind::dense;
    return;
  }
  for (std::size_t d = 0; d < n; ++d) {
    const double variance = moments.covariance[d * n + d];
    options.inv_metric.push_back(variance > 0.0 ? variance : 1.0);
  }
}

SampleOptions options_of_drift(DriftPoints points, const PointMoments& moments) {
  NutsOptions nuts{.step_size = 0.5 * std::pow(static_cast<double>(moments.mean.size()), -0.25),
                   .max_tree_depth = 6};
  SampleOptions options{.num_warmup = 0, .num_draws = kDriftTransitions, .seed = 20'220'201};
  set_metric(options, nuts, moments, points.size());
  options.kernel = nuts;
  const Index count = std::min(kDriftDraws, ssize(points));
  for (Index k = 0; k < count; ++k)  // evenly over them
    options.init.push_back(points[static_cast<std::size_t>(k * ssize(points) / count)]);
  options.num_chains = count;
  return options;
}

struct MeanWithError {
  double mean = 0.0, error = 0.0;
};
MeanWithError mean_with_error(std::span<const double> values) {
  const double n = static_cast<double>(values.size());
  double sum = 0.0, squares = 0.0;
  for (const double v : values) sum += v;
  for (const double v : values) squares += (v - sum / n) * (v - sum / n);
  return {sum / n, std::sqrt(squares / (n - 1.0) / n)};
}

// Changes of one coordinate, of the value and of half its square, in standard deviations of the points.
void take_clearer(Drift& clearest, Index coordinate, std::span<const double> before,
                  std::span<const double> after) {
  std::vector<double> shift, growth;
  for (std::size_t k = 0; k < before.size(); ++k) {
    shift.push_back(after[k] - before[k]);
    growth.push_back(0.5 * (after[k] * after[k] - before[k] * before[k]));
  }
  for (const bool of_spread : {false, true}) {
    const MeanWithError found = mean_with_error(of_spread ? growth : shift);
    const Drift drift{coordinate, of_spread, found.mean, found.error};
    if (clearest.coordinate < 0 || drift.clear() > clearest.clear()) clearest = drift;
  }
}
}  // namespace

PointMoments moments_of(DriftPoints points) {
  const std::size_t n = points.front().size();
  const double count = static_cast<double>(points.size());
  PointMoments moments{std::vector<double>(n, 0.0), std::vector<double>(n * n, 0.0)};
  for (const auto& point : points)
    for (std::size_t d = 0; d < n; ++d) moments.mean[d] += point[d] / count;
  for (const auto& point : points)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        moments.covariance[i * n + j] +=
            (point[i] - moments.mean[i]) * (point[j] - moments.mean[j]) / (count - 1.0);
  return moments;
}

double clearness(double drift, double error) {
  return error > 0.0 ? std::fabs(drift) * std::min(1.0 / kFarDrift, 1.0 / (kClearErrors * error))
                     : 0.0;
}

Drift clearest_drift(const density::LogDensity& density, DriftPoints points) {
  const PointMoments moments = moments_of(points);
  const SampleOptions options = options_of_drift(points, moments);
  StoredDraws moved;
  run_chains(density, options, moved);
  Drift clearest;
  const std::size_t n = moments.mean.size();
  for (std::size_t d = 0; d < n; ++d) {
    const double sd = std::sqrt(moments.covariance[d * n + d]);
    if (!(sd > 0.0)) continue;
    std::vector<double> before, after;
    for (Index c = 0; c < options.num_chains; ++c) {
      before.push_back((options.init[static_cast<std::size_t>(c)][d] - moments.mean[d]) / sd);
      after.push_back(
          (moved.draws(kDriftTransitions - 1, c, static_cast<Index>(d)) - moments.mean[d]) / sd);
    }
    take_clearer(clearest, static_cast<Index>(d), before, after);
  }
  return clearest;
}

}  // namespace credo::infer
