#include "results/draws/weights.hpp"

#include "infer/core/columns.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/resampling_schemes.hpp"

namespace credo::results {

std::vector<double> log_weights_of(const Fit& fit) {
  const auto place = find_quantity(fit, infer::kLogWeightColumn.stan_name);
  if (!place || *place >= first_output(fit)) return {};
  const density::Draws draws = fit.quantities(false, *place, 1);
  const auto values = draws.quantity(0);
  return {values.begin(), values.end()};
}

std::vector<Index> equally_weighted(const Fit& fit) {
  std::vector<double> weights = log_weights_of(fit);
  std::vector<Index> all;
  const auto num_draws = static_cast<std::size_t>(fit.num_draws(false));
  for (std::size_t first = 0; first < weights.size(); first += num_draws) {
    const auto own = std::span(weights).subspan(first, num_draws);
    constexpr double kMiddle = 0.5;
    std::vector<Index> parents(num_draws);
    std::iota(parents.begin(), parents.end(), Index{0});
    if (std::isfinite(infer::normalise_log_weights(own)))  // else all draws stay
      parents = infer::systematic_parents(own, kMiddle);
    for (const Index parent : parents) all.push_back(static_cast<Index>(first) + parent);
  }
  return all;
}

}  // namespace credo::results
