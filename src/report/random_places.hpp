// Places of observed values among their replicates, uniform if the model is right, also for whole numbers.
#pragma once
#include "results/checks/predictive_check.hpp"

namespace credo::report {

// (b + u (e + 1)) / (n + 1) for b of n replicates below the observed value and e equal to it, with u uniform
// [dunn1996]. The random numbers depend on the seed and the variable's number only.
std::vector<double> random_places(const results::Replicated& replicated, std::uint64_t seed,
                                  Index variable);

}  // namespace credo::report
