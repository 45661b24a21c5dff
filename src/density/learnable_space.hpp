// Interface that learning a proposal needs from a state-space model whose states are real numbers (infer/smc/learn_proposal.hpp).
#pragma once
#include "density/state_space.hpp"
#include "numerics/conditional_normal.hpp"

namespace credo::density {

// Slopes for pairs of a state and the one before it, at most StateSpace::kBlock: log densities, [pair], and their derivatives, [pair][element].
struct StateSlopes {
  std::vector<double> log_transition, by_state, by_previous;
  std::vector<double> log_outcome, outcome_by_state;
};

// One thread's. Numbers of several states lie one state after another.
class LearnableSpace {
 public:
  virtual ~LearnableSpace() = default;
  virtual const StateSpace& space() const = 0;
  virtual std::vector<double> outcome_at(Index time) const = 0;
  // The model whose particles are drawn from the distribution, of features(), and weighed by the model's own densities.
  virtual std::unique_ptr<StateSpace> guided_by(
      const numerics::ConditionalNormal& distribution) const = 0;
  // Outcomes of a time, one for each state. Throws Error(program) where it isn't known how to draw them.
  virtual std::vector<double> draw_outcomes(Index time, std::span<const double> states,
                                            Rng& rng) = 0;
  // `previous` is empty at time 0.
  virtual StateSlopes slopes(Index time, std::span<const double> states,
                             std::span<const double> previous) = 0;
};

// Features of a state: whether it is the first one, the state before (NaN of the first one), the outcome.
std::vector<double> proposal_features(std::span<const double> previous, Index num_elements,
                                      std::span<const double> outcome);

}  // namespace credo::density
