// PaRIS, the particle-based, rapid incremental smoother [olsson2017]: expected sums over times given all outcomes, E(sum of
// h(x_t, x_{t+1}) | y), carried along with the particles of a filter. What a particle knows of the sum so far is the mean over a few
// particles that lie behind it, drawn by backward weights, not what its one ancestor knows: so that sums don't come to rest on few
// early states, and two draws are enough.
#pragma once
#include "infer/smc/smoother.hpp"

namespace credo::infer {

struct ParisOptions {
  Index num_draws =
      2;  // backwards, of each particle; of one the variance grows with the square of the number of times
  Index num_paths = 0;
  std::uint64_t seed = 1;
  Index num_threads = 1;
  TimeProgress on_time = {};
};

struct ParisResult {
  StateSums sums;
  // The distribution of each time by the same draws: a particle's weight is what those that drew it hand on to it.
  std::vector<SmoothedTime> times;
  // From a last particle by its weight, back by one of its draws: of equal weights; paths share draws, so they aren't independent.
  ParticlePaths paths;
};

// Costs a density of the transition for each pair of particles of neighbouring times. The same seed gives the same bits for any number
// of threads. Throws as backward_paths does.
ParisResult paris(const density::StateSpace& model, std::span<const Generation> generations,
                  const ParisOptions& options, Index repeat = 0);

}  // namespace credo::infer
