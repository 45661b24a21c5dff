// A climb of an objective by estimated gradients: each step takes new draws of the family, and new rows of the likelihood if it
// works in batches.
//
// Stop `stationary` [welandawe2022]: a step size is kept until the parameters λ vary about a fixed place, by R-hat of
// the two halves of the last half of the iterates below 1.1 and a root mean square error of their averages below 2 tolerances. Then the averages of
// this step size and of the one before give δ = √(KL(q ‖ q') + KL(q' ‖ q)) / √D, in standard deviations, and steps are
// halved. It stops where the changes to come, δ ρ / (1 - ρ) with ρ the ratio of the last two (0.5 to 0.84; 0.71 at first), are below the tolerance, or
// where the last change is below twice its own error, by the halves of the iterates: then shorter steps cost more than they gain. Differs from the source: ρ is that of two changes,
// not of a regression over all; the change is by coordinate.
//
// Stop `patience` [ranganath2014]: the bound is averaged over windows of steps; it stops where so many windows brought
// no higher one, at the average of λ from the best one on.
#pragma once
#include "infer/variational/batches.hpp"
#include "infer/variational/bound.hpp"
#include "infer/variational/estimators.hpp"

namespace credo::infer {

struct StochasticClimbSetup {
  const density::LogDensity& density;  // a density of batches, if options.batch > 0
  Index num_rows = 0;                  // of its likelihood, for batches
  Objective objective;
  const EstimatorSpec& estimator;
  const BoundOptions& options;  // step_draws, optimizer, step, stop, ..., seed
  double start_height =
      -kInfinity;  // a bound that is far above the course shows that the climb is lost
  // All rows, for gradients relative to an anchor; null: those of batches stay as they are.
  const density::LogDensity* whole = nullptr;
};

// Throws Error(evaluation) where the draws have no density.
FittedFamily climb_stochastic(const StochasticClimbSetup& setup,
                              std::unique_ptr<NormalFamily> family);

// KL(p ‖ q) + KL(q ‖ p) of two normal distributions.
double symmetric_divergence(NormalFamily& p, NormalFamily& q);

}  // namespace credo::infer
