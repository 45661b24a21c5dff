#include "infer/core/population.hpp"

namespace credo::infer {

Candidates::Candidates(Index count, Index dimension)
    : dimension_(static_cast<std::size_t>(dimension)),
      positions_(static_cast<std::size_t>(count) * dimension_),
      requests_(static_cast<std::size_t>(count)) {
  for (Index i = 0; i < count; ++i) {
    density::Request& request = requests_[static_cast<std::size_t>(i)];
    request.position = position(i);
    batch_.push_back(&request);
  }
}

Evaluate Candidates::evaluate(Index first, Index count) {
  const auto batch =
      std::span(batch_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  for (density::Request* request : batch) request->status = {};
  return evaluate_all(density::Want::value, batch);
}

Step<Nothing> evaluate_along(PopulationState& population, double weight,
                             std::vector<double>& log_ratios, std::span<const Index> points,
                             std::span<const double> rows) {
  std::vector<Index> all(points.begin(), points.end());
  if (all.empty()) {
    all.resize(population.log_densities.size());
    std::iota(all.begin(), all.end(), Index{0});
  }
  std::vector<density::Request> requests(all.size());
  std::vector<density::Request*> batch;
  for (std::size_t k = 0; k < all.size(); ++k) {
    requests[k].position = population.position(all[k]);
    requests[k].weight = weight;
    requests[k].rows = rows;
    batch.push_back(&requests[k]);
  }
  co_await evaluate_all(density::Want::value, std::span<density::Request* const>(batch));
  log_ratios.resize(population.log_densities.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    population.log_density(all[k]) = requests[k].log_density;
    log_ratios[static_cast<std::size_t>(all[k])] = requests[k].log_ratio;
  }
  co_return Nothing{};
}

}  // namespace credo::infer
