// A whole set of scrambled points of Sobol at once.
#pragma once
#include "base/rng.hpp"
#include "base/stream.hpp"

namespace credo::numerics {

// Points in the unit cube; chain: the coordinate; iteration: the replicate.
inline constexpr std::uint32_t kCubePoints = stream("cube_points", 14);

// The first `count` of Sobol's points, nested uniform scrambling [owen1995]: [point][coordinate], within (0, 1). They have
// the distribution of the rule "sobol" (points/point_rule.hpp), by other random numbers and at a tenth of its time:
// the first m digits of 2^m points
// distinguish them, so that their scrambling is a table, and all digits behind them are one random number. At most 2^31 points.
std::vector<double> scrambled_sobol(Index dimension, Index count, const StreamKey& key);

}  // namespace credo::numerics
