// PaRIS, the particle-based, rapid incremental smoother [olsson2017]: expected sums over times given all outcomes, E(sum of
// h(x_t, x_{t+1}) | y), carried along with the particles of a filter. A particle's estimate of the sum so far is the
// mean over a few particles that lie behind it, drawn by backward weights, not the estimate of its one ancestor: so
// that sums don't come to rest on few early states, and two draws are enough.
#pragma once
#include "infer/smc/smoother.hpp"

namespace credo::infer {

struct ParisOptions {
  Index num_draws =
      2;  // backward draws of each particle; with one the variance grows with the square of the number of times
  Index num_paths = 0;
  std::uint64_t seed = 1;
  Index num_threads = 1;
  TimeProgress on_time = {};
};

struct ParisResult {
  StateSums sums;
  // The distribution of each time by the same draws: a particle's weight is what those that drew it hand on to it.
  std::vector<SmoothedTime> times;
  // Paths from a last particle, drawn by its weight, back by its draws; equally weighted, not independent: they share draws.
  ParticlePaths paths;
};

// Costs a density of the transition for each pair of particles of neighbouring times. The same seed gives the same bits for any number
// of threads. Throws as backward_paths does.
ParisResult paris(const density::StateSpace& model, std::span<const Generation> generations,
                  const ParisOptions& options, Index repeat = 0);

}  // namespace credo::infer
