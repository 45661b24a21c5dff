// Checks of transition kernels: a kernel alone on a density, and invariance from exact draws.
#pragma once
#include "infer/invariance/suite.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "support/targets.hpp"
#include "support/test_seed.hpp"

namespace credo::testing {

using infer::invariance::answer;
using infer::invariance::run_alone;
using infer::invariance::state_at;
using infer::invariance::Transition;
using infer::invariance::worse;

inline constexpr double kInvarianceLimit = infer::invariance::kLimit;

template <class Kernel>
Transition transition_of(Kernel& kernel) {
  return [&kernel](density::Evaluator& evaluator, infer::HmcState& state, Rng& rng) {
    run_alone(kernel.step(state, rng), evaluator);
  };
}

// The largest |z| over the target's moments after `num_steps` transitions from independent exact
// draws: each of `num_starts` ends is an exact draw if the kernel leaves the target invariant, so z
// is standard normal whatever the autocorrelation. Above 4 with probability 6e-5 for each moment.
inline double invariance_z(const Target& target, const Transition& transition, int num_starts,
                           int num_steps) {
  const auto evaluator = target.density->make_evaluator();
  std::vector<double> start(static_cast<std::size_t>(target.density->dimension()));
  std::vector<double> sum(target.moments.size()), squares(target.moments.size());
  for (int i = 0; i < num_starts; ++i) {
    Rng rng({.seed = test_seed(99),
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(i)});
    target.draw(rng, start);
    infer::HmcState state = state_at(*evaluator, start);
    for (int s = 0; s < num_steps; ++s) transition(*evaluator, state, rng);
    for (std::size_t m = 0; m < sum.size(); ++m) {
      const double off = target.moments[m].function(state.position) - target.moments[m].expectation;
      sum[m] += off, squares[m] += off * off;
    }
  }
  double worst = 0.0;
  for (std::size_t m = 0; m < sum.size(); ++m)
    worst = worse(worst, std::fabs(sum[m]) / std::sqrt(squares[m]));
  return worst;
}

}  // namespace credo::testing
