// The state of a state-space model over time, from a file of credo filter or credo smooth: bands of its elements, the outcomes,
// regimes and effective particles, all by time.
#pragma once
#include "report/picture.hpp"
#include "results/estimates/state_file.hpp"

namespace credo::report {

// `elements`: of the state, by their numbers; empty: the first ones.
Picture states_picture(const results::StateFile& file, std::span<const Index> elements = {});

}  // namespace credo::report
