// Resampling: which particles are the parents of the next ones, so that particle i has n W_i children on average. One row a scheme.
#pragma once
#include "base/rng.hpp"

namespace credo::infer {

// `weights` are at least 0, their sum `total` is above 0.
struct WeightedParents {
  std::span<const double> weights;
  double total = 1.0;
};

struct ResamplingScheme {
  std::string_view name, summary, reference;
  // As many parents as `parents` has places, ascending.
  void (*draw)(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents);
};

// The particles in whose stretches of the cumulated weights ascending numbers of (0, 1) lie: what every scheme comes down to.
void invert_cumulated(const WeightedParents& of, std::span<const double> ascending,
                      std::span<std::int32_t> parents);

std::span<const ResamplingScheme> resampling_schemes();
// Throws Error(usage) with the names that there are.
const ResamplingScheme& resampling_scheme(std::string_view name);
std::vector<std::string> resampling_names();

// Optimal resampling of Fearnhead and Clifford [fearnhead2003, sec. 4]: of weighted candidates without copies, `most` at most
// are kept, those heavier than c with their weights W, the others with probability W / c and the weight c, where
// sum of min(W / c, 1) = most. No scheme has a smaller expected sum of squared changes of the weights. Weights that are kept add
// up to the total on average.
struct KeptCandidate {
  std::int32_t candidate;
  double weight;
};
std::vector<KeptCandidate> optimal_resampling(const WeightedParents& of, Index most, Rng& rng);

}  // namespace credo::infer
