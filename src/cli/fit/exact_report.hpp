// Output of credo exact: sums, the most probable configuration, and the probabilities of each parameter's values.
#pragma once
#include "results/estimates/exact_run.hpp"

namespace credo::cli {

// `sum_is`: name of the sum, such as "the log evidence".
std::string exact_text(const results::ExactRun& run, const std::string& sum_is);

}  // namespace credo::cli
