// Slots and variates.
//
//   slot s of a stream = half (s mod 2) of the Philox block with the counter
//     (s div 2, iteration, chain, purpose + 2^24 attempt),  key = seed.
//
// `attempt` is 0 but where index_below has to reject: then the same slot of another attempt
// decides, so that a rejection doesn't shift the variates behind it.
#include "base/rng.hpp"

#include "base/error.hpp"
#include "base/rng_inv_phi.hpp"

namespace credo {
namespace {
constexpr std::uint32_t kAttemptShift = 24;

PhiloxBlock block_of(const StreamKey& key, std::uint64_t position, std::uint32_t attempt) {
  CREDO_ASSERT(key.purpose < (1u << kAttemptShift), "a purpose has 24 bits");
  CREDO_ASSERT(position >> 33 == 0, "a stream has 2^33 slots");
  return philox_block(key.seed, {static_cast<std::uint32_t>(position / 2), key.iteration, key.chain,
                                 key.purpose + (attempt << kAttemptShift)});
}

// The centre of one of 2^52 equal cells: never 0 or 1, and 1 - u is on the same grid.
double to_uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

double to_normal(std::uint64_t bits) { return inv_phi(to_uniform(bits)); }

__extension__ using Wide = unsigned __int128;
}  // namespace

std::uint64_t Rng::bits() {
  if (!cached_ || position_ % 2 == 0) block_ = block_of(key_, position_, 0);
  cached_ = true;
  return block_[position_++ % 2];
}

double Rng::uniform() { return to_uniform(bits()); }

double Rng::uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }

double Rng::normal() { return to_normal(bits()); }

double Rng::exponential() { return -std::log(uniform()); }

// The high word of bits * n; a product whose low word is below 2^64 mod n falls into a cell that is
// one too full and is drawn again [lemire2019, alg. 5].
Index Rng::index_below(Index n) {
  CREDO_ASSERT(n >= 1, "there is no index below 1");
  const auto size = static_cast<std::uint64_t>(n);
  const std::uint64_t position = position_, surplus = (0 - size) % size;
  Wide product = Wide{bits()} * size;
  for (std::uint32_t attempt = 1; static_cast<std::uint64_t>(product) < surplus; ++attempt)
    product = Wide{block_of(key_, position, attempt)[position % 2]} * size;
  return static_cast<Index>(product >> 64);
}

void fill_bits(const StreamKey& key, std::uint64_t first, std::span<std::uint64_t> out) {
  Rng rng(key, first);
  for (std::uint64_t& value : out) value = rng.bits();
}

void fill_uniform(const StreamKey& key, std::uint64_t first, std::span<double> out) {
  Rng rng(key, first);
  for (double& value : out) value = rng.uniform();
}

void fill_normal(const StreamKey& key, std::uint64_t first, std::span<double> out) {
  Rng rng(key, first);
  for (double& value : out) value = rng.normal();
}

}  // namespace credo
