// The log evidence from draws of the posterior that are there already: bridge sampling.
//
//   Z = E_g[α q] / E_p[α g],   q the density, p = q / Z, g a normal fitted to half of the draws
//
// with the α that is best where draws are independent, by iteration [meng1996]. Both are warped: points are
// standardised by g, and q is averaged over a point and its mirror image, so that it has g's mean, spread and
// symmetry [meng2002: warp-III].
#pragma once
#include "density/draws.hpp"
#include "infer/core/sample.hpp"
#include "infer/evidence/unseen_modes.hpp"

namespace credo::infer {

struct BridgeOptions {
  std::uint64_t seed = 1;
  Index max_iterations = 1000;
  double tolerance = 1e-10;  // change of the log evidence between two iterations

  static void describe(auto& self, auto&& field) {  // all but the seed, which is the run's
    field(self.max_iterations, FieldSpec{.name = "max_iterations",
                                         .help = "iterations at most",
                                         .range = {.lo = 1.0, .hi = 1e9}});
    field(self.tolerance,
          FieldSpec{.name = "tolerance",
                    .help = "change of the log evidence at which the iteration has converged",
                    .range = positive()});
  }
};

struct BridgeEvidence {
  LogEvidence
      evidence;  // for the density as written; the error counts autocorrelation [fruhwirth2004]
  Index num_iterations = 0, num_evaluations = 0;
  bool converged = false;
  // The largest of the coordinates. Above kMostBridgeRHat the chains haven't been everywhere, and no autocorrelation
  // shows the regions they miss: then the error isn't known (infinite).
  double r_hat = kNaN;
  // Modes that climbs from the prior found: with a mode that the draws lack, the error isn't known, either.
  ModeSearch modes = {};
};
inline constexpr double kMostBridgeRHat = 1.05;

// `draws`: free positions, S × C × D. Throws Error(usage) where there are too few of them for a covariance of
// the dimension, Error(evaluation) where they don't vary in a direction.
BridgeEvidence bridge_evidence(const density::LogDensity& density, const density::Draws& draws,
                               const BridgeOptions& options);

}  // namespace credo::infer
