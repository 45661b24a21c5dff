// Purposes of random streams, named by their owners: a new algorithm has streams of its own without a change in another file.
//
//   constexpr std::uint32_t kMoves = stream("filter.moves");
//
// The number is a hash of the name and at least 2^20. Purposes that several layers share are in base/rng.hpp. tools/structure
// fails if two purposes have one number.
#pragma once
#include <cstdint>
#include <string_view>

namespace credo {

inline constexpr std::uint32_t kFirstHashedStream = 1u << 20, kEndOfStreams = 1u << 24;

consteval std::uint32_t stream(std::string_view name) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return kFirstHashedStream + hash % (kEndOfStreams - kFirstHashedStream);
}

// A purpose whose number is older than its name; draws stand on it.
consteval std::uint32_t stream(std::string_view /*name*/, std::uint32_t number) {
  return number < kFirstHashedStream ? number : throw "numbers from 2^20 on are those of hashes";
}

}  // namespace credo
