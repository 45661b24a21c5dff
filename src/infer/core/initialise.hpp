// Start of a chain.
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/step.hpp"

namespace credo::infer {

inline constexpr Index kMaxInitTries = 100;
inline constexpr Index kPriorStarts = 8;  // draws from the prior, of which one is chosen

struct InitOptions {
  double radius = 2.0;
  bool from_prior = false;             // if the density has one (LogDensity::draw_start)
  std::span<const double> given = {};  // empty, or D values; NaN: to be drawn
  double spread = 0.0;  // a value that isn't drawn, given or 0, is moved by at most this
  density::DiscreteBlock discrete = {};  // the last values
  std::uint64_t seed = 1;
  Index chain = 0;
};

// Fills the state with a point that has a finite log density and, if the state has one, gradient:
// one of kPriorStarts draws from the prior, by what the density adds to it
// (docs/design/infer.md, "Starts"); where all are refused, or no prior is known, the first of at
// most kMaxInitTries points drawn uniformly on (-radius, radius)^D. A point without anything to
// draw is tried once. The discrete block is drawn within its bounds; a point that is refused has
// two sweeps of Gibbs updates to become possible. Returns the number of tries up to the first
// possible point. Throws Error(evaluation), which names what refused the uniform points and how
// often; `density` describes, draws, and updates its discrete block.
Step<Index> find_initial_point(PointState& state, InitOptions options,
                               const density::LogDensity& density);

}  // namespace credo::infer
