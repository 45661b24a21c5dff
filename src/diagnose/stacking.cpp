#include "diagnose/stacking.hpp"

#include "base/rng.hpp"
#include "numerics/elementary.hpp"

namespace credo::diagnose {
namespace {
// Relative to the best model of each row, so that none overflows.
std::vector<double> densities_of(std::span<const double> elpd, std::size_t k) {
  std::vector<double> densities(elpd.begin(), elpd.end());
  for (std::size_t first = 0; first < densities.size(); first += k) {
    const std::span<double> row = std::span(densities).subspan(first, k);
    const double largest = *std::max_element(row.begin(), row.end());
    for (double& x : row) x = numerics::exp(x - largest);
  }
  return densities;
}

// Mean over rows of p_k / sum_j w_j p_j: 1 at the optimum for each model with a weight, at most 1 for the others.
std::vector<double> slopes_at(std::span<const double> densities, std::span<const double> weights) {
  const std::size_t k = weights.size();
  const double share = static_cast<double>(k) / static_cast<double>(densities.size());
  std::vector<double> slopes(k, 0.0);
  for (std::size_t first = 0; first < densities.size(); first += k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < k; ++j) sum += weights[j] * densities[first + j];
    for (std::size_t j = 0; j < k; ++j) slopes[j] += share * densities[first + j] / sum;
  }
  return slopes;
}

std::vector<double> softmax(std::vector<double> sums) {
  const double largest = *std::max_element(sums.begin(), sums.end());
  double total = 0.0;
  for (double& x : sums) total += x = numerics::exp(x - largest);
  for (double& x : sums) x /= total;
  return sums;
}
}  // namespace

// Steps of expectation and maximisation, w_k <- w_k slope_k: each raises the objective, a concave one. They end
// when no weight could gain more than 1e-10 a row.
std::vector<double> stacking_weights(std::span<const double> elpd, Index num_models) {
  constexpr double kGain = 1e-10;
  constexpr int kMostSteps = 200'000;
  const auto k = static_cast<std::size_t>(num_models);
  const std::vector<double> densities = densities_of(elpd, k);
  std::vector<double> weights(k, 1.0 / static_cast<double>(k));
  for (int step = 0; step < kMostSteps; ++step) {
    const std::vector<double> slopes = slopes_at(densities, weights);
    if (*std::max_element(slopes.begin(), slopes.end()) <= 1.0 + kGain) break;
    for (std::size_t j = 0; j < k; ++j) weights[j] *= slopes[j];
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& w : weights) w /= total;
  return weights;
}

std::vector<double> pseudo_bma_weights(std::span<const double> elpd, Index num_models,
                                       Index num_draws, std::uint64_t seed) {
  const auto k = static_cast<std::size_t>(num_models), n = elpd.size() / k;
  const auto sums_with = [&](auto&& weight_of) {
    std::vector<double> sums(k, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double weight = weight_of();
      for (std::size_t j = 0; j < k; ++j) sums[j] += weight * elpd[i * k + j];
    }
    return sums;
  };
  if (num_draws == 0) return softmax(sums_with([] { return 1.0; }));
  std::vector<double> mean(k, 0.0);
  for (Index b = 0; b < num_draws; ++b) {
    Rng rng(
        {.seed = seed, .purpose = purpose::kGenerated, .iteration = static_cast<std::uint32_t>(b)});
    double total = 0.0;  // Dirichlet(1, ..., 1): exponential numbers over their sum
    std::vector<double> sums = sums_with([&] {
      const double weight = rng.exponential();
      total += weight;
      return weight;
    });
    for (double& x : sums) x *= static_cast<double>(n) / total;
    const std::vector<double> weights = softmax(std::move(sums));
    for (std::size_t j = 0; j < k; ++j) mean[j] += weights[j] / static_cast<double>(num_draws);
  }
  return mean;
}

}  // namespace credo::diagnose
