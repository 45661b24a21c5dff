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

// What was entered for priors that don't integrate to 1, what isn't known, and which are improper.
std::vector<std::string> remarks_on(const density::PriorMass& mass);

}  // namespace credo::results
