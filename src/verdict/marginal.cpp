#include "verdict/marginal.hpp"

#include "base/rng.hpp"
#include "diagnose/chains.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "verdict/stream.hpp"

namespace credo::verdict {
using numerics::SymmetricEigen;

namespace {
constexpr std::size_t kGrid = 17;
constexpr std::size_t kMostValues = 65, kMostValuesAlone = 513;
constexpr double kAgree =
    0.005;                   // largest difference of the mass on a grid and on one twice as fine
constexpr Index kHills = 6;  // draws at which the conditional distribution is examined
constexpr std::size_t kNeighbours = 5;  // neighbours of each draw, with itself
constexpr double kBeyond = 2.0;         // spreads beyond the outermost draws
constexpr double kNegligible =
    12.0;                          // nats below the highest density, where a distribution may end
constexpr int kMostBeyond = 16;    // steps further than that on either side
constexpr int kMostSteps = 25;     // of Newton's method
constexpr double kFlat = 1e-4;     // nats that a step may still gain
constexpr double kStep = 1e-3;     // of differences, in conditional standard deviations
constexpr std::size_t kPairs = 8;  // of importance draws of each width, x and its mirror image
constexpr std::array<double, 3> kWidths{1.0, 3.0, 12.0};  // widths of their normal distributions
constexpr double kReliable = 0.15;                        // relative error of an average of weights
constexpr double kMostCorrection = 0.7;                   // nats
constexpr double kSamePlace = 1.0;  // nats of a normal distribution between two climbs' ends
constexpr std::size_t kFewest = 7;  // values that make a distribution

// The conditional distribution of the other coordinates at one value of the first.
struct Conditional {
  std::vector<double> point;  // with the largest density
  double log_density = -kInfinity;
  SymmetricEigen curvature = {};  // curvature of -log p in the others; values above 0
  bool is_found = false;
};

class Section {
 public:
  Section(const Probe& probe, Index coordinate) : probe_(probe) {
    for (Index d = 0; d < probe.dimension(); ++d) {
      if (d == coordinate) continue;
      others_.push_back(static_cast<std::size_t>(d));
      width_.push_back(std::max(probe.scale(d), 1e-12));
    }
  }

  Conditional climb(std::vector<double> start);
  // log m at a conditional distribution; NaN where it isn't reliable.
  double log_marginal(const Conditional& distribution) const;
  std::vector<double> variances(const Conditional& distribution) const;
  // Squared distance of a point from the centre of the distribution, over 2.
  double distance(const Conditional& distribution, std::span<const double> point) const;

 private:
  double correction_of(const Conditional& distribution) const;
  bool measure_curvature(Conditional& distribution);
  bool step_up(Conditional& distribution, std::span<const double> gradient, double& gain);

  const Probe& probe_;
  std::vector<std::size_t> others_;
  std::vector<double> width_;  // conditional standard deviations, as far as they are known
};

// Central differences of gradients; eigenvalues are taken by size, so that a step always leads up.
bool Section::measure_curvature(Conditional& distribution) {
  const std::size_t n = others_.size();
  std::vector<std::vector<double>> at;
  for (std::size_t i = 0; i < n; ++i)
    for (const double sign : {-1.0, 1.0}) {
      at.push_back(distribution.point);
      at.back()[others_[i]] += sign * kStep * width_[i];
    }
  const std::vector<std::vector<double>> gradients = probe_.gradients(at);
  std::vector<double> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (gradients[2 * i].empty() || gradients[2 * i + 1].empty()) return false;
      const double slope = (gradients[2 * i][others_[j]] - gradients[2 * i + 1][others_[j]]) /
                           (at[2 * i + 1][others_[i]] - at[2 * i][others_[i]]);
      matrix[i * n + j] += slope / 2.0;
      matrix[j * n + i] += slope / 2.0;
    }
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(matrix[i * n + i])) return false;
    if (matrix[i * n + i] > 0.0) width_[i] = 1.0 / std::sqrt(matrix[i * n + i]);
  }
  distribution.curvature =
      SymmetricEigen({static_cast<Index>(n), static_cast<Index>(n), std::move(matrix)});
  distribution.is_found = n == 0 || distribution.curvature.values.front() >
                                        1e-10 * distribution.curvature.values.back();
  for (double& value : distribution.curvature.values)
    value = std::max(std::fabs(value),
                     1e-10 * std::fabs(distribution.curvature.values.back()) + 1e-300);
  return true;
}

// One step of Newton's method, halved until the density rises; the predicted gain.
bool Section::step_up(Conditional& distribution, std::span<const double> gradient, double& gain) {
  constexpr double kSmallest = 1e-6;
  const std::size_t n = others_.size();
  std::vector<double> step(n, 0.0);
  gain = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    double along = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      along += distribution.curvature.vector(k)[i] * gradient[others_[i]];
    gain += along * along / distribution.curvature.values[k] / 2.0;
    for (std::size_t i = 0; i < n; ++i)
      step[i] += distribution.curvature.vector(k)[i] * along / distribution.curvature.values[k];
  }
  for (double length = 1.0; length > kSmallest; length /= 2.0) {
    std::vector<double> there = distribution.point;
    for (std::size_t i = 0; i < n; ++i) there[others_[i]] += length * step[i];
    const double log_density = probe_.log_density(there);
    if (!(log_density > distribution.log_density)) continue;
    distribution.point = std::move(there);
    distribution.log_density = log_density;
    return true;
  }
  return false;
}

Conditional Section::climb(std::vector<double> start) {
  Conditional distribution{.point = std::move(start)};
  distribution.log_density = probe_.log_density(distribution.point);
  if (others_.empty()) distribution.is_found = true;
  if (others_.empty() || !std::isfinite(distribution.log_density)) return distribution;
  for (int k = 0; k < kMostSteps; ++k) {
    const std::vector<double> gradient = probe_.gradient(distribution.point);
    if (gradient.empty() || !measure_curvature(distribution)) break;
    double gain = 0.0;
    const bool is_up = step_up(distribution, gradient, gain);
    if (gain < kFlat) return distribution;
    if (!is_up) break;
  }
  distribution.is_found = false;
  return distribution;
}

double Section::log_marginal(const Conditional& distribution) const {
  if (!distribution.is_found || !std::isfinite(distribution.log_density)) return kNaN;
  const std::size_t n = others_.size();
  double log_volume = 0.0;
  for (const double value : distribution.curvature.values) log_volume -= std::log(value) / 2.0;
  if (n == 0) return distribution.log_density;
  const double correction = correction_of(distribution);
  if (std::isnan(correction)) return kNaN;
  return distribution.log_density + log_volume + correction;
}

// log E_q[p / q] of a mixture q of normal distributions of several widths, so that mass around a narrow peak
// isn't overlooked; equally many draws of each, in pairs of mirror images, the same ones each time.
double Section::correction_of(const Conditional& distribution) const {
  const std::size_t n = others_.size();
  const double dimension = static_cast<double>(n);
  Rng rng({.seed = 1, .purpose = kVerdictStream, .chain = 0, .iteration = 0});
  std::vector<std::vector<double>> at;
  std::vector<double> log_mixture;
  for (const double width : kWidths)
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      std::vector<double> z(n);
      double square = 0.0;
      for (double& value : z) value = width * rng.normal(), square += value * value;
      double mixture = 0.0;
      for (const double other : kWidths)
        mixture += std::exp(-square / 2.0 / (other * other) - dimension * std::log(other)) /
                   static_cast<double>(kWidths.size());
      for (const double sign : {-1.0, 1.0}) {
        at.push_back(distribution.point);
        for (std::size_t k = 0; k < n; ++k)
          for (std::size_t i = 0; i < n; ++i)
            at.back()[others_[i]] += sign * z[k] / std::sqrt(distribution.curvature.values[k]) *
                                     distribution.curvature.vector(k)[i];
        log_mixture.push_back(std::log(mixture));
      }
    }
  const std::vector<double> log_density = probe_.log_densities(at);
  double mean = 0.0, variance = 0.0;
  for (std::size_t w = 0; w < kWidths.size(); ++w) {
    std::vector<double> pairs;
    for (std::size_t k = 2 * w * kPairs; k < 2 * (w + 1) * kPairs; k += 2)
      pairs.push_back(
          (std::exp(log_density[k] - distribution.log_density - log_mixture[k]) +
           std::exp(log_density[k + 1] - distribution.log_density - log_mixture[k + 1])) /
          2.0);
    mean += diagnose::mean(pairs) / static_cast<double>(kWidths.size());
    variance += diagnose::variance(pairs) / static_cast<double>(pairs.size()) /
                static_cast<double>(kWidths.size() * kWidths.size());
  }
  const bool is_reliable = std::sqrt(variance) < kReliable * mean;
  return is_reliable && std::fabs(std::log(mean)) < kMostCorrection ? std::log(mean) : kNaN;
}

double Section::distance(const Conditional& distribution, std::span<const double> point) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < others_.size(); ++k) {
    double along = 0.0;
    for (std::size_t i = 0; i < others_.size(); ++i)
      along += distribution.curvature.vector(k)[i] *
               (point[others_[i]] - distribution.point[others_[i]]);
    sum += along * along * distribution.curvature.values[k] / 2.0;
  }
  return sum;
}

std::vector<double> Section::variances(const Conditional& distribution) const {
  std::vector<double> all(others_.size() + 1, 0.0);
  for (std::size_t k = 0; k < others_.size(); ++k)
    for (std::size_t i = 0; i < others_.size(); ++i)
      all[others_[i]] += distribution.curvature.vector(k)[i] * distribution.curvature.vector(k)[i] /
                         distribution.curvature.values[k];
  return all;
}

// Draws by their distance from a value of the coordinate.
std::vector<Index> nearest(const Probe& probe, std::size_t d, double u) {
  std::vector<Index> order(static_cast<std::size_t>(probe.num_points()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::fabs(probe.point(a)[d] - u) < std::fabs(probe.point(b)[d] - u);
  });
  return order;
}

std::vector<double> with(std::vector<double> point, std::size_t d, double u) {
  point[d] = u;
  return point;
}

// True if the distribution of the others given this one is one hill that the draws are on: at some draws, a
// climb ends in one place from the draw and from its neighbours in the coordinate, unless these are
// near that place already; and the draws themselves are.
bool is_one_hill(Section& section, const Probe& probe, std::size_t d) {
  const Index step = std::max<Index>(1, probe.num_points() / kHills);
  const double n = static_cast<double>(probe.dimension() - 1);
  const double furthest = (n + 4.0 * std::sqrt(2.0 * n) + 8.0) / 2.0;
  const double near = (n + 2.0 * std::sqrt(2.0 * n)) / 2.0;
  Index num_far = 0;
  for (Index m = step / 2; m < probe.num_points() && n > 0.0; m += step) {
    const double u = probe.point(m)[d];
    const Conditional distribution = section.climb(probe.point(m));
    if (!distribution.is_found) return false;
    num_far += section.distance(distribution, probe.point(m)) > furthest ? 1 : 0;
    const std::vector<Index> order = nearest(probe, d, u);
    for (std::size_t k = 1; k < std::min(kNeighbours, order.size()); ++k) {
      const std::vector<double> start = with(probe.point(order[k]), d, u);
      if (section.distance(distribution, start) < near) continue;
      const Conditional other = section.climb(start);
      if (!other.is_found || section.distance(distribution, other.point) > kSamePlace) return false;
    }
  }
  return num_far <= 1;
}

// The integral up to each of equally spaced values, by cubics through four of them.
std::vector<double> cumulative(std::span<const double> f) {
  const auto at = [&](std::size_t k) { return f[std::min(k, f.size() - 1)]; };
  std::vector<double> sum{0.0};
  for (std::size_t k = 0; k + 1 < f.size(); ++k) {
    const double before = k == 0 ? f[0] : f[k - 1];
    const double cubic = (13.0 * (f[k] + f[k + 1]) - before - at(k + 2)) / 24.0;
    sum.push_back(sum.back() + std::max(cubic, 0.0));
  }
  for (double& value : sum) value /= sum.back();
  return sum;
}

std::vector<double> grid_of(const Probe& probe, std::size_t d) {
  double low = kInfinity, high = -kInfinity;
  for (Index m = 0; m < probe.num_points(); ++m) {
    low = std::min(low, probe.point(m)[d]);
    high = std::max(high, probe.point(m)[d]);
  }
  const double spread = probe.scale(static_cast<Index>(d));
  low -= kBeyond * spread, high += kBeyond * spread;
  std::vector<double> grid(kGrid);
  for (std::size_t k = 0; k < kGrid; ++k)
    grid[k] = low + (high - low) * static_cast<double>(k) / (kGrid - 1.0);
  return grid;
}

// The density of the coordinate over a grid, from the middle outwards: each climb begins where the
// last one ended.
struct Scan {
  std::vector<double> grid, log_density;
  std::vector<Conditional> distributions;
};

// Draws that miss a region end before it, and two spreads may not lead through it: on to where the
// density is negligible, as far as it is known.
void go_on(Section& section, std::size_t d, Scan& scan) {
  const double step = scan.grid[1] - scan.grid[0];
  const auto is_open = [&](double value) {
    const double highest =
        std::accumulate(scan.log_density.begin(), scan.log_density.end(), -kInfinity,
                        [](double a, double b) { return std::isnan(b) ? a : std::max(a, b); });
    return value > highest - kNegligible;
  };
  for (int k = 0; k < kMostBeyond && is_open(scan.log_density.front()); ++k) {
    const double u = scan.grid.front() - step;
    scan.distributions.insert(scan.distributions.begin(),
                              section.climb(with(scan.distributions.front().point, d, u)));
    scan.grid.insert(scan.grid.begin(), u);
    scan.log_density.insert(scan.log_density.begin(),
                            section.log_marginal(scan.distributions.front()));
  }
  for (int k = 0; k < kMostBeyond && is_open(scan.log_density.back()); ++k) {
    scan.grid.push_back(scan.grid.back() + step);
    scan.distributions.push_back(
        section.climb(with(scan.distributions.back().point, d, scan.grid.back())));
    scan.log_density.push_back(section.log_marginal(scan.distributions.back()));
  }
}

Scan first_scan(Section& section, const Probe& probe, std::size_t d) {
  Scan scan{.grid = grid_of(probe, d), .log_density = {}, .distributions = {}};
  scan.distributions.resize(kGrid);
  constexpr std::size_t kMiddle = kGrid / 2;
  const double u = scan.grid[kMiddle];
  scan.distributions[kMiddle] = section.climb(with(probe.point(nearest(probe, d, u)[0]), d, u));
  for (std::size_t k = kMiddle; k-- > 0;)
    scan.distributions[k] = section.climb(with(scan.distributions[k + 1].point, d, scan.grid[k]));
  for (std::size_t k = kMiddle + 1; k < kGrid; ++k)
    scan.distributions[k] = section.climb(with(scan.distributions[k - 1].point, d, scan.grid[k]));
  for (const Conditional& distribution : scan.distributions)
    scan.log_density.push_back(section.log_marginal(distribution));
  go_on(section, d, scan);
  return scan;
}

// With a value in the middle of each two.
Scan refined(Section& section, std::size_t d, const Scan& scan) {
  Scan finer;
  for (std::size_t k = 0; k < scan.grid.size(); ++k) {
    if (k > 0) {
      const double u = (scan.grid[k - 1] + scan.grid[k]) / 2.0;
      finer.grid.push_back(u);
      finer.distributions.push_back(section.climb(with(scan.distributions[k].point, d, u)));
      finer.log_density.push_back(section.log_marginal(finer.distributions.back()));
    }
    finer.grid.push_back(scan.grid[k]);
    finer.distributions.push_back(scan.distributions[k]);
    finer.log_density.push_back(scan.log_density[k]);
  }
  return finer;
}

// The values around the middle at which the density is known, without a gap.
std::pair<std::size_t, std::size_t> known_range(std::span<const double> values) {
  std::size_t first = values.size() / 2, last = values.size() / 2;
  while (first > 0 && !std::isnan(values[first - 1])) --first;
  while (last + 1 < values.size() && !std::isnan(values[last + 1])) ++last;
  return {first, last + 1};
}

std::optional<Marginal> distribution_of(const Section& section, const Scan& scan) {
  const auto [first, last] = known_range(scan.log_density);
  if (last - first < kFewest) return std::nullopt;
  const auto values = std::span(scan.log_density).subspan(first, last - first);
  const double highest = *std::max_element(values.begin(), values.end());
  Marginal marginal;
  std::vector<double> density;
  for (std::size_t k = first; k < last; ++k) {
    marginal.grid.push_back(scan.grid[k]);
    marginal.points.push_back(scan.distributions[k].point);
    marginal.variances.push_back(section.variances(scan.distributions[k]));
    density.push_back(std::exp(scan.log_density[k] - highest));
  }
  marginal.mass = cumulative(density);
  const double sum = std::accumulate(density.begin(), density.end(), 0.0);
  for (const double value : density) marginal.weight.push_back(value / sum);
  return marginal;
}

// The largest difference of the mass below the coarse grid's values. The fine one has them too,
// but may end before them, where its distribution isn't known.
double difference(const Marginal& coarse, const Marginal& fine) {
  double largest = 0.0;
  std::size_t k = 0;
  for (std::size_t j = 0; j < coarse.grid.size(); ++j) {
    while (k < fine.grid.size() && fine.grid[k] < coarse.grid[j]) ++k;
    const double mass = k == fine.grid.size()           ? 1.0
                        : fine.grid[k] > coarse.grid[j] ? 0.0
                                                        : fine.mass[k];
    largest = std::max(largest, std::fabs(mass - coarse.mass[j]));
  }
  return largest;
}
}  // namespace

std::optional<Marginal> marginal_of(const Probe& probe, Index coordinate) {
  const auto d = static_cast<std::size_t>(coordinate);
  if (!(probe.scale(coordinate) > 0.0)) return std::nullopt;
  Section section(probe, coordinate);
  if (!is_one_hill(section, probe, d)) return std::nullopt;
  Scan scan = first_scan(section, probe, d);
  std::optional<Marginal> coarse = distribution_of(section, scan);
  const std::size_t most = probe.dimension() == 1 ? kMostValuesAlone : kMostValues;
  while (coarse && scan.grid.size() < most && probe.budget() > 0) {
    scan = refined(section, d, scan);
    std::optional<Marginal> fine = distribution_of(section, scan);
    if (fine && difference(*coarse, *fine) < kAgree) return fine;
    coarse = std::move(fine);
  }
  return std::nullopt;
}

}  // namespace credo::verdict
