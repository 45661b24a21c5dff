// The log evidence that a sampler estimates is that of the target as written; the reported one is that
// of normalised priors.
#pragma once
#include "density/model.hpp"
#include "infer/core/sample.hpp"

namespace credo::results {

// Subtracts the log mass of the model's priors from each chain's log evidence, with warnings on the corrections
// that were made or couldn't be made. A flat prior on an unbounded range leaves no
// evidence: NaN. Does nothing where no evidence was estimated.
//
// Bounds of an approximation (tuned_bound and others) become those of normalised priors in the same way, and `tuned_prior_log_mass` says by
// how much. With an improper prior they stay relative to it, and the mass is NaN.
void normalise_evidence(infer::RunResult& result, const density::Model& model);

// Remarks on priors that don't integrate to 1: corrections, unknown integrals, and improper priors.
std::vector<std::string> remarks_on(const density::PriorMass& mass);

}  // namespace credo::results
