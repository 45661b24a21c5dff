// The random numbers of findings. Seeds are fixed, so that a verdict is a function of the run.
#pragma once
#include "base/rng.hpp"
#include "base/stream.hpp"

namespace credo::verdict {

inline constexpr std::uint32_t kVerdictStream = stream("verdict", 0);

}  // namespace credo::verdict
