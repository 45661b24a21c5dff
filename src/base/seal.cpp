#include "base/seal.hpp"

#include "base/error.hpp"

namespace credo {
namespace {
// FNV-1a over words of 8 bytes, the last one filled up with zeros, and the length.
std::uint64_t sum_of(std::string_view bytes) {
  constexpr std::uint64_t kPrime = 0x100000001b3u;
  std::uint64_t sum = 0xcbf29ce484222325u ^ bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    sum = (sum ^ word) * kPrime;
    sum ^= sum >> 32;
  }
  return sum;
}
}  // namespace

std::string sealed(std::string bytes) {
  const std::uint64_t sum = sum_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

std::string_view unsealed(std::string_view bytes, const std::string& source) {
  std::uint64_t sum = 0;
  if (bytes.size() >= sizeof sum) {
    const std::string_view saved = bytes.substr(0, bytes.size() - sizeof sum);
    std::memcpy(&sum, bytes.data() + saved.size(), sizeof sum);
    if (sum == sum_of(saved)) return saved;
  }
  throw Error(ErrorCode::io, "a saved state can't be read: its check sum is another", source,
              "it was written by another version, or the file is damaged");
}

}  // namespace credo
