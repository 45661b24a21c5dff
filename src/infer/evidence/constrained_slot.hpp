// A point on its way within nested sampling, and its candidate. Only for the files that move it.
#pragma once
#include "infer/evidence/constrained.hpp"

namespace credo::infer {

struct ConstrainedMoves::Slot {
  Index point;
  Rng& rng;
  const Metric& metric;  // from points among which its start isn't
  std::vector<double> candidate, position, direction, noise;
  double log_prior = -kInfinity, log_likelihood = -kInfinity;  // at the candidate
  double log_density = -kInfinity;                             // of its coordinates
  Index num_candidates = 0, num_taken = 0;
  std::vector<double> gradient = {}, prior_gradient = {};  // for steps that reflect
  std::vector<double> slope =
      {};  // for Hamiltonian moves: gradient of the prior, in standardised coordinates
};

}  // namespace credo::infer
