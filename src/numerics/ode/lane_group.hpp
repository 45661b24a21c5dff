// Vectors of several lanes, [element][lane], are worked on in groups of eight doubles, in which the
// lanes repeat: place j of a group belongs to lane j % lanes.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

inline constexpr Index kLaneGroup = 8;
using LaneGroup = std::array<double, static_cast<std::size_t>(kLaneGroup)>;

// Memory that ends with a whole group.
inline Index padded_to_groups(Index size) {
  return (size + kLaneGroup - 1) / kLaneGroup * kLaneGroup;
}

}  // namespace credo::numerics
