// Levels of factors beside the quantities that belong to them, in tables.
#pragma once
#include "results/draws/summary.hpp"

namespace credo::cli {

// Appends the level to the name of each row that has one: "u.3 south". Needs a fit that keeps its program and data.
void label_levels(results::Summary& summary, const results::Fit& fit);

}  // namespace credo::cli
