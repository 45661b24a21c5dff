// State of a state-space model over time, from a file of credo filter or credo smooth: bands of its elements,
// outcomes, regimes and effective particles.
#pragma once
#include "report/picture.hpp"
#include "results/estimates/state_file.hpp"

namespace credo::report {

// `elements`: indices of the drawn elements; empty: the first ones.
Picture states_picture(const results::StateFile& file, std::span<const Index> elements = {});

}  // namespace credo::report
