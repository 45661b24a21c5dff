// Options of an algorithm that come from the draws or the distribution of another fit. These values replace the file in the options, so that
// a run like this one needn't have it.
#pragma once
#include "density/model.hpp"
#include "infer/core/sample.hpp"

namespace credo::cli {

// Throws Error(usage) for a file that has no draws, or whose distribution isn't known, with the way out.
void take_fitted_inputs(infer::SampleOptions& options, const density::Model& model);
void take_fitted_map(infer::KernelOptions& options, const density::Model& model);

}  // namespace credo::cli
