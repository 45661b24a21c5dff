#include "numerics/points/sobol_set.hpp"

#include <bit>

#include "numerics/points/sobol_table.hpp"

namespace credo::numerics {

std::vector<double> scrambled_sobol(Index dimension, Index count, const StreamKey& key) {
  constexpr unsigned kValueDigits = 52;
  const auto m = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
  const std::uint64_t num_turns = (std::uint64_t{1} << m) / 64 + 1;
  std::vector<double> points(static_cast<std::size_t>(count * dimension));
  std::vector<std::uint64_t> turns(num_turns), behind(static_cast<std::size_t>(count));
  const auto starts = points::sobol_starts(dimension);
  for (Index j = 0; j < dimension; ++j) {
    const auto directions = points::sobol_directions(starts[static_cast<std::size_t>(j)]);
    StreamKey own = key;
    own.chain += static_cast<std::uint32_t>(j);
    fill_bits(own, 0, turns);  // bit `choice` turns the digit behind the digits of the choice
    fill_bits(own, num_turns, behind);
    std::uint32_t digits = 0;
    for (Index i = 0; i < count; ++i) {
      std::uint64_t turned = 0;
      for (unsigned k = 0; k < m; ++k) {
        const std::uint64_t choice =
            (std::uint64_t{1} << k) | (std::uint64_t{digits} >> (points::kSobolDigits - k));
        const std::uint64_t digit = (digits >> (points::kSobolDigits - 1 - k)) & 1U;
        turned = (turned << 1U) | (digit ^ ((turns[choice / 64] >> (choice % 64)) & 1U));
      }
      const std::uint64_t rest = behind[static_cast<std::size_t>(i)] >> (64 - kValueDigits + m);
      points[static_cast<std::size_t>(i * dimension + j)] =
          (static_cast<double>((turned << (kValueDigits - m)) | rest) + 0.5) * 0x1p-52;
      const auto changed = static_cast<unsigned>(std::countr_one(static_cast<std::uint64_t>(i)));
      if (changed < static_cast<unsigned>(points::kSobolDigits)) digits ^= directions[changed];
    }
  }
  return points;
}

}  // namespace credo::numerics
