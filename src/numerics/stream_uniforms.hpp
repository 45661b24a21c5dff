// The first uniform numbers of many streams at once.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// out[i]: bit for bit the first Rng::uniform() of the stream with this seed and purpose whose chain and iteration are the high and
// the low word of paths[i] (base/rng.hpp).
void uniforms_of_streams(std::uint64_t seed, std::uint32_t purpose,
                         std::span<const std::uint64_t> paths, double* out);

}  // namespace credo::numerics
