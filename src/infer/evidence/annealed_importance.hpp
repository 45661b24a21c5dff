// Annealed importance sampling in both directions: the sampler `ais` goes from the prior to the posterior, and its
// ladder can be gone back from draws of the posterior [grosse2015; neal2001]. Each mean weight is unbiased, of Z and of
// 1 / Z, so that by Jensen's inequality their logarithms are
//
//   E[log mean w] <= log Z <= E[-log mean w'],   log w' = Σ_j (β_{j-1} - β_j) log L(x_j)
//
// a lower bound in the mean, and an upper one as far as the draws that it begins at are the posterior's.
#pragma once
#include "density/draws.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

struct BackwardAnnealing {
  LogEvidence upper;  // its error counts the autocorrelation of the draws it begins at
  Index num_evaluations = 0;
  bool interrupted = false;
};

// A particle for each draw, S × C × D free positions of the posterior. `run` gives seed, threads and stop flag, and
// kernel options of the sampler `ais` or none. Throws what a run of `ais` throws.
BackwardAnnealing anneal_backwards(const density::LogDensity& density,
                                   const density::Draws& posterior, const SampleOptions& run);

}  // namespace credo::infer
