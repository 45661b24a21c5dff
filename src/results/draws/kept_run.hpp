// A run of an algorithm as a piece of work: the states of its chains are the state of the piece in progress, from which the run
// is resumed with the same bits. Only for runs whose draws nobody reads.
#pragma once
#include "infer/core/sample.hpp"
#include "infer/smc/filter_checkpoints.hpp"

namespace credo::results {

struct PieceInProgress {
  infer::FilterCheckpoints* states = nullptr;  // keeps the states; may be null
  Index number = 0;                            // of the piece
};

// Like infer::run_chains, without draws.
infer::RunResult run_of_piece(const density::LogDensity& density, infer::SampleOptions options,
                              const PieceInProgress& piece);

}  // namespace credo::results
