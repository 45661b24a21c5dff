// Conditional sequential Monte Carlo [andrieu2010, sec. 4.3]: particles of which the first one is a given path, and a path drawn
// from them. Leaves the distribution of the path given all outcomes invariant, for two particles or more.
#pragma once
#include "base/rng.hpp"
#include "density/state_space.hpp"

namespace credo::infer {

struct ConditionalOptions {
  Index num_particles = 50;
  // The given path's ancestors are drawn anew at each time [lindsten2014]: by weight times p(x_t | x_{t-1}). Else early states
  // rarely change where there are many times.
  bool ancestor_sampling = true;
  bool guided = false;  // particles move by the program's proposal
};

// Throws Error(program) where the model lacks a density that is needed.
void require_conditional(const density::StateSpace& model, const ConditionalOptions& options);

// `path`, time by time and element by element, becomes the next one. Parents are drawn at each time, independently by their
// weights. Throws Error(evaluation) where the given path has no density, or a function of the model fails.
void conditional_smc(const density::StateSpace& model, const ConditionalOptions& options,
                     std::span<double> path, Rng& rng);

}  // namespace credo::infer
