// The marginal density of some coordinates at a point, from draws of all of them [chen1994]:
//
//   p(t*) = E[ w(t | f) q(t*, f) / q(t, f) ],   (t, f) drawn from q / Z
//
// for any distribution w of t given f; here the normal one of a fit to half of the draws, cut off at 2 T of its
// squares. It has no bandwidth and no bias, and little variance where w is nearly the conditional distribution.
#pragma once
#include "density/draws.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

struct FixedCoordinate {
  Index coordinate;  // index in the unconstrained position
  double value;
};

struct PointDensity {
  LogEvidence log_density;  // on the unconstrained space; its error counts autocorrelation
  double pareto_k = kNaN;   // of the weights: above 0.7 their mean isn't known
  Index num_evaluations = 0;
};

// `draws`: free positions of the density, S × C × D. Throws Error(usage) where there are too few of them for a
// covariance of the dimension, Error(evaluation) where they don't vary in a direction.
PointDensity density_at_point(const density::LogDensity& density, const density::Draws& draws,
                              std::span<const FixedCoordinate> point);

}  // namespace credo::infer
