// Levels of factors beside the quantities that belong to them, in tables.
#pragma once
#include "results/draws/summary.hpp"

namespace credo::cli {

// Puts the level behind the name of each row that belongs to one: "u.3 south", as far as the fit keeps its program and its data.
void label_levels(results::Summary& summary, const results::Fit& fit);

}  // namespace credo::cli
