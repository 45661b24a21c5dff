// Estimates from rows of numbers. Distances are compared row by row: N^2 of them.
#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stream.hpp"
#include "models/information/dependence.hpp"
#include "numerics/special.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kParts = stream("information.parts");
constexpr Index kLeastRows = 20;

std::vector<double> standardised(std::span<const double> x, const char* which) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double sum = 0.0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  const double sd = std::sqrt(sum / (n - 1.0));
  if (!(sd > 1e-12 * std::abs(mean)))
    throw Error(ErrorCode::data, fmt::format("the {} column has the same value in all rows", which),
                "--between", "a constant has no information");
  std::vector<double> made(x.begin(), x.end());
  for (double& value : made) value = (value - mean) / sd;
  return made;
}

void refuse_ties(std::span<const double> x, const char* which) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t n) { return x[n]; });
  Index ties = 0;
  std::size_t at = 0;
  for (std::size_t k = 1; k < order.size(); ++k)
    if (x[order[k]] == x[order[k - 1]] && ties++ == 0) at = k;
  if (ties > 0)
    throw Error(ErrorCode::data,
                fmt::format("the {} column has {} tie{}, first {} in rows {} and {}", which, ties,
                            ties == 1 ? "" : "s", x[order[at]], order[at - 1] + 1, order[at] + 1),
                "--estimator",
                "distances to neighbours need values that differ: --estimator kde takes ties, or "
                "add noise of the size "
                "of the rounding yourself");
}

// Numbers of values that are nearer than each radius to the value of the row, without the row itself. Differences are rounded as
// those that made the radii, so that the neighbour at the radius isn't counted.
std::vector<Index> nearer(std::span<const double> x, std::span<const double> radii) {
  std::vector<double> sorted(x.begin(), x.end());
  std::ranges::sort(sorted);
  std::vector<Index> counts;
  for (std::size_t n = 0; n < x.size(); ++n) {
    const auto first = std::ranges::partition_point(
        sorted, [&](double value) { return x[n] - value >= radii[n]; });
    const auto last =
        std::ranges::partition_point(sorted, [&](double value) { return value - x[n] < radii[n]; });
    counts.push_back(std::max<Index>(0, last - first - 1));
  }
  return counts;
}

// Distances to the k-th neighbours in the larger of the two distances. Rows are looked through by ascending x, outwards from
// each, until x alone is further away.
std::vector<double> neighbour_distances(std::span<const double> x, std::span<const double> y,
                                        Index k) {
  const std::size_t n = x.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return x[row]; });
  std::vector<double> found(n), nearest;
  for (std::size_t place = 0; place < n; ++place) {
    const std::size_t row = order[place];
    nearest.assign(static_cast<std::size_t>(k), kInfinity);
    std::size_t down = place, up = place + 1;
    while (down > 0 || up < n) {
      const double below = down > 0 ? x[row] - x[order[down - 1]] : kInfinity;
      const double above = up < n ? x[order[up]] - x[row] : kInfinity;
      if (std::min(below, above) >= nearest.back()) break;
      const std::size_t other = below <= above ? order[--down] : order[up++];
      const double distance = std::max(std::min(below, above), std::abs(y[row] - y[other]));
      if (distance >= nearest.back()) continue;
      nearest.back() = distance;
      for (std::size_t j = nearest.size() - 1; j > 0 && nearest[j] < nearest[j - 1]; --j)
        std::swap(nearest[j], nearest[j - 1]);
    }
    found[row] = nearest.back();
  }
  return found;
}

double kraskov(std::span<const double> x, std::span<const double> y, Index k) {
  using numerics::digamma;
  const std::vector<double> radii = neighbour_distances(x, y, k);
  const std::vector<Index> in_x = nearer(x, radii), in_y = nearer(y, radii);
  double sum = 0.0;
  for (std::size_t n = 0; n < x.size(); ++n)
    sum += digamma(static_cast<double>(in_x[n] + 1)) + digamma(static_cast<double>(in_y[n] + 1));
  const auto n = static_cast<double>(x.size());
  return digamma(static_cast<double>(k)) + digamma(n) - sum / n;
}

// The variance of an estimate of N rows is B / N: B from the spread of estimates of disjoint parts of several permutations. Parts
// aren't smaller than 25 k rows, below which their variance falls faster; where rows are few, halves are taken.
double sd_by_parts(std::span<const double> x, std::span<const double> y, Index k,
                   std::uint64_t seed) {
  constexpr Index kMostParts = 10, kLeastPart = 25, kPieces = 60;
  const Index n = ssize(x), most = std::clamp(n / (kLeastPart * k), Index{2}, kMostParts);
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  double weighted = 0.0, freedom = 0.0;
  for (Index round = 0; round < kPieces / most; ++round) {
    Rng rng({.seed = seed, .purpose = kParts, .iteration = static_cast<std::uint32_t>(round)});
    for (std::size_t j = order.size(); j > 1; --j)
      std::swap(order[j - 1],
                order[static_cast<std::size_t>(rng.index_below(static_cast<Index>(j)))]);
    double mean = 0.0, squares = 0.0;
    for (Index part = 0; part < most; ++part) {
      std::vector<double> own_x, own_y;
      for (Index j = part * n / most; j < (part + 1) * n / most; ++j) {
        own_x.push_back(x[order[static_cast<std::size_t>(j)]]);
        own_y.push_back(y[order[static_cast<std::size_t>(j)]]);
      }
      const double value = kraskov(own_x, own_y, k);
      mean += value, squares += value * value;
    }
    const auto count = static_cast<double>(most);
    weighted += (squares - mean * mean / count) / count;  // (count - 1) variance / count
    freedom += count - 1.0;
  }
  return std::sqrt(weighted / freedom);
}

void require_rows(std::span<const double> x, Index neighbours) {
  if (ssize(x) < std::max(kLeastRows, 3 * neighbours))
    throw Error(ErrorCode::data, fmt::format("{} rows are too few for distances", x.size()),
                "--estimator",
                fmt::format("at least {} rows", std::max(kLeastRows, 3 * neighbours)));
}
double square(double x) { return x * x; }
}  // namespace

InformationEstimate information_by_neighbours(std::span<const double> x, std::span<const double> y,
                                              const DependenceOptions& options) {
  require_rows(x, options.neighbours);
  const std::vector<double> a = standardised(x, "first"), b = standardised(y, "second");
  refuse_ties(x, "first"), refuse_ties(y, "second");
  return {.value = kraskov(a, b, options.neighbours),
          .sd = sd_by_parts(a, b, options.neighbours, options.seed)};
}

InformationEstimate information_by_kernels(std::span<const double> x, std::span<const double> y,
                                           const DependenceOptions& options) {
  require_rows(x, 1);
  const std::vector<double> a = standardised(x, "first"), b = standardised(y, "second");
  const auto n = static_cast<double>(a.size());
  const double width = std::pow(n, -1.0 / 6.0);  // for a normal distribution in two dimensions
  double mean = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    options.stop_if_asked();
    double joint = 0.0, in_x = 0.0, in_y = 0.0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (j == i) continue;
      const double u = std::exp(-0.5 * square((a[i] - a[j]) / width)),
                   v = std::exp(-0.5 * square((b[i] - b[j]) / width));
      joint += u * v, in_x += u, in_y += v;
    }
    if (!(joint > 0.0))
      throw Error(ErrorCode::data, fmt::format("row {} is far from all others", i + 1),
                  "--estimator", "--estimator ksg, whose neighbours may be far");
    const double ratio = std::log(joint * (n - 1.0) / (in_x * in_y));
    mean += ratio / n, squares += ratio * ratio / n;
  }
  return {.value = mean, .sd = std::sqrt(std::max(0.0, squares - mean * mean) / n)};
}

}  // namespace credo::models
