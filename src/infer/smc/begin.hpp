// Populations begin at points drawn from a distribution, each by a stream of its own.
#pragma once
#include "infer/core/population.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

// The distribution from which a population is drawn.
struct StartDistribution {
  const density::LogDensity& density;  // can be drawn from exactly
  const SampleOptions& run;
  Index population;  // from 0
};

// Draws the points `which` of the population, threads take part after part of them. drawn_from[i] of a point i becomes its log density
// under the distribution.
Step<Nothing> draw_points(StartDistribution distribution, std::span<const Index> which,
                          Index attempt, PopulationState& population, std::span<double> drawn_from);

// Draws all points; the log densities of the population become those at a place of the run's path, -infinity of points that the
// program refuses. The distribution must be the density at that place: throws Error(evaluation) where a draw's density
// is another one.
Step<Nothing> begin_at(StartDistribution distribution, double place, PopulationState& population);

// Like draw_points, for points that the caller draws.
using DrawPoints = std::function<Step<Nothing>(std::span<const Index> which, Index attempt,
                                               std::span<double> drawn_from)>;

// Each point is drawn until it has a likelihood. Log densities of the population become those of the prior. Returns how many
// draws had no likelihood. Throws Error(evaluation) where a point has none after very many, or a draw's density is another
// than the prior's.
Step<Index> begin_with_likelihood(PopulationState& population, std::vector<double>& log_likelihoods,
                                  const DrawPoints& draw, const SampleOptions& run);
Step<Index> begin_with_likelihood(StartDistribution prior, PopulationState& population,
                                  std::vector<double>& log_likelihoods);

}  // namespace credo::infer
