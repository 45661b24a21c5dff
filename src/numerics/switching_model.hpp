// A switching linear dynamical system [murphy2023, 29.9]: a regime c_t, one of K, moves as a Markov chain, and given all regimes the
// state and the outcomes are linear and Gaussian (numerics/kalman.hpp).
#pragma once
#include "numerics/kalman.hpp"

namespace credo::numerics {

struct SwitchingModel {
  std::vector<std::vector<LinearGaussianStep>> steps;  // [regime][time]
  std::vector<double> initial;  // probabilities of the regimes at the first time
  // [time][before * K + after]; none at the first time.
  std::vector<std::vector<double>> transition;

  Index num_regimes() const { return ssize(initial); }
  Index num_times() const { return ssize(transition); }
};

}  // namespace credo::numerics
