// Where a chain starts.
#pragma once
#include "infer/point.hpp"
#include "infer/step.hpp"

namespace credo::infer {

inline constexpr Index kMaxInitTries = 100;

struct InitOptions {
  double radius = 2.0;
  std::span<const double> given = {};  // empty, or D values; NaN: to be drawn
  double spread = 0.0;  // a value that isn't drawn, given or 0, is moved by at most this
  density::DiscreteBlock discrete = {};  // the last values
  std::uint64_t seed = 1;
  Index chain = 0;
};

// Fills the state with the first point, of at most kMaxInitTries drawn uniformly on (-radius,
// radius)^D, that has a finite log density and, if the state has one, gradient. A point without
// anything to draw is tried once. The discrete block is drawn within its bounds; a point that is
// refused has two sweeps of Gibbs updates to become possible. Returns the number of tries. Throws
// Error(evaluation), which names what refused the points and how often; `density` is asked to
// describe, and to update its discrete block.
Step<Index> find_initial_point(PointState& state, InitOptions options,
                               const density::LogDensity& density);

}  // namespace credo::infer
