// Draws from a conditional distribution of one continuous variable that is known by its log density up to a
// constant: by rejection, by inversion, and by adaptive rejection with a Metropolis step.
#pragma once
#include "base/error.hpp"
#include "base/rng.hpp"

namespace credo::infer::gibbs {

using LogDensity1d = std::function<double(double)>;

// Candidates from propose(rng), each accepted with probability exp(log_ratio(x)), log_ratio = log
// density less log of an envelope of it, at most 0. Throws Error(evaluation) where it isn't, or
// after max_tries.
double draw_by_rejection(const LogDensity1d& log_ratio, const std::function<double(Rng&)>& propose,
                         Rng& rng, Index max_tries = 1'000'000);

// The x in [lo, hi] with cdf(x) = u, for uniform u: bisection until the interval can't be halved.
// cdf must not fall and have the values 0 and 1 at the ends, or nearly.
struct Interval {
  double lo, hi;
};
double draw_by_inversion(const std::function<double(double)>& cdf, const Interval& support,
                         Rng& rng);

// Adaptive rejection Metropolis sampling [gilks1995]: a piecewise exponential envelope through
// points of the log density, refined where a candidate is rejected, then one Metropolis step that
// makes up for where the envelope lies below the density. Log-concave densities need no such step
// and get independent draws [gilks1992]; for all others it leaves the distribution invariant.
struct ArmsOptions {
  Interval support{-kInfinity, kInfinity};
  // At least three ascending points within the support where the density is positive. Outside of
  // them the envelope goes on straight, so without a bound it must fall there.
  std::vector<double> points;
  Index max_points = 100;
  bool metropolis_step = true;  // false: right for log-concave densities only
};
struct ArmsDraw {
  double value = 0.0;
  Index num_evaluations = 0;
  bool moved = true;  // false: the Metropolis step kept the current value
};
// Throws Error(data) for points that don't fit, Error(evaluation) for a density that isn't finite
// at them or whose envelope has no finite mass.
ArmsDraw draw_by_arms(const LogDensity1d& log_density, double current, const ArmsOptions& options,
                      Rng& rng);

}  // namespace credo::infer::gibbs
