// A run of an algorithm as a piece of work: the states of its chains, and the draws before them where they are taken, are the
// state of the piece in progress, from which the run is resumed with the same bits.
#pragma once
#include "infer/core/fit_stages.hpp"
#include "infer/smc/filter_checkpoints.hpp"

namespace credo::results {

struct PieceInProgress {
  infer::FilterCheckpoints* states = nullptr;  // keeps the states; may be null
  Index number = 0;                            // of the piece
};

// Keeps a fit that no draws follow.
class FitOfPiece final : public infer::FitKeeper {
 public:
  explicit FitOfPiece(const PieceInProgress& piece) : piece_(piece) {}
  // For infer::FitScope: null if the piece keeps nothing.
  infer::FitKeeper* keeper() { return piece_.states != nullptr ? this : nullptr; }
  std::string kept_fit() override { return piece_.states->kept(piece_.number); }
  bool is_fit_due() override { return stop_asked() || piece_.states->is_due(piece_.number); }
  void keep_fit(const std::string& state) override { piece_.states->keep(piece_.number, state); }

 private:
  PieceInProgress piece_;
};

// Like infer::run_chains, without draws of warm-up. A resumed run hands the draws before its states to `sink` again, and doesn't
// compute them again; without a sink none are kept. `piece` must live as long as the run.
infer::RunResult run_of_piece(const density::LogDensity& density, infer::SampleOptions options,
                              const PieceInProgress& piece, infer::DrawSink* sink = nullptr);

}  // namespace credo::results
