// Points that fill the unit cube, and whose mean estimates an integral over it: independent ones, and rules that are more
// even than those [owen2013]. Each is randomised: every point is uniform on the cube, so a mean over the points is
// unbiased, and means of independent replicates show their error.
#pragma once
#include <memory>
#include <string_view>

#include "base/rng.hpp"

namespace credo::numerics {

// The points of one replicate, in their order. Working memory of one thread.
class PointSequence {
 public:
  virtual ~PointSequence() = default;
  // The next point: numbers in the open interval (0, 1), as many as the dimension. At most as many points as were announced.
  virtual void next(std::span<double> point) = 0;
};

struct PointRule {
  std::string_view name, summary;
  const char* reference;    // a key of docs/references.bib
  Index largest_dimension;  // kMostDimensions: any
  Index multiple_of;        // so many points belong together
  bool wants_power_of_two;  // their number; others are taken, and are less even
  // Replicate `key.iteration` of the seed and chain in `key`; the same key gives the same points.
  std::unique_ptr<PointSequence> (*make)(Index dimension, Index num_points, const StreamKey& key);
};

inline constexpr Index kMostDimensions = 1'000'000;

std::span<const PointRule* const> point_rules();  // alphabetical

}  // namespace credo::numerics
