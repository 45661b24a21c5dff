#include "infer/smc/weighted_distribution.hpp"

namespace credo::infer {

void select_quantiles(std::span<WeightedValue> values, double before,
                      std::span<const double> weights, std::span<double> quantiles) {
  constexpr std::size_t kFew = 32;
  if (weights.empty()) return;
  if (values.size() <= kFew) {
    std::ranges::sort(values);
    std::size_t level = 0;
    for (const auto& [x, w] : values) {
      before += w;
      for (; level < weights.size() && before >= weights[level]; ++level) quantiles[level] = x;
    }
    for (; level < weights.size(); ++level) quantiles[level] = values.back().first;  // rounding
    return;
  }
  const std::size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<Index>(half));
  double middle = before;
  for (std::size_t i = 0; i < half; ++i) middle += values[i].second;
  const auto split =
      static_cast<std::size_t>(std::ranges::upper_bound(weights, middle) - weights.begin());
  select_quantiles(values.first(half), before, weights.first(split), quantiles.first(split));
  select_quantiles(values.subspan(half), middle, weights.subspan(split), quantiles.subspan(split));
}

WeightedDistribution weighted_distribution(std::span<const double> values,
                                           std::span<const double> weights,
                                           std::span<const double> levels) {
  const std::size_t n = weights.size(), elements = values.size() / n;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> reached;
  for (const double level : levels) reached.push_back(level * total * (1.0 - 1e-12));
  std::vector<double> found(levels.size());
  WeightedDistribution distribution;
  distribution.quantiles.resize(levels.size() * elements);
  std::vector<WeightedValue> own(n);
  for (std::size_t e = 0; e < elements; ++e) {
    double mean = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) own[i] = {values[e * n + i], weights[i]};
    for (const auto& [x, w] : own) mean += w > 0.0 ? w / total * x : 0.0;
    for (const auto& [x, w] : own) squares += w > 0.0 ? w / total * (x - mean) * (x - mean) : 0.0;
    distribution.mean.push_back(mean), distribution.sd.push_back(std::sqrt(squares));
    select_quantiles(own, 0.0, reached, found);
    for (std::size_t k = 0; k < found.size(); ++k)
      distribution.quantiles[k * elements + e] = found[k];
  }
  return distribution;
}

WeightedDistribution forecast_distribution(
    const OutcomeForecast& of, const std::function<double(Index particle, Index element)>& state,
    std::span<const double> weights, std::span<const double> levels) {
  constexpr Index kBlock = density::StateSpace::kBlock;
  const Index n = ssize(weights), size = of.draws.size();
  std::vector<double> values(static_cast<std::size_t>(n * size));
  std::vector<double> states(static_cast<std::size_t>(of.num_elements * kBlock)),
      drawn(static_cast<std::size_t>(size * kBlock));
  for (Index first = 0; first < n; first += kBlock) {
    const Index count = std::min(kBlock, n - first);
    for (Index e = 0; e < of.num_elements; ++e)
      for (Index i = 0; i < kBlock; ++i)  // places behind the last particle are filled with it
        states[static_cast<std::size_t>(e * kBlock + i)] = state(std::min(first + i, n - 1), e);
    of.draws.draw(
        {.time = of.time, .first = first, .count = count, .seed = of.seed, .next = states.data()},
        drawn.data());
    for (Index e = 0; e < size; ++e)
      std::copy_n(drawn.begin() + e * kBlock, count, values.begin() + (e * n + first));
  }
  return weighted_distribution(values, weights, levels);
}

}  // namespace credo::infer
