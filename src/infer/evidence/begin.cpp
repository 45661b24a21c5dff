#include "infer/evidence/begin.hpp"

#include "infer/mcmc/walk/exact.hpp"
#include "infer/smc/start.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostDrawsOfAPoint = 10'000;
}

Step<Index> begin_with_likelihood(PopulationState& population, std::vector<double>& log_likelihoods,
                                  const DrawPoint& draw, const SampleOptions& run) {
  std::vector<Index> open(static_cast<std::size_t>(population.num_points()));
  std::iota(open.begin(), open.end(), Index{0});
  std::vector<double> drawn_from(open.size());
  Index num_without = 0;
  for (Index attempt = 0; !open.empty(); ++attempt, num_without += ssize(open)) {
    if (attempt == kMostDrawsOfAPoint) throw no_likelihood(run, attempt);
    for (const Index i : open) drawn_from[static_cast<std::size_t>(i)] = draw(i, attempt);
    co_await evaluate_along(population, 0.0, log_likelihoods, open);
    std::erase_if(open, [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      if (log_likelihoods[k] == -kInfinity) return false;
      require_same_density(drawn_from[k], population.log_density(i), run.sampler);
      return true;
    });
  }
  co_return num_without;
}

}  // namespace credo::infer
