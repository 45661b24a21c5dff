// Backward weights, for smoothers: particles of a time that lead to a particle of the next one have the weights
// W_t^i p(x_{t+1}^j | x_t^i).
#pragma once
#include "infer/smc/particle_filter.hpp"

namespace credo::infer {

class BackwardWeights {
 public:
  // All must live as long. `method`: what asks, for messages: "--method ffbs".
  BackwardWeights(const density::StateSpace& model, std::span<const Generation> generations,
                  const char* method)
      : model_(model), generations_(generations), method_(method) {}

  // Throws Error(program) where the density of the transition ignores an element of the state, so that it isn't that of the whole.
  void require_whole_density(density::StateMover& mover) const;

  // For each of some particles of the time after: cumulated weights of the particles of `time`, over the largest
  // weight. Throws Error(evaluation) if all weights are 0.
  std::vector<std::vector<double>> cumulated(Index time, std::span<const std::int32_t> next,
                                             density::StateMover& mover) const;

  // The pairs of particles that are weighed together are about so many.
  static constexpr Index kPairs = 8 * density::StateSpace::kBlock;

 private:
  std::vector<double> log_weights(Index time, std::span<const std::int32_t> next,
                                  density::StateMover& mover) const;

  const density::StateSpace& model_;
  std::span<const Generation> generations_;
  const char* method_;
};

// The first place at which the sum of the weights so far exceeds a share of all.
std::int32_t place_of_share(std::span<const double> cumulated, double share);

}  // namespace credo::infer
