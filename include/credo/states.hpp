// Filters and smoothers by particles of a state-space model by callables (credo/parts.hpp), at given parameters.
//
//   const credo::StateEstimates filtered = credo::filter_states(walk, {0.5});
//   filtered.times[3].mean;      // of each element of the state at time 3, given the outcomes of times 0 to 3
//   filtered.log_likelihood;     // log p(outcomes | theta), +- filtered.error
//   credo::smooth_states(walk, {0.5}).times[3].mean;  // given the outcomes of all times
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "credo/parts.hpp"

namespace credo {

struct StateRuns {
  Index num_particles = 1000;
  Index runs = 4;               // independent ones, whose spread gives the standard errors
  double resample_below = 0.5;  // share of effective particles: 1: resample at every time, 0: never
  std::string resampling = "systematic";  // multinomial, residual, stratified, systematic
  Index paths = 200;                      // drawn backwards in each run of a smoother
  std::uint64_t seed = 1;
  Index threads = 1;  // they don't change the numbers
};

// Each vector has a number for each element of the state.
struct StateEstimate {
  std::vector<double> mean, sd;
  std::vector<double> q5, median, q95;  // quantiles
  std::vector<double> error;            // standard error of the mean; infinite for one run
  // Particles that the estimate rests on, on average of the runs: effective ones of a filter; different ones of a smoother.
  double num_particles = 0.0;
};

struct StateEstimates {
  double log_likelihood =
      0.0;             // log of the mean of the likelihoods of the runs, which are unbiased
  double error = 0.0;  // standard error of log_likelihood; infinite for one run
  std::vector<StateEstimate> times;
};

// The bootstrap filter: particles move by draw_transition and are weighed by log_observation [gordon1993]. `theta` are the
// arguments of the callables. Throws Error(usage) for options out of their range, for a model without one of its callables and
// for parameters that aren't finite; Error(evaluation) where no particle has a weight or a callable throws.
CREDO_API StateEstimates filter_states(const StateSpace& states, const std::vector<double>& theta,
                                       const StateRuns& runs = {});

// With log_transition: paths are drawn backwards by it through the particles of the filter [godsill2004]. Without: the lines of the
// last particles [kitagawa1996], of which early times have few that differ (num_particles). Throws the same; and
// Error(program) if log_transition isn't the density of draw_transition, as far as a test by draws sees, or ignores an element.
CREDO_API StateEstimates smooth_states(const StateSpace& states, const std::vector<double>& theta,
                                       const StateRuns& runs = {});

}  // namespace credo
