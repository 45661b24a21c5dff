// The generalised Pareto density with b = -k / σ has a likelihood whose maximum over k is closed:
//
//   k(b) = mean log(1 - b x),   l(b) = n (log(-b / k(b)) - k(b) - 1)      [zhang2009]
//
// b̂ is the mean of a grid under weights exp l(b); the grid lies below 1 / max x, spread by the
// first quartile of x. k = k(b̂).
#include "diagnose/tail_index.hpp"

#include "diagnose/convergence.hpp"
#include "numerics/elementary.hpp"

namespace credo::diagnose {
namespace {
constexpr Index kShortestTail = 5;
constexpr double kPriorDraws = 10.0, kPriorShape = 0.5;  // [vehtari2024]
constexpr double kGridSpread = 3.0;                      // [zhang2009]
constexpr Index kFewDraws = 225;                         // where N / 5 = 3 sqrt(N)

double shape_of_tail(std::span<const double> sorted, Index size);
double profile_shape(std::span<const double> x, double b);
double grid_mean(std::span<const double> b, std::span<const double> log_weights);
}  // namespace

TailIndex tail_index(const Chains& chains) {
  const Index size = tail_size(chains);
  if (size < kShortestTail) return {};
  const std::vector<double> sorted = sorted_values(chains);
  std::vector<double> lowest(static_cast<std::size_t>(size) + 1);  // mirrored
  std::transform(sorted.begin(), sorted.begin() + size + 1, lowest.rbegin(), std::negate());
  return {.lower = shape_of_tail(lowest, size), .upper = shape_of_tail(sorted, size)};
}

// Only the other end counts if draws pile up at one end.
Index tail_size(const Chains& chains) {
  const auto [low, high] = ess_tails(chains);
  const double ess = std::fmin(low, high);
  if (std::isnan(ess)) return 0;
  const Index count = ssize(chains.values);
  const double n = static_cast<double>(count);
  const double wanted = count > kFewDraws ? 3.0 * std::sqrt(n / (ess / n)) : n / 5.0;
  return static_cast<Index>(std::min(std::ceil(wanted), std::floor(n / 2.0)));
}

ParetoFit pareto_fit(std::span<const double> x) {
  const double n = static_cast<double>(x.size());
  const double quartile = x[static_cast<std::size_t>(std::floor(n / 4.0 + 0.5)) - 1];
  if (!(quartile > 0.0)) return {};
  const double num_points = 30.0 + std::floor(std::sqrt(n));
  std::vector<double> grid, log_weights;
  for (double j = 0.5; j < num_points; j += 1.0) {
    const double b = 1.0 / x.back() + (1.0 - std::sqrt(num_points / j)) / (kGridSpread * quartile);
    const double k = profile_shape(x, b);
    grid.push_back(b);
    log_weights.push_back(n * (std::log(-b / k) - k - 1.0));
  }
  const double b = grid_mean(grid, log_weights), k = profile_shape(x, b);
  return {.shape = (n * k + kPriorDraws * kPriorShape) / (n + kPriorDraws), .scale = -k / b};
}

namespace {
// Shape from the last `size` of them, above the one before.
double shape_of_tail(std::span<const double> sorted, Index size) {
  const std::span<const double> tail = sorted.last(static_cast<std::size_t>(size));
  if (is_degenerate(tail)) return kNaN;
  const double threshold = sorted[sorted.size() - tail.size() - 1];
  std::vector<double> excesses(tail.begin(), tail.end());
  for (double& x : excesses) x -= threshold;
  return pareto_shape(excesses);
}

double profile_shape(std::span<const double> x, double b) {
  std::vector<double> terms(x.begin(), x.end());
  for (double& term : terms) term *= -b;
  numerics::function(numerics::Unary::log1p).array(terms.data(), terms.data(), terms.size());
  return std::accumulate(terms.begin(), terms.end(), 0.0) / static_cast<double>(x.size());
}

double grid_mean(std::span<const double> b, std::span<const double> log_weights) {
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  double sum = 0.0, total = 0.0;
  for (std::size_t j = 0; j < b.size(); ++j) {
    const double weight = std::exp(log_weights[j] - largest);
    sum += weight * b[j];
    total += weight;
  }
  return sum / total;
}
}  // namespace

}  // namespace credo::diagnose
