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
#include "infer/variational/bound.hpp"
#include "infer/variational/estimators.hpp"

namespace credo::infer {

struct StochasticClimbSetup {
  const density::LogDensity& density;  // a density of batches, if options.batch > 0
  Index num_rows = 0;                  // of its likelihood, for batches
  Objective objective;
  const EstimatorSpec& estimator;
  const BoundOptions& options;                 // step_draws, optimizer, step, stop, ..., seed
  const density::LogDensity* prior = nullptr;  // of gvi
};

// Throws Error(evaluation) where the draws have no density.
FittedFamily climb_stochastic(const StochasticClimbSetup& setup,
                              std::unique_ptr<NormalFamily> family);

// Numbers of the rows of step t, from 0: permutations of all rows one after another, so that each is used once before any is
// used again.
class BatchRows {
 public:
  BatchRows(Index num_rows, Index size, std::uint64_t seed);
  std::span<const double> next();
  double weight() const;  // weight of each row: N / size

 private:
  void shuffle();
  std::uint64_t seed_;
  std::uint32_t epoch_ = 0;
  std::size_t used_ = 0;
  std::vector<double> order_, batch_;
};

// Signal-to-noise ratios of estimated gradients [rainforth2018]: |mean| over standard deviation of each component.
class GradientNoise {
 public:
  void take(std::span<const double> gradient);
  // Mean over the components that vary; NaN of fewer than two gradients.
  double ratio() const;
  void clear() { count_ = 0; }

 private:
  Index count_ = 0;
  std::vector<double> means_, squares_;  // squares of deviations from the mean, summed
};

// KL(p ‖ q) + KL(q ‖ p) of two normal distributions.
double symmetric_divergence(NormalFamily& p, NormalFamily& q);

}  // namespace credo::infer
