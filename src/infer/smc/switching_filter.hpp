// Rao-Blackwellised particle filter of a switching linear dynamical system: a mixture of Kalman filters [chen2000; murphy2023,
// alg. 21]. A particle is a regime with the normal distribution of the state given the regimes and the outcomes so far.
#pragma once
#include "infer/smc/particle_filter.hpp"
#include "numerics/switching_model.hpp"

namespace credo::infer {

//   prior     a particle draws its next regime from the chain, and is weighed by the density of the outcome
//   optimal   all regimes of all particles are weighed, and as many as there are particles are kept, none twice [fearnhead2003]:
//             exact while there are no more than that
enum class RegimeMoves { prior, optimal };
inline constexpr std::array<std::string_view, 2> kRegimeMovesNames = {"prior", "optimal"};
inline constexpr std::span<const std::string_view> enum_names(RegimeMoves) {
  return kRegimeMovesNames;
}

struct SwitchingResult {
  FilterResult filtered;
  std::vector<std::vector<double>>
      regimes;  // probabilities at each time, given the outcomes up to it

  static void saved(auto& self, auto&& field) {
    field(self.filtered);
    field(self.regimes);
  }
};

// Equal seeds give equal bits for any number of threads. Options: particles, resampling, seed, threads, quantiles,
// checkpoints. `optimal` has its own scheme. Throws Error(evaluation) if all weights are 0, Error(usage) for bad options.
SwitchingResult run_switching_filter(const numerics::SwitchingModel& model,
                                     const FilterOptions& options, RegimeMoves moves,
                                     Index repeat = 0);

}  // namespace credo::infer
