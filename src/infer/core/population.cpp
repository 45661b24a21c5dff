#include "infer/core/population.hpp"

#include "infer/core/group.hpp"

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
constexpr Index kPointsEach = 64;  // of a part, at least

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

Step<Nothing> evaluate_along(PopulationState& population, double weight,
                             std::vector<double>& log_ratios, std::span<const Index> points,
                             std::span<const double> rows) {
  std::vector<Index> all(points.begin(), points.end());
  if (all.empty()) {
    all.resize(population.log_densities.size());
    std::iota(all.begin(), all.end(), Index{0});
  }
  log_ratios.resize(population.log_densities.size());
  const auto each = static_cast<std::size_t>(points_of_part(ssize(all), kPointsEach));
  std::vector<ChainProgram> parts;
  for (std::size_t first = 0; first < all.size(); first += each) {
    const auto some =
        std::span<const Index>(all).subspan(first, std::min(each, all.size() - first));
    parts.push_back(
        {.program = evaluate_some(population, weight, log_ratios, some, rows), .refusals = {}});
  }
  co_await run_parts(parts);
  co_return Nothing{};
}

}  // namespace credo::infer
