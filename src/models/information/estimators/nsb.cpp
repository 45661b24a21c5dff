// Nemenman, Shafee and Bialek: Dirichlet priors of all concentrations, weighted so that the prior of the entropy is nearly flat
// [nemenman2002]. With xi(a) = psi(K a + 1) - psi(a + 1), the prior mean of the entropy, the weight of a is d xi / da times
// the evidence of the counts.
#include "models/information/entropy_estimator.hpp"
#include "numerics/special.hpp"

namespace credo::models {
namespace {
constexpr double kMostLog = 11.6;     // a concentration of 1e5
constexpr double kLeastTotal = 1e-6;  // of all states together: nearly all mass is on one of them
constexpr Index kCoarse = 600, kFine = 800;
constexpr double kNegligible = 40.0;  // exp(-40) of the largest weight

using Grouped = std::vector<std::pair<double, double>>;

// log of d xi / d log a times the evidence.
double log_weight(const Grouped& grouped, double rows, Index num_states, double log_a) {
  using numerics::lgamma_delta, numerics::trigamma;
  const double a = std::exp(log_a), k = static_cast<double>(num_states);
  double value = -lgamma_delta(k * a, rows);
  for (const auto& [count, times] : grouped) value += times * lgamma_delta(a, count);
  return value + log_a + std::log(k * trigamma(k * a + 1.0) - trigamma(a + 1.0));
}

struct Range {
  double first, last;
};
// Concentrations that have a weight, from a coarse grid.
Range range_of(const CountSample& sample) {
  const Grouped grouped = sample.grouped();
  const double first = std::log(kLeastTotal / static_cast<double>(sample.num_states));
  const double step = (kMostLog - first) / static_cast<double>(kCoarse);
  std::vector<double> weights;
  for (Index j = 0; j <= kCoarse; ++j)
    weights.push_back(log_weight(grouped, sample.total(), sample.num_states,
                                 first + step * static_cast<double>(j)));
  const double least = std::ranges::max(weights) - kNegligible;
  Range range{kMostLog, first};
  for (Index j = 0; j <= kCoarse; ++j)
    if (weights[static_cast<std::size_t>(j)] >= least) {
      const double at = first + step * static_cast<double>(j);
      range = {std::min(range.first, at - step), std::max(range.last, at + step)};
    }
  return {std::max(range.first, first), std::min(range.last, kMostLog)};
}

std::string no_coincidence(const CountSample& sample) {
  if (sample.num_states < 2) return "a single state has no prior of its entropy";
  return sample.num_single() == sample.num_seen()
             ? "each state was seen once: the counts say nothing about how many states there are"
             : "";
}

EntropyEstimate nsb(const CountSample& sample, const EntropyOptions&) {
  const Range range = range_of(sample);
  const Grouped grouped = sample.grouped();
  const double rows = sample.total();
  const double step = (range.last - range.first) / static_cast<double>(kFine);
  std::vector<double> logs, weights;
  for (Index j = 0; j <= kFine; ++j) {
    logs.push_back(range.first + step * static_cast<double>(j));
    weights.push_back(log_weight(grouped, rows, sample.num_states, logs.back()));
  }
  const double top = std::ranges::max(weights);
  double sum = 0.0, mean = 0.0, second = 0.0;
  for (std::size_t j = 0; j < logs.size(); ++j) {
    const double w = std::exp(weights[j] - top);
    if (w < 1e-16) continue;
    const auto [value, sd] = dirichlet_entropy(grouped, rows, sample.num_states, std::exp(logs[j]));
    sum += w, mean += w * value, second += w * (value * value + sd * sd);
  }
  mean /= sum, second /= sum;
  return {mean, std::sqrt(std::max(0.0, second - mean * mean))};
}
}  // namespace

extern const EntropyEstimator nsb_entropy{
    "nsb", "posterior mean under a prior that is nearly flat in the entropy itself", no_coincidence,
    nsb};

}  // namespace credo::models
