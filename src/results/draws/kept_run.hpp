// A run of an algorithm as a piece of work: the states of its chains, and the draws before them where they are taken, are the
// state of the piece in progress, from which the run is resumed with the same bits.
#pragma once
#include "infer/core/sample.hpp"
#include "infer/smc/filter_checkpoints.hpp"

namespace credo::results {

struct PieceInProgress {
  infer::FilterCheckpoints* states = nullptr;  // keeps the states; may be null
  Index number = 0;                            // of the piece
};

// Like infer::run_chains, without draws of warm-up. A resumed run hands the draws before its states to `sink` again, and doesn't
// compute them again; without a sink none are kept. `piece` must live as long as the run.
infer::RunResult run_of_piece(const density::LogDensity& density, infer::SampleOptions options,
                              const PieceInProgress& piece, infer::DrawSink* sink = nullptr);

}  // namespace credo::results
