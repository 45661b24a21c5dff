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

namespace {
Step<Nothing> evaluate_some(PopulationState& population, double weight,
                            std::span<double> log_ratios, std::span<const Index> points,
                            std::span<const double> rows) {
  std::vector<density::Request> requests(points.size());
  std::vector<density::Request*> batch;
  for (std::size_t k = 0; k < points.size(); ++k) {
    requests[k].position = population.position(points[k]);
    requests[k].weight = weight;
    requests[k].rows = rows;
    batch.push_back(&requests[k]);
  }
  co_await evaluate_all(density::Want::value, std::span<density::Request* const>(batch));
  for (std::size_t k = 0; k < points.size(); ++k) {
    population.log_density(points[k]) = requests[k].log_density;
    log_ratios[static_cast<std::size_t>(points[k])] = requests[k].log_ratio;
  }
  co_return Nothing{};
}
}  // namespace

std::vector<Index> all_points(const PopulationState& population) {
  std::vector<Index> all(population.log_densities.size());
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

Step<Nothing> evaluate_along(PopulationState& population, double weight,
                             std::vector<double>& log_ratios, std::span<const Index> points,
                             std::span<const double> rows) {
  std::vector<Index> all(points.begin(), points.end());
  if (all.empty()) all = all_points(population);
  log_ratios.resize(population.log_densities.size());
  std::vector<ChainProgram> parts =
      parts_of(ssize(all), kPointsOfPart, [&](Index first, Index end) {
        const auto some = std::span(all).subspan(static_cast<std::size_t>(first),
                                                 static_cast<std::size_t>(end - first));
        return evaluate_some(population, weight, log_ratios, some, rows);
      });
  co_await run_parts(parts);
  co_return Nothing{};
}

}  // namespace credo::infer
