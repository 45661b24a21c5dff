// Output of credo smooth: likelihood, the number of particles under the paths, and the state by times.
#pragma once
#include "results/estimates/smooth_run.hpp"

namespace credo::cli {

std::string smooth_text(const results::SmoothRun& run);
results::ArrayList smooth_answer(const results::SmoothRun& run);

}  // namespace credo::cli
