// Numbered pieces of work over ranks (base/ranks.hpp): every rank takes the pieces to be done in turn, and does
// its own over threads. Results go to rank 0 as bytes.
#pragma once
#include "base/ranks.hpp"

namespace credo::results {

struct RankPieces {
  std::span<const Index> pieces;  // pieces to be done; rank 0's count
  Index num_threads = 0;          // threads of each rank; 0: its share of the machine's
  // Called once on each thread; the returned function does a piece.
  std::function<std::function<std::string(Index piece)>()> make_worker;
  std::function<void(Index piece, const std::string& result)>
      take;  // on rank 0, one call at a time
};

// Rank 0 has all results then. Every other rank ends with ShareDone. Throws what went wrong on any.
void share_out_over(Ranks& ranks, const RankPieces& work);

}  // namespace credo::results
