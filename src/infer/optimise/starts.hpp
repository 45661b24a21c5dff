// Points that climbs begin at, independent of each other and of the results of runs.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

// Draws of the prior, if it can be drawn from; else the density's own start, else uniform on (-2, 2) in each
// coordinate. Some may have no density.
std::vector<std::vector<double>> independent_starts(const density::LogDensity& density,
                                                    Index num_starts, std::uint64_t seed);

}  // namespace credo::infer
