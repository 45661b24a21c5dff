#include "verdict/scouts.hpp"

#include "base/processors.hpp"
#include "base/tasks.hpp"
#include "infer/optimise/mode.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "verdict/stream.hpp"

namespace credo::verdict {
using numerics::SymmetricEigen;

namespace {
constexpr Index kMostScoutDimensions = 60;
constexpr std::array<double, 5> kRadii{2.0, 10.0, 50.0, 250.0, 1000.0};
constexpr std::uint64_t kScoutPairsEach = 2;  // pairs of scouts of each radius
constexpr int kMostStartTries = 10;           // for a point with a density
constexpr Index kFromDraws = 4;
constexpr Index kMostScoutSteps = 60;
// Evaluations left to others; one coordinate alone is integrated for a few hundred.
constexpr Index kReserve = 100, kReserveAlone = 600;
constexpr double kOutside = 2.0;         // spreads beyond the outermost draw
constexpr double kFarAway = 1e3;         // further away, a climb is running off
constexpr double kValley = 2.0;          // nats
constexpr double kLeastLogShare = -3.9;  // log(1 / 50)
constexpr int kPathPoints = 16;
// Shares of the draws' mass. A mode with all of it is the posterior, and draws beside it haven't arrived.
constexpr double kLeastInside = 0.1, kMostInside = 0.98;
constexpr double kScoutErrors = 5.0;
constexpr int kScoutPairs = 32;
constexpr Index kMostMeetingSteps = 1000;
constexpr double kMeet = 1e-2;  // relative to a coordinate's spread, or to its value; and in nats

struct Cloud {  // the draws
  std::vector<double> low, high, log_density;
  double log_mass = kNaN, highest = -kInfinity;
};

double log_det(const std::vector<double>& matrix, Index n) {
  double sum = 0.0;
  for (const double value : SymmetricEigen({n, n, matrix}).values)
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
                   log_det(covariance(probe), probe.dimension()) / 2.0;
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

// Called for different starts at the same time.
std::optional<infer::Mode> end_of_climb(const Case& at_hand, const infer::ModeOptions& options) {
  try {
    return infer::find_mode(*at_hand.evidence.model, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Counts what the climb took; nullopt if it found no mode.
std::optional<infer::Mode> converged(const Probe& probe, std::optional<infer::Mode> end) {
  if (end) probe.spend(end->num_evaluations);
  return end && end->converged ? std::move(end) : std::nullopt;
}

// The climbs from all starts, as many at the same time as there are processors. A search that stops early counts only
// the climbs up to there, so that the result is that of one climb after the other.
class Climbs {
 public:
  Climbs(const Case& at_hand, std::span<const std::vector<double>> starts,
         infer::ModeOptions options)
      : case_(at_hand), starts_(starts), options_(options) {}

  // For k = 0, 1, 2, ... in this order.
  std::optional<infer::Mode>& end(std::size_t k) {
    if (k >= ends_.size()) run_some();
    return ends_[k];
  }

 private:
  void run_some() {
    const std::size_t first = ends_.size(), most = static_cast<std::size_t>(num_processors());
    ends_.resize(std::min(starts_.size(), first + most));
    std::vector<std::function<void()>> tasks;
    for (std::size_t k = first; k < ends_.size(); ++k)
      tasks.emplace_back([this, k] {
        infer::ModeOptions options = options_;
        options.start = starts_[k];
        ends_[k] = end_of_climb(case_, options);
      });
    do_all(tasks);
  }

  const Case& case_;
  std::span<const std::vector<double>> starts_;
  infer::ModeOptions options_;
  std::vector<std::optional<infer::Mode>> ends_ = {};
};

// The normal distribution at a mode; empty if the point isn't a mode.
SymmetricEigen covariance_at(const Case& at_hand, const Probe& probe, const infer::Mode& mode) {
  try {
    const Index n = probe.dimension();
    probe.spend(2 * n);
    return SymmetricEigen({n, n, infer::inverse_hessian(*at_hand.evidence.model, mode.position)});
  } catch (const Error&) {
    return {};
  }
}

double log_mass_of(const infer::Mode& mode, const SymmetricEigen& covariance) {
  double sum = mode.log_density;
  for (const double value : covariance.values)
    sum += value > 0.0 ? std::log(value) / 2.0 : -kInfinity;
  return sum;
}

// The mean of weights p / q of the mode's normal distribution q, none counted above 1.
double mean_weight(const Probe& probe, const infer::Mode& mode, const SymmetricEigen& covariance) {
  const std::size_t n = covariance.size();
  Rng rng({.seed = 2, .purpose = kVerdictStream, .chain = 0, .iteration = 0});
  std::vector<std::vector<double>> points;
  std::vector<double> log_normal;
  for (int pair = 0; pair < kScoutPairs; ++pair) {
    std::vector<double> step(n, 0.0);
    double square = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const double z = rng.normal();
      square += z * z;
      for (std::size_t i = 0; i < n; ++i)
        step[i] += z * std::sqrt(covariance.values[k]) * covariance.vector(k)[i];
    }
    for (const double sign : {-1.0, 1.0}) {
      points.push_back(mode.position);
      for (std::size_t i = 0; i < n; ++i) points.back()[i] += sign * step[i];
      log_normal.push_back(mode.log_density - square / 2.0);
    }
  }
  const std::vector<double> log_density = probe.log_densities(points);
  double sum = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k)
    sum += std::exp(std::min(log_density[k] - log_normal[k], 0.0));
  return sum / static_cast<double>(points.size());
}

// The share of the draws in which the mode's normal distribution has almost all of its mass.
double share_near(const Probe& probe, const infer::Mode& mode, const SymmetricEigen& covariance) {
  const double n = static_cast<double>(covariance.size());
  const double furthest_square = n + 4.0 * std::sqrt(2.0 * n) + 4.0;
  double near = 0.0;
  for (Index m = 0; m < probe.num_points(); ++m) {
    double square = 0.0;
    for (std::size_t k = 0; k < covariance.size(); ++k) {
      double along = 0.0;
      for (std::size_t i = 0; i < covariance.size(); ++i)
        along += covariance.vector(k)[i] * (probe.point(m)[i] - mode.position[i]);
      square += along * along / covariance.values[k];
    }
    near += square < furthest_square ? 1.0 : 0.0;
  }
  return near / static_cast<double>(probe.num_points());
}

// How much too small the logarithm of a determinant of so few draws' covariance may be.
double log_det_error(const Probe& probe) {
  const double d = static_cast<double>(probe.dimension()),
               m = static_cast<double>(probe.num_points());
  return d * (d + 1.0) / (2.0 * m) + 3.0 * std::sqrt(2.0 * d / m);
}

std::optional<OtherMode> judged_inside(const Probe& probe, const Cloud& cloud,
                                       const infer::Mode& mode, const SymmetricEigen& covariance) {
  const double log_share = log_mass_of(mode, covariance) +
                           std::log(mean_weight(probe, mode, covariance)) - cloud.log_mass -
                           log_det_error(probe) / 2.0;
  const double mass = 1.0 / (1.0 + std::exp(-log_share));
  if (!(mass > kLeastInside) || mass > kMostInside) return std::nullopt;
  const double near = share_near(probe, mode, covariance);
  const double error = std::sqrt(mass * (1.0 - mass) / static_cast<double>(probe.num_points()));
  if (!(mass - near > kScoutErrors * std::max(error, 0.01))) return std::nullopt;
  return OtherMode{
      .output = {}, .value = kNaN, .log_share = log_share, .is_inside = true, .draws_near = near};
}

std::optional<OtherMode> judged(const Case& at_hand, const Probe& probe, const Cloud& cloud,
                                const infer::Mode& mode) {
  const std::size_t d = furthest(probe, cloud, mode.position);
  const double distance = beyond(probe, cloud, mode.position, d);
  if (distance > kFarAway) return std::nullopt;
  const SymmetricEigen covariance = covariance_at(at_hand, probe, mode);
  if (covariance.size() == 0 || !(covariance.values.front() > 0.0)) return std::nullopt;
  std::optional<OtherMode> other;
  if (distance < kOutside) {
    other = judged_inside(probe, cloud, mode, covariance);
  } else {
    const double high = cloud.highest + 20.0 + 5.0 * static_cast<double>(probe.dimension());
    const double log_share = log_mass_of(mode, covariance) - cloud.log_mass;
    if (mode.log_density < high && log_share > kLeastLogShare && has_valley(probe, cloud, mode))
      other = OtherMode{.output = {}, .value = kNaN, .log_share = log_share};
  }
  if (!other) return std::nullopt;
  other->output = probe.names()[d];
  other->value = mode.position[d];
  try {
    for (const Column& column : at_hand.columns)
      if (column.name == other->output)
        other->value = parameter_at(at_hand.evidence, mode.position, column.index);
  } catch (const Error&) {
    // Its outputs are refused there: the unconstrained value is reported.
  }
  return other;
}

// A point with a density, within the radius of the origin in each unconstrained value, if one is soon found.
std::optional<std::vector<double>> scout(const Probe& probe, double radius, std::uint64_t seed) {
  std::vector<double> start(static_cast<std::size_t>(probe.dimension()));
  Rng rng({.seed = seed, .purpose = kVerdictStream, .chain = 0, .iteration = 0});
  for (int attempt = 0; attempt < kMostStartTries; ++attempt) {
    for (double& value : start) value = rng.uniform(-radius, radius);
    if (std::isfinite(probe.log_density(start))) return start;
  }
  return std::nullopt;
}

// Initial points of the climbs: around the origin of the unconstrained values, at growing distances, and at draws. Each random
// point comes with its mirror image, so that chance leaves neither side of a valley out.
std::vector<std::vector<double>> starts_of_climbs(const Probe& probe) {
  std::vector<std::vector<double>> all;
  for (std::uint64_t pair = 0; pair < kScoutPairsEach * kRadii.size(); ++pair) {
    const auto start = scout(probe, kRadii[pair % kRadii.size()], 1000 + pair);
    if (!start) continue;
    all.push_back(*start);
    for (double& value : all.emplace_back(*start)) value = -value;
  }
  for (Index k = 0; k < kFromDraws; ++k)
    all.push_back(probe.point((2 * k + 1) * probe.num_points() / (2 * kFromDraws)));
  return all;
}

Index draw_next_to(const Case& at_hand, const Probe& probe, Index column, double value) {
  const Variable& variable = at_hand.variable_of(column);
  Index best = 0;
  double least = kInfinity;
  for (Index m = 0; m < probe.num_points(); ++m) {
    std::vector<double> row = probe.row(m);
    const double here =
        probe.values_in(row, variable.name)[static_cast<std::size_t>(column - variable.first)];
    if (std::fabs(here - value) < least) least = std::fabs(here - value), best = m;
  }
  return best;
}
}  // namespace

ModeSearch search_modes(const Case& at_hand) {
  ModeSearch search;
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || probe->dimension() > kMostScoutDimensions ||
      probe->num_points() < 2 * probe->dimension() ||
      probe->budget() < probe->num_points() + 2 * kReserve)
    return search;
  const Index reserve = probe->dimension() == 1 ? kReserveAlone : kReserve;
  const Cloud cloud = cloud_of(*probe);
  if (!std::isfinite(cloud.log_mass)) return search;
  const std::vector<std::vector<double>> starts = starts_of_climbs(*probe);
  Climbs climbs(at_hand, starts, {.max_iterations = kMostScoutSteps, .tolerance = 1e-6});
  for (std::size_t k = 0; k < starts.size(); ++k) {
    if (search.found || probe->budget() < reserve) break;
    const auto mode = converged(*probe, std::move(climbs.end(k)));
    ++search.num_climbs;
    if (mode) search.found = judged(at_hand, *probe, cloud, *mode);
  }
  return search;
}

bool climbs_meet(const Case& at_hand, Index column, std::span<const double> values) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || probe->budget() < kReserve) return false;
  std::vector<std::vector<double>> starts;
  for (const double value : values)
    starts.push_back(probe->point(draw_next_to(at_hand, *probe, column, value)));
  Climbs climbs(at_hand, starts, {.max_iterations = kMostMeetingSteps, .tolerance = 1e-7});
  std::vector<infer::Mode> modes;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const auto mode = converged(*probe, std::move(climbs.end(k)));
    if (!mode) return false;
    modes.push_back(*mode);
  }
  const auto is_there = [&](const infer::Mode& mode) {
    for (Index d = 0; d < probe->dimension(); ++d) {
      const auto k = static_cast<std::size_t>(d);
      const double apart = std::fabs(mode.position[k] - modes.front().position[k]);
      if (!(apart <= kMeet * (probe->scale(d) + std::fabs(mode.position[k])))) return false;
    }
    return std::fabs(mode.log_density - modes.front().log_density) < kMeet;
  };
  return std::all_of(modes.begin(), modes.end(), is_there);
}

}  // namespace credo::verdict
