// A run whose parameters alone are kept, in memory: one of many fits that a check is made of.
#pragma once
#include "results/draws/kept_run.hpp"
#include "results/files/run_store.hpp"

namespace credo::results {

class QuietRun {
 public:
  // Draws from `density`, which has the parameters of the model: the model itself if it is null. Both must live as long.
  // Throws as infer::run_chains does, and Stopped where the caller is to stop. It is resumed from the state of `piece`, if
  // there is one, to the same bits.
  QuietRun(const density::Model& model, infer::SampleOptions options,
           const density::LogDensity* density = nullptr, const PieceInProgress& piece = {});

  const Fit& fit() const { return store_; }
  Index num_divergent() const;  // transitions after warm-up

 private:
  static RunPlace parameters_of(const density::Names& names);
  infer::SampleOptions options_;  // the store refers to it
  RunStore store_;
};

}  // namespace credo::results
