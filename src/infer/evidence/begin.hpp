// Points of the prior to begin with, each drawn until it has a likelihood.
#pragma once
#include "infer/core/population.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

// Draws point i into the population at the attempt, from 0; returns the log density that it was drawn from.
using DrawPoint = std::function<double(Index i, Index attempt)>;

// Log densities of the population become those of the prior. Returns how many draws had no likelihood. Throws
// Error(evaluation) where a point has none after very many, or a draw's density is another than the prior's.
Step<Index> begin_with_likelihood(PopulationState& population, std::vector<double>& log_likelihoods,
                                  const DrawPoint& draw, const SampleOptions& run);

}  // namespace credo::infer
