// Into which parts sums over many elements are cut: a function of sizes alone, so that parts may
// be taken up by any thread and joined in order (docs/determinism.md).
#pragma once
#include "base/types.hpp"

namespace credo::graph {

inline constexpr int kSumShift = 10;  // a block of sums has 2^10 elements

// scatter_add over `size` elements into `targets`: every chunk of 2^shift elements is added up from
// zero. A chunk has several elements for each target, so that the zeros and the joining are cheap
// beside it, and there are at most kMostChunks.
inline constexpr Index kMostChunks = 16;
inline int scatter_shift(Index size, Index targets) {
  constexpr Index kElementsPerTarget = 4;
  int shift = kSumShift + 1;
  while ((Index{1} << shift) < kElementsPerTarget * targets || (kMostChunks << shift) < size)
    ++shift;
  return shift;
}

inline Index num_chunks(Index size, int shift) { return ((size - 1) >> shift) + 1; }

}  // namespace credo::graph
