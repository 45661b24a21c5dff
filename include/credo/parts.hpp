// Models by callables that can do more than evaluate a log density: draw from the prior, weigh rows of data one by one, simulate
// data, or move the state of a state-space model. The samplers that need one of these are open to them.
//
//   with_rows        log density = log prior + sum of log p(row | theta): ibis, and every other sampler
//   with_simulator   a prior, and data that are drawn given the parameters: abc_smc
//   with_states      a prior, and a state-space model given the parameters: pmmh, smc2
//
// All callables follow the rules of with_gradient(): theta are the numbers of the parameters, copies are used by one thread
// at a time, and the same arguments must give the same numbers.
#pragma once
#include "credo/kernel.hpp"
#include "credo/model.hpp"

namespace credo {

struct Prior {
  GradientCallable log_density = nullptr;
  // Draws from the same distribution; null: samplers that begin with draws of the prior are refused.
  std::function<void(Random& random, std::span<double> theta)> draw = nullptr;
};

struct Rows {
  Index count = 0;
  // Log density of a row, from 0; adds its derivatives to the gradient.
  std::function<double(std::span<const double> theta, Index row, std::span<double> gradient)>
      log_density = nullptr;
};
CREDO_API Model with_rows(const Parameters& parameters, const Prior& prior, const Rows& rows,
                          const ModelOptions& options = {});

// The simulated numbers are kept for each draw, as output `name`; the options of abc_smc name both:
// {{"simulated", "y_sim"}, {"observed", "y"}}.
struct Simulator {
  std::string name = "y_sim", observed_name = "y";
  std::vector<double> observed = {};
  std::function<void(std::span<const double> theta, Random& random, std::span<double> simulated)>
      draw = nullptr;  // draws as many numbers as are observed
};
CREDO_API Model with_simulator(const Parameters& parameters, const Prior& prior,
                               const Simulator& simulator, const ModelOptions& options = {});

// Times count from 0. A state has num_elements numbers.
struct StateSpace {
  Index num_times = 0, num_elements = 1;
  std::function<void(std::span<const double> theta, Random& random, std::span<double> state)>
      draw_initial = nullptr;
  std::function<void(std::span<const double> theta, Index time, std::span<const double> previous,
                     Random& random, std::span<double> state)>
      draw_transition = nullptr;
  // Log density of the outcome of a time; 0 where it is missing.
  std::function<double(std::span<const double> theta, Index time, std::span<const double> state)>
      log_observation = nullptr;
  // Log density of draw_transition with its constants, for smooth_states (credo/states.hpp); may be null.
  std::function<double(std::span<const double> theta, Index time, std::span<const double> previous,
                       std::span<const double> state)>
      log_transition = nullptr;
};
// The states aren't parameters: samplers that need the likelihood itself are refused.
CREDO_API Model with_states(const Parameters& parameters, const Prior& prior,
                            const StateSpace& states, const ModelOptions& options = {});

}  // namespace credo
