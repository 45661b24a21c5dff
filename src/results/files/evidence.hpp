// The log evidence that a sampler estimates is of the target as written; what is reported is that
// of normalised priors.
#pragma once
#include "density/model.hpp"
#include "infer/core/sample.hpp"

namespace credo::results {

// Subtracts the log mass of the model's priors from each chain's log evidence, and says what was
// entered and what couldn't be in the run's warnings. A flat prior on an unbounded range leaves no
// evidence: NaN. Does nothing where no evidence was estimated.
void normalise_evidence(infer::RunResult& result, const density::Model& model);

}  // namespace credo::results
