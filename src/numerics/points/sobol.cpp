// Sobol's points [sobol1967] with the direction numbers of Joe and Kuo [joe2008], nested uniform scrambling [owen1995].
//
// Among 2^m points, each interval of length 2^-m of every coordinate has one, and boxes over several coordinates nearly so.
// Scrambled, the error of a smooth function falls as N^-1.5 against N^-0.5, and is never much above that of
// independent points [owen2013, 17].
#include <bit>

#include "numerics/points/point_rule.hpp"
#include "numerics/points/sobol_table.hpp"

namespace credo::numerics::points {
namespace {
constexpr int kBits = kSobolDigits;  // scrambled digits; at most 2^32 points

class Sobol final : public PointSequence {
 public:
  Sobol(Index dimension, const StreamKey& key) : key_(key) {
    for (const SobolStart& start : sobol_starts(dimension))
      directions_.push_back(sobol_directions(start));
    current_.assign(directions_.size(), 0);
  }

  void next(std::span<double> point) override {
    for (std::size_t j = 0; j < point.size(); ++j) point[j] = scrambled(j, current_[j]);
    // In the order of Gray's code one direction changes from point to point.
    const auto changed = static_cast<std::size_t>(std::countr_one(index_++));
    if (changed >= kBits) return;  // the last point
    for (std::size_t j = 0; j < current_.size(); ++j) current_[j] ^= directions_[j][changed];
  }

 private:
  // Each digit is turned by a random one of its own for each choice of the digits before it; behind the last digit is a
  // random number for each choice of all.
  double scrambled(std::size_t coordinate, std::uint32_t digits) const {
    StreamKey key = key_;
    key.chain += static_cast<std::uint32_t>(coordinate);
    std::uint64_t turned = 0;
    for (int k = 0; k < kBits; ++k) {
      const std::uint64_t before = std::uint64_t{digits} >> (kBits - k);
      const std::uint64_t choice = (std::uint64_t{1} << k) | before;
      const std::uint64_t digit = (digits >> (kBits - 1 - k)) & 1U;
      turned = (turned << 1) | (digit ^ (Rng(key, choice).bits() >> 63));
    }
    const std::uint64_t rest =
        Rng(key, (std::uint64_t{1} << kBits) | digits).bits() >> 44;  // 20 bits
    return (static_cast<double>((turned << 20) | rest) + 0.5) * 0x1p-52;
  }

  StreamKey key_;
  std::vector<std::array<std::uint32_t, kBits>> directions_;
  std::vector<std::uint32_t> current_;
  std::uint64_t index_ = 0;
};
}  // namespace

// Direction numbers of a coordinate, from its primitive polynomial of degree s with the inner coefficients a and its first s
// numbers m: v_k = m_k 2^(32 - k), and  m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ … ^ 2^s m_(k-s) ^ m_(k-s).
std::array<std::uint32_t, kBits> sobol_directions(const SobolStart& start) {
  std::array<std::uint32_t, kBits> v{};
  const auto s = static_cast<int>(start.numbers.size());
  for (int k = 0; k < kBits; ++k) {
    const auto place = static_cast<std::size_t>(k);
    if (k < s) {
      v[place] = start.numbers[place] << (kBits - 1 - k);
      continue;
    }
    const std::uint32_t oldest = v[static_cast<std::size_t>(k - s)];
    v[place] = oldest ^ (oldest >> s);
    for (int i = 1; i < s; ++i)
      if ((start.polynomial >> (s - i)) & 1U) v[place] ^= v[static_cast<std::size_t>(k - i)];
  }
  return v;
}

extern const PointRule sobol{
    .name = "sobol",
    .summary = "Sobol's points with Owen's scrambling: far less error of smooth expressions",
    .reference = "owen1995",
    .largest_dimension = kSobolDimensions,
    .multiple_of = 1,
    .wants_power_of_two = true,
    .make = [](Index dimension, Index, const StreamKey& key) -> std::unique_ptr<PointSequence> {
      return std::make_unique<Sobol>(dimension, key);
    }};

}  // namespace credo::numerics::points
