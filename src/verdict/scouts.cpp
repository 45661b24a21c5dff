#include "verdict/scouts.hpp"

#include "infer/mode.hpp"
#include "verdict/symmetric_eigen.hpp"

namespace credo::verdict {
namespace {
constexpr Index kMostDimensions = 30;
constexpr std::uint64_t kScouts = 12;
constexpr Index kMostSteps = 60;
constexpr Index kReserve = 100;          // evaluations left to others
constexpr double kOutside = 2.0;         // spreads beyond the outermost draw
constexpr double kFar = 1e3;             // further away, a climb is running off
constexpr double kValley = 2.0;          // nats
constexpr double kLeastLogShare = -3.9;  // log(1 / 50)
constexpr int kPathPoints = 16;

struct Cloud {  // the draws
  std::vector<double> low, high, log_density;
  double log_mass = kNaN, highest = -kInfinity;
};

double log_det(const std::vector<double>& matrix, std::size_t n) {
  double sum = 0.0;
  for (const double value : symmetric_eigen(matrix, n).values)
    sum += value > 0.0 ? std::log(value) : -kInfinity;
  return sum;
}

std::vector<double> covariance(const Probe& probe) {
  const auto n = static_cast<std::size_t>(probe.dimension());
  const double m = static_cast<double>(probe.num_points());
  std::vector<double> mean(n, 0.0), matrix(n * n, 0.0);
  for (Index k = 0; k < probe.num_points(); ++k)
    for (std::size_t d = 0; d < n; ++d) mean[d] += probe.point(k)[d] / m;
  for (Index k = 0; k < probe.num_points(); ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        matrix[i * n + j] +=
            (probe.point(k)[i] - mean[i]) * (probe.point(k)[j] - mean[j]) / (m - 1.0);
  return matrix;
}

Cloud cloud_of(const Probe& probe) {
  Cloud cloud{.low = probe.point(0), .high = probe.point(0), .log_density = {}};
  double sum = 0.0;
  for (Index k = 0; k < probe.num_points(); ++k) {
    for (std::size_t d = 0; d < cloud.low.size(); ++d) {
      cloud.low[d] = std::min(cloud.low[d], probe.point(k)[d]);
      cloud.high[d] = std::max(cloud.high[d], probe.point(k)[d]);
    }
    cloud.log_density.push_back(probe.log_density(probe.point(k)));
    cloud.highest = std::max(cloud.highest, cloud.log_density.back());
    sum += cloud.log_density.back();
  }
  const double d = static_cast<double>(probe.dimension());
  cloud.log_mass = sum / static_cast<double>(probe.num_points()) + d / 2.0 +
                   log_det(covariance(probe), static_cast<std::size_t>(probe.dimension())) / 2.0;
  return cloud;
}

// Spreads beyond the draws' range, by coordinate.
double beyond(const Probe& probe, const Cloud& cloud, std::span<const double> x, std::size_t d) {
  const double outside = std::max(cloud.low[d] - x[d], x[d] - cloud.high[d]);
  return outside / std::max(probe.scale(static_cast<Index>(d)), 1e-12);
}

std::size_t furthest(const Probe& probe, const Cloud& cloud, std::span<const double> x) {
  std::size_t best = 0;
  for (std::size_t d = 1; d < x.size(); ++d)
    if (beyond(probe, cloud, x, d) > beyond(probe, cloud, x, best)) best = d;
  return best;
}

Index nearest_draw(const Probe& probe, std::span<const double> x) {
  Index best = 0;
  double least = kInfinity;
  for (Index m = 0; m < probe.num_points(); ++m) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      const double step =
          (probe.point(m)[d] - x[d]) / std::max(probe.scale(static_cast<Index>(d)), 1e-12);
      sum += step * step;
    }
    if (sum < least) least = sum, best = m;
  }
  return best;
}

bool has_valley(const Probe& probe, const Cloud& cloud, const infer::Mode& mode) {
  const Index m = nearest_draw(probe, mode.position);
  const double lower = std::min(mode.log_density, cloud.log_density[static_cast<std::size_t>(m)]);
  std::vector<double> between(mode.position);
  for (int k = 1; k < kPathPoints; ++k) {
    const double t = static_cast<double>(k) / kPathPoints;
    for (std::size_t d = 0; d < between.size(); ++d)
      between[d] = (1.0 - t) * mode.position[d] + t * probe.point(m)[d];
    if (probe.log_density(between) < lower - kValley) return true;
  }
  return false;
}

std::optional<infer::Mode> climb(const Case& at_hand, const Probe& probe, std::uint64_t scout) {
  try {
    infer::Mode mode =
        infer::find_mode(*at_hand.evidence.model, {.max_iterations = kMostSteps,
                                                   .tolerance = 1e-6,
                                                   .init_radius = scout % 2 == 0 ? 2.0 : 10.0,
                                                   .seed = 1000 + scout});
    probe.spend(mode.num_evaluations);
    return mode.converged ? std::optional(std::move(mode)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// NaN where the mode is none.
double log_mass_of(const Case& at_hand, const Probe& probe, const infer::Mode& mode) {
  try {
    const auto n = static_cast<std::size_t>(probe.dimension());
    probe.spend(2 * probe.dimension());
    return mode.log_density +
           log_det(infer::inverse_hessian(*at_hand.evidence.model, mode.position), n) / 2.0;
  } catch (const Error&) {
    return kNaN;
  }
}

std::optional<OtherMode> judged(const Case& at_hand, const Probe& probe, const Cloud& cloud,
                                const infer::Mode& mode) {
  const std::size_t d = furthest(probe, cloud, mode.position);
  const double distance = beyond(probe, cloud, mode.position, d);
  const double high = cloud.highest + 20.0 + 5.0 * static_cast<double>(probe.dimension());
  if (distance < kOutside || distance > kFar || mode.log_density > high) return std::nullopt;
  const double log_share = log_mass_of(at_hand, probe, mode) - cloud.log_mass;
  if (!(log_share > kLeastLogShare) || !has_valley(probe, cloud, mode)) return std::nullopt;
  OtherMode other{.output = probe.names()[d], .value = mode.position[d], .log_share = log_share};
  Rng rng({.seed = 1, .purpose = 0, .chain = 0, .iteration = 0});
  const std::vector<double> outputs = at_hand.evidence.model->write(mode.position, rng);
  for (const Column& column : at_hand.columns)
    if (column.name == other.output) other.value = outputs[static_cast<std::size_t>(column.index)];
  return other;
}
}  // namespace

std::optional<OtherMode> find_other_mode(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || probe->dimension() > kMostDimensions ||
      probe->num_points() < 2 * probe->dimension() ||
      probe->budget() < probe->num_points() + 2 * kReserve)
    return std::nullopt;
  const Cloud cloud = cloud_of(*probe);
  if (!std::isfinite(cloud.log_mass)) return std::nullopt;
  for (std::uint64_t scout = 0; scout < kScouts && probe->budget() > kReserve; ++scout) {
    const auto mode = climb(at_hand, *probe, scout);
    if (!mode) continue;
    if (auto other = judged(at_hand, *probe, cloud, *mode)) return other;
  }
  return std::nullopt;
}

}  // namespace credo::verdict
