// A hash of numbers by their bits: equal only if every bit is.
#pragma once
#include <bit>

#include "base/types.hpp"

namespace credo::testing {

inline std::uint64_t hash_bits(std::span<const double> values,
                               std::uint64_t hash = 0xCBF29CE484222325ULL) {
  for (const double value : values) {
    const double canonical = std::isnan(value) ? kNaN : value;
    hash = (hash ^ std::bit_cast<std::uint64_t>(canonical)) * 0x100000001B3ULL;
  }
  return hash;
}

}  // namespace credo::testing
