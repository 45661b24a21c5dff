// Places of observed values among their replicates, uniform where the model is right: also of whole numbers.
#pragma once
#include "results/checks/predictive_check.hpp"

namespace credo::report {

// Of n replicates b below the observed value and e equal to it: (b + u (e + 1)) / (n + 1), u uniform [dunn1996]. Numbers follow
// from the seed and the variable's number alone.
std::vector<double> random_places(const results::Replicated& replicated, std::uint64_t seed,
                                  Index variable);

}  // namespace credo::report
