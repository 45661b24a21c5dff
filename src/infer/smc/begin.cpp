#include "infer/smc/begin.hpp"

#include "infer/mcmc/walk/exact.hpp"
#include "infer/smc/start.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostDrawsOfAPoint = 10'000;
constexpr Index kMostDrawsWithoutAny = 200'000;  // for all together, if all likelihoods are 0

Step<Nothing> draw_part(StartDistribution distribution, std::span<const Index> which, Index attempt,
                        PopulationState& population, std::span<double> drawn_from) {
  const auto draws = distribution.density.make_exact_draws();
  for (const Index i : which) {
    Rng rng = particle_stream(distribution.run, purpose::kInitialPoint, distribution.population, i,
                              attempt);
    const density::Start start = draw_exactly(*draws, rng);
    std::ranges::copy(start.position, population.position(i).begin());
    drawn_from[static_cast<std::size_t>(i)] = start.log_density;
  }
  co_return Nothing{};
}

}  // namespace

Step<Nothing> draw_points(StartDistribution distribution, std::span<const Index> which,
                          Index attempt, PopulationState& population,
                          std::span<double> drawn_from) {
  std::vector<ChainProgram> parts =
      parts_of(ssize(which), kPointsOfPart, [&](Index first, Index end) {
        const auto some =
            which.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
        return draw_part(distribution, some, attempt, population, drawn_from);
      });
  co_await run_parts(parts);
  co_return Nothing{};
}

Step<Nothing> begin_at(StartDistribution distribution, double place, PopulationState& population) {
  const std::vector<Index> all = all_points(population);
  std::vector<double> drawn_from(all.size()), ratios;
  co_await draw_points(distribution, all, 0, population, drawn_from);
  co_await evaluate_along(population, place, ratios);
  for (const Index i : all)
    if (population.log_density(i) > -kInfinity)
      require_same_density(drawn_from[static_cast<std::size_t>(i)], population.log_density(i),
                           distribution.run.sampler);
  co_return Nothing{};
}

Step<Index> begin_with_likelihood(PopulationState& population, std::vector<double>& log_likelihoods,
                                  const DrawPoints& draw, const SampleOptions& run) {
  std::vector<Index> open = all_points(population);
  std::vector<double> drawn_from(open.size());
  Index num_without = 0;
  for (Index attempt = 0; !open.empty(); ++attempt, num_without += ssize(open)) {
    if (attempt == kMostDrawsOfAPoint) throw no_likelihood(run, attempt);
    if (ssize(open) == population.num_points() && num_without >= kMostDrawsWithoutAny)
      throw no_likelihood_anywhere(run, num_without);
    co_await draw(open, attempt, drawn_from);
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

Step<Index> begin_with_likelihood(StartDistribution prior, PopulationState& population,
                                  std::vector<double>& log_likelihoods) {
  const DrawPoints draw = [&](std::span<const Index> which, Index attempt,
                              std::span<double> drawn_from) {
    return draw_points(prior, which, attempt, population, drawn_from);
  };
  const Index num_without =
      co_await begin_with_likelihood(population, log_likelihoods, draw, prior.run);
  co_return num_without;
}

}  // namespace credo::infer
