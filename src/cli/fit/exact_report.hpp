// What credo exact says: sums, the most probable configuration, and the probabilities of each parameter's values.
#pragma once
#include "results/estimates/exact_run.hpp"

namespace credo::cli {

// What the sum is of: "the log evidence".
std::string exact_text(const results::ExactRun& run, const std::string& sum_is);

}  // namespace credo::cli
