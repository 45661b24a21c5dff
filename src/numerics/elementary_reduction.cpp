// Reduction of huge arguments modulo pi/2 [payne1983].
//
//   |x| = M 2^e, M an integer of 53 bits;  |x| 2/pi mod 4 needs the bits of 2/pi from weight
//   2^-(e-2) on: those before it make multiples of 4. 192 of them leave an error of 2^53 2^-190 =
//   2^-137; no double is nearer than 2^-62 to a multiple of pi/2, so 75 bits of the remainder are
//   right.
#include "numerics/elementary_reduction.hpp"

#include <bit>

#include "base/std.hpp"

namespace credo::numerics {
namespace {

// The fraction bits of 2/pi, most significant word first.
constexpr std::array<uint64_t, 20> kTwoOverPi = {
    0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u,
    0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u,
    0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu, 0x1ff897ffde05980fu,
    0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du, 0x7527bac7ebe5f17bu,
    0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu, 0xf0cfbc209af4361du,
};
constexpr double kPiOver2 = 0x1.921fb54442d18p+0, kPiOver2Rest = 0x1.1a62633145c07p-54;

__extension__ using Wide = unsigned __int128;
using Words = std::array<uint64_t, 3>;  // 192 bits, most significant first

uint64_t word_at(int index) { return index < 0 ? 0 : kTwoOverPi[static_cast<size_t>(index)]; }

// 64 bits of 2/pi after its first `start` fraction bits; bits before the first are 0.
uint64_t bits_from(int start) {
  const int word = (start + 64) / 64 - 1, shift = start - 64 * word;  // start >= -64
  if (shift == 0) return word_at(word);
  return (word_at(word) << shift) | (word_at(word + 1) >> (64 - shift));
}

// factor g modulo 2^192
Words multiply(uint64_t factor, const Words& g) {
  const Wide low = static_cast<Wide>(factor) * g[2];
  const Wide middle = static_cast<Wide>(factor) * g[1] + (low >> 64);
  const uint64_t high = factor * g[0] + static_cast<uint64_t>(middle >> 64);
  return {high, static_cast<uint64_t>(middle), static_cast<uint64_t>(low)};
}

Words shift_left(const Words& w, int n) {  // 0 <= n < 64
  if (n == 0) return w;
  return {(w[0] << n) | (w[1] >> (64 - n)), (w[1] << n) | (w[2] >> (64 - n)), w[2] << n};
}

Words negate(const Words& w) {
  const uint64_t low = ~w[2] + 1, middle = ~w[1] + (low == 0 ? 1 : 0);
  return {~w[0] + (low == 0 && middle == 0 ? 1 : 0), middle, low};
}

// w / 2^192 as a sum of two doubles of 53 bits each; w has at most 64 leading zeros more than 63.
std::pair<double, double> as_pair(Words w) {
  int exponent = 0;
  while (w[0] == 0 && exponent > -128) {
    w = {w[1], w[2], 0};
    exponent -= 64;
  }
  const int zeros = std::countl_zero(w[0]);
  w = shift_left(w, zeros & 63);
  const uint64_t first = w[0] >> 11, second = ((w[0] & 0x7FFu) << 42) | (w[1] >> 22);
  exponent -= zeros & 63;
  return {std::ldexp(static_cast<double>(first), exponent - 53),
          std::ldexp(static_cast<double>(second), exponent - 106)};
}

}  // namespace

HugeReduction reduce_huge(double x) {
  const auto bits = std::bit_cast<uint64_t>(std::fabs(x));
  const int start = static_cast<int>(bits >> 52) - 1075 - 2;
  const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  const Words product =
      multiply(significand, {bits_from(start), bits_from(start + 64), bits_from(start + 128)});
  const bool above_half = (product[0] >> 61 & 1) != 0;
  const Words fraction = shift_left(product, 2);
  const auto [hi, lo] = as_pair(above_half ? negate(fraction) : fraction);
  // the product with pi/2, exact to the last bit of lo; std::fma is exact with or without hardware
  const double leading = hi * kPiOver2;
  const double rest = std::fma(hi, kPiOver2, -leading) + (hi * kPiOver2Rest + lo * kPiOver2);
  const double sum = leading + rest, error = rest - (sum - leading);
  const double sign = std::signbit(x) ? -1 : 1, side = above_half ? -sign : sign;
  const double quadrant = static_cast<double>((product[0] >> 62) + (above_half ? 1 : 0));
  return {side * sum, side * error, sign * quadrant};
}

}  // namespace credo::numerics
