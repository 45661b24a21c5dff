// Points that climbs begin at, which know nothing of each other or of what runs have found.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

// Draws of the prior, where it can be drawn from; else what the density says of a start, else uniform on (-2, 2) in each coordinate.
// Some may have no density.
std::vector<std::vector<double>> independent_starts(const density::LogDensity& density,
                                                    Index num_starts, std::uint64_t seed);

}  // namespace credo::infer
