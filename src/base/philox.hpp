// Philox4x32-10 [salmon2011]: a bijection of 128-bit counters for every 64-bit key, good as a
// random function of (key, counter). The one place that knows the library behind it is philox.cpp.
#pragma once
#include "base/std.hpp"

namespace credo {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxBlock = std::array<std::uint64_t, 2>;

// The block of a counter: words 0 and 1 of the cipher are the low and high half of entry 0, words 2
// and 3 of entry 1.
PhiloxBlock philox_block(std::uint64_t key, const PhiloxCounter& counter);

}  // namespace credo
