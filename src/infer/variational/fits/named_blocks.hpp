// Parameters of a model by name, and its likelihood in batches of rows.
#pragma once
#include <memory>

#include "density/log_density.hpp"

namespace credo::infer {

// Coordinates of each block of parameters, from texts as "mu+tau"; each parameter that none names is a block of its own. In
// a density without names each coordinate is one. Throws Error(usage) for texts and no names, and for a name that it doesn't have or has in two blocks.
std::vector<std::vector<Index>> named_blocks(const density::LogDensity& density,
                                             std::span<const std::string> texts);

// The density whose requests give `size` rows of the likelihood with their weights, for as long as `density` lives. Throws Error(usage)
// where its rows aren't known, or are fewer than two batches.
std::unique_ptr<density::LogDensity> density_of_batches(const density::LogDensity& density,
                                                        Index size);

}  // namespace credo::infer
