// State of a state-space model over time, from a file of credo filter or credo smooth: bands of its elements,
// outcomes, regimes and effective particles.
#pragma once
#include "report/picture.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::report {

bool has_states(const results::ArrayResult& file);  // by its groups
// `columns`: patterns of the drawn elements; none: the first ones. Throws Error(usage) and Error(data).
Picture states_picture(const results::ArrayResult& file, std::span<const std::string> columns = {});

}  // namespace credo::report
