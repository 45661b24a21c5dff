// Mean, standard deviation and quantiles of weighted values.
#pragma once
#include "density/state_space.hpp"

namespace credo::infer {

using WeightedValue = std::pair<double, double>;

// The smallest of the values at which the weight cumulated in their order, `before` and theirs, reaches each of `weights`, which
// rise. The values are put into another order.
void select_quantiles(std::span<WeightedValue> values, double before,
                      std::span<const double> weights, std::span<double> quantiles);

// Distributions of several numbers: one element for each number, quantiles level by level. Empty if unknown.
struct WeightedDistribution {
  std::vector<double> mean, sd, quantiles;

  static void saved(auto& self, auto&& field) {
    field(self.mean);
    field(self.sd);
    field(self.quantiles);
  }
};
// `values`: [element][particle].
WeightedDistribution weighted_distribution(std::span<const double> values,
                                           std::span<const double> weights,
                                           std::span<const double> levels);

// The distribution of an outcome that is drawn once of each particle. `state(particle, element)` is the state of one;
// `seed` is of the draws alone.
struct OutcomeForecast {
  density::OutcomeDraws& draws;
  Index time = 0;
  std::uint64_t seed = 0;
  Index num_elements = 1;  // elements of a state
};
WeightedDistribution forecast_distribution(
    const OutcomeForecast& of, const std::function<double(Index particle, Index element)>& state,
    std::span<const double> weights, std::span<const double> levels);

}  // namespace credo::infer
