// Levels of factors beside the quantities that belong to them, in tables.
#pragma once
#include <functional>

#include "results/draws/summary.hpp"

namespace credo::cli {

// Appends the level to the name of each row that has one, "u.3 south", and the name in the formula of a regression,
// "sd_Subject.1 = sd(Subject, intercept)". Needs a fit that keeps its program and data.
void label_levels(results::Summary& summary, const results::Fit& fit);

// The level of an element by its name ("south" for "u.3"), or an empty text.
std::function<std::string(const std::string& element)> element_levels(const results::Fit& fit);

}  // namespace credo::cli
