// A run of a program as experiments judge it: what it wrote, and how often it diverged.
#pragma once
#include "examples/support/program.hpp"
#include "infer/core/sample.hpp"

namespace credo::examples {

struct Fit {
  Written draws;
  double num_divergent;  // transitions after warm-up, of all chains
};

// Throws what run_chains throws.
inline Fit fit(const model::Model& model, const infer::SampleOptions& options) {
  infer::StoredDraws store;
  const infer::RunResult result = infer::run_chains(model, options, store);
  double num_divergent = 0.0;
  for (const infer::ChainResult& chain : result.chains)
    num_divergent += static_cast<double>(chain.num_divergent);
  return {Written(model, store.draws), num_divergent};
}

}  // namespace credo::examples
