// Initial numbers of each coordinate of Sobol's points.
#pragma once
#include <array>
#include <vector>

#include "base/types.hpp"

namespace credo::numerics::points {

inline constexpr Index kSobolDimensions = 21'201;

struct SobolStart {
  std::uint32_t polynomial;  // primitive over GF(2), of degree s: bit i is the coefficient of x^i
  std::vector<std::uint32_t> numbers;  // s odd numbers, the k-th below 2^k
};

// Starts of the first coordinates: the numbers of Joe and Kuo [joe2008], file new-joe-kuo-6.21201, whose polynomials are all primitive
// ones in their order. 1 <= dimension <= kSobolDimensions.
std::vector<SobolStart> sobol_starts(Index dimension);

// Direction numbers of a coordinate: 32 digits each.
inline constexpr int kSobolDigits = 32;
std::array<std::uint32_t, kSobolDigits> sobol_directions(const SobolStart& start);

}  // namespace credo::numerics::points
