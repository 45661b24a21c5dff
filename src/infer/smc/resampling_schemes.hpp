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
  // Draws as many parents as `parents` has places, ascending.
  void (*draw)(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents);
};

// The particles in whose stretches of the cumulated weights the numbers next(0) <= next(1) <= ... lie, in units of the total: what
// every scheme comes down to. Rounding may leave the end of the stretches below the last number: then the last particle with a weight.
template <class Next, class Parent>
void invert_cumulated(const WeightedParents& of, Next next, std::span<Parent> parents) {
  double reached = 0.0;
  std::size_t k = 0, last = 0;
  double wanted = parents.empty() ? 0.0 : next(k) * of.total;
  for (std::size_t i = 0; i < of.weights.size() && k < parents.size(); ++i) {
    reached += of.weights[i];
    if (of.weights[i] > 0.0) last = i;
    while (wanted < reached) {
      parents[k++] = static_cast<Parent>(i);
      if (k == parents.size()) return;
      wanted = next(k) * of.total;
    }
  }
  for (; k < parents.size(); ++k) parents[k] = static_cast<Parent>(last);
}

std::span<const ResamplingScheme> resampling_schemes();
// Throws Error(usage) with the names that there are.
const ResamplingScheme& resampling_scheme(std::string_view name);
std::vector<std::string> resampling_names();

// Systematic resampling of logarithms of weights that add up to 1: (u + k) / n for `u` in [0, 1). `count`: n; -1: as many as there
// are weights.
std::vector<Index> systematic_parents(std::span<const double> log_weights, double u,
                                      Index count = -1);

// Optimal resampling of Fearnhead and Clifford [fearnhead2003, sec. 4]: from weighted candidates without copies, `most`
// at most are kept, those heavier than c with their weights W, the others systematically (u in [0, 1)) with probability
// W / c and the weight c, where sum of min(W / c, 1) = most. No scheme has a smaller expected sum of squared changes of
// the weights. Each candidate keeps its weight on average.
struct KeptCandidate {
  std::int32_t candidate;
  double weight;
  bool is_heavy;  // the weight is its own
};
std::vector<KeptCandidate> optimal_resampling(std::span<const double> weights, Index most,
                                              double u);

}  // namespace credo::infer
