#include "base/seal.hpp"

#include <bit>

#include "base/error.hpp"

namespace credo {
namespace {
constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15u;

// Mixes two words; one to one in each argument.
std::uint64_t stirred(std::uint64_t sum, std::uint64_t word) {
  return std::rotl((sum ^ word) * kPrime, 32);
}

constexpr std::size_t kLanes = 8;
using Words = std::array<std::uint64_t, kLanes>;

Words taken(Words sums, const char* at) {
  Words words;
  std::memcpy(words.data(), at, sizeof words);
#pragma GCC unroll 8
  for (std::size_t k = 0; k < kLanes; ++k) sums[k] = stirred(sums[k], words[k]);
  return sums;
}
}  // namespace

// Eight sums side by side, each of every eighth word of 8 bytes, since a multiplication waits for
// the one before; the last words are filled up with zeros, and the length is in the start.
std::uint64_t check_sum(std::string_view bytes, std::uint64_t start) {
  Words sums{};
  for (std::size_t k = 0; k < kLanes; ++k) sums[k] = stirred(start ^ bytes.size(), k + 1);
  const std::size_t whole = bytes.size() / sizeof sums * sizeof sums;
  for (std::size_t at = 0; at < whole; at += sizeof sums) sums = taken(sums, bytes.data() + at);
  if (whole < bytes.size()) {
    std::array<char, sizeof sums> rest{};
    std::memcpy(rest.data(), bytes.data() + whole, bytes.size() - whole);
    sums = taken(sums, rest.data());
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum = stirred(sum, part);
  return sum;
}

std::string sealed(std::string bytes) {
  const std::uint64_t sum = check_sum(bytes, 0);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

std::string_view unsealed(std::string_view bytes, const std::string& source) {
  std::uint64_t sum = 0;
  if (bytes.size() >= sizeof sum) {
    const std::string_view saved = bytes.substr(0, bytes.size() - sizeof sum);
    std::memcpy(&sum, bytes.data() + saved.size(), sizeof sum);
    if (sum == check_sum(saved, 0)) return saved;
  }
  throw Error(ErrorCode::io, "a saved state can't be read: its check sum is another", source,
              "it was written by another version, or the file is damaged");
}

}  // namespace credo
