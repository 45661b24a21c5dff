// Output of credo filter: likelihood, effective particles, and the state by times.
#pragma once
#include "results/estimates/filter_run.hpp"

namespace credo::cli {

// `moves`: how particles moved; empty: not reported.
std::string filter_text(const results::FilterRun& run, const std::string& moves);
results::ArrayList filter_answer(const results::FilterRun& run);

}  // namespace credo::cli
