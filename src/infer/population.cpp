#include "infer/population.hpp"

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
                             std::vector<double>& log_ratios) {
  std::vector<density::Request> requests(population.log_densities.size());
  std::vector<density::Request*> batch;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].position = population.position(static_cast<Index>(i));
    requests[i].weight = weight;
    batch.push_back(&requests[i]);
  }
  co_await evaluate_all(density::Want::value, std::span<density::Request* const>(batch));
  log_ratios.resize(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    population.log_densities[i] = requests[i].log_density;
    log_ratios[i] = requests[i].log_ratio;
  }
  co_return Nothing{};
}

}  // namespace credo::infer
