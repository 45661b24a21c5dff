// Errors in units in the last place of a double against a reference in 64-bit-significand long
// double, whose own error (a few units of 2^-64) is below 0.01 ulp of a double.
#pragma once
#include <bit>

#include "base/std.hpp"

namespace credo::test {

static_assert(std::numeric_limits<long double>::digits >= 64, "the reference needs more digits");

// The distance of the doubles around x: 2^(e - 52) for 2^e <= |x| < 2^(e+1), 2^-1074 at least.
inline long double ulp(long double x) {
  if (x == 0) return 0x1p-1074L;
  return std::ldexp(1.0L, std::max(std::ilogb(x), -1022) - 52);
}

// |value - exact| in ulp of exact; 0 where both are NaN or value is the infinity that exact rounds
// to, infinite where only one is NaN or infinite.
inline double ulp_error(double value, long double exact) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (std::isnan(value) || std::isnan(exact)) {
    return std::isnan(value) && std::isnan(exact) ? 0 : kInfinite;
  }
  const double rounded = static_cast<double>(exact);
  if (value == rounded) {
    return std::isinf(rounded) ? 0 : static_cast<double>(std::fabs(value - exact) / ulp(exact));
  }
  if (std::isinf(value)) {  // one step beyond the largest finite double is 2^1024
    const long double end = std::copysign(0x1p1024L, static_cast<long double>(value));
    return std::isinf(exact) ? kInfinite : static_cast<double>(std::fabs(end - exact) / ulp(exact));
  }
  return static_cast<double>(std::fabs(value - exact) / ulp(exact));
}

// Numbers for sampling arguments; any decent generator does [steele2014].
struct SplitMix {
  uint64_t state;
  uint64_t bits() {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
};

// Equal chance for every double of [lo, hi] (both of one sign): the logarithm is about uniform.
struct AllDoubles {
  double lo, hi;
};
// Equal chance for every part of [lo, hi].
struct Uniform {
  double lo, hi;
};

inline int64_t ordered_bits(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? std::numeric_limits<int64_t>::min() - bits : bits;
}

inline double draw(const Uniform& range, SplitMix& random) {
  return range.lo + (range.hi - range.lo) * random.uniform();
}

inline double draw(const AllDoubles& range, SplitMix& random) {
  const int64_t first = ordered_bits(range.lo), last = ordered_bits(range.hi);
  const auto width = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
  const auto offset = width == 0 ? random.bits() : random.bits() % width;
  const auto place = static_cast<int64_t>(static_cast<uint64_t>(first) + offset);
  return std::bit_cast<double>(place < 0 ? std::numeric_limits<int64_t>::min() - place : place);
}

using Range = std::variant<Uniform, AllDoubles>;

inline double draw(const Range& range, SplitMix& random) {
  return std::visit([&](const auto& r) { return draw(r, random); }, range);
}

}  // namespace credo::test
