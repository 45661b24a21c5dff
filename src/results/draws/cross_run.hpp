// The second run of a cross-check: which algorithm, how many particles or chains, and how long it may take.
//
// Its budget is counted in evaluations, as a multiple of those of the first run, and is dealt out to its populations or
// chains in equal parts, each of which stops the run when its part is spent. So whether the budget holds doesn't depend on the
// clock, on threads, or on a break.
#pragma once
#include "results/files/run_spec.hpp"
#include "results/files/run_store.hpp"

namespace credo::results {

struct CrossPlan {
  infer::SampleOptions run = {};
  Index evaluations_each = 0;    // most evaluations of a population or chain
  std::string reservation = {};  // why agreement isn't counted as one; empty: it is
  std::string words = {};        // "smc, 16 populations of 64 particles"
};

// The algorithm by its name: "auto" is smc, or nuts for a run that is one of particles itself. Throws Error(usage) for one that climbs,
// that is biased, or that is the run's own, and where a cross-check can't be made of the run.
std::string cross_algorithm(const CrossCheckSpec& spec, const infer::SampleOptions& run);

// `first`: the run that is checked, `result` its result. The seed is another one, and follows from the run's.
CrossPlan plan_cross_run(const CrossCheckSpec& spec, const infer::SampleOptions& first,
                         const infer::RunResult& result, const density::LogDensity& density);

// Runs it; the store is closed then. Why it has no draws to compare, as a sentence's end; empty: it has. Throws Stopped where the
// caller is to stop, and what the store throws.
std::string run_within_budget(const density::LogDensity& density, const CrossPlan& plan,
                              RunStore& store);

}  // namespace credo::results
