// Checks of transition kernels: a kernel alone on a density, and invariance from exact draws.
#pragma once
#include "infer/mcmc/hamiltonian.hpp"
#include "infer/step.hpp"
#include "support/targets.hpp"
#include "support/test_seed.hpp"

namespace credo::testing {

inline void answer(density::Evaluator& evaluator, infer::Evaluate& question) {
  density::Request* single[] = {&question.request};
  const std::span<density::Request* const> batch =
      question.many.empty() ? std::span<density::Request* const>(single) : question.many;
  evaluator.evaluate(question.want, batch);
}

// Runs a Step by itself.
template <class T>
T run_alone(infer::Step<T> step, density::Evaluator& evaluator) {
  for (step.resume(); !step.done(); step.resume()) answer(evaluator, *step.pending());
  return step.result();
}

inline infer::HmcState state_at(density::Evaluator& evaluator, std::span<const double> position) {
  infer::HmcState state{.position = {position.begin(), position.end()},
                        .gradient = std::vector<double>(position.size())};
  infer::Evaluate question = infer::evaluate(state.position, state.gradient);
  answer(evaluator, question);
  state.log_density = question.request.log_density;
  return state;
}

// step(evaluator, state, rng) makes one transition.
using Transition = std::function<void(density::Evaluator&, infer::HmcState&, Rng&)>;

template <class Kernel>
Transition transition_of(Kernel& kernel) {
  return [&kernel](density::Evaluator& evaluator, infer::HmcState& state, Rng& rng) {
    run_alone(kernel.step(state, rng), evaluator);
  };
}

// The larger of two statistics. One that is no number (a moment of NaN, the error of a chain that
// stands still) is infinitely bad; std::max would drop it.
inline double worse(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? kInfinity : std::max(a, b);
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

inline constexpr double kInvarianceLimit = 4.0;

}  // namespace credo::testing
