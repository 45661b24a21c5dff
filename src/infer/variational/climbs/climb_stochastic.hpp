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
// Families that aren't normal have no such distance in closed form. Their levels end, and steps are halved, where the mean of the bound over
// windows of steps no longer rises; the climb ends where a level has raised the bound by less than `tolerance` nats.
//
// Stop `patience` [ranganath2014]: the bound is averaged over windows of steps; it stops where so many windows brought
// no higher one, at the average of λ from the best one on.
#pragma once
#include "infer/variational/climbs/batches.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/climbs/estimators.hpp"

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
  const density::LogDensity* prior = nullptr;  // the prior alone, for gvi
};

// Moves the family to its best member. Throws Error(usage) where the family lacks what the estimator takes, Error(evaluation) where
// the draws have no density.
ClimbResult climb_stochastic(const StochasticClimbSetup& setup, DistributionFamily& family);

// Signal-to-noise ratios of estimated gradients [rainforth2018]: |mean| over standard deviation of each component.
class GradientNoise {
 public:
  void take(std::span<const double> gradient);
  // Mean over the components that vary; NaN of fewer than two gradients.
  double ratio() const;
  void clear() { count_ = 0; }
  static void saved(auto& self, auto&& field) {
    field(self.count_);
    field(self.means_);
    field(self.squares_);
  }

 private:
  Index count_ = 0;
  std::vector<double> means_, squares_;  // squares of deviations from the mean, summed
};

// KL(p ‖ q) + KL(q ‖ p) of two normal distributions.
double symmetric_divergence(NormalFamily& p, NormalFamily& q);

}  // namespace credo::infer
