// The Hilbert curve through a cube of cells, along which neighbours are neighbours in space.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// The place of a cell on the curve: `cell` has n coordinates of `bits` bits each, n * bits at most 64 [skilling2004].
std::uint64_t place_on_curve(std::span<const std::uint32_t> cell, int bits);

// Points one after another, in the order in which the curve meets them: one coordinate is sorted by size, 2 to 32 coordinates by
// cells of the points after each coordinate was scaled by its mean and standard deviation and put into (0, 1), more by the
// first 32. Points of one cell stay in their order.
std::vector<Index> order_along_curve(std::span<const double> points, Index dimension);

}  // namespace credo::numerics
