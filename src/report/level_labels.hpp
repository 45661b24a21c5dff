// Levels of factors, from the tables that a fit keeps.
#pragma once
#include "results/files/fit.hpp"

namespace credo::report {

using Levels = std::map<std::string, std::vector<std::string>>;  // by variable, code 1 first

// Empty if the fit keeps no tables or they can't be read; codes are shown then.
Levels levels_of(const results::Fit& fit);
// The level of a code; the number if there is no such level.
std::string label_of(const Levels& levels, const std::string& variable, double value);

}  // namespace credo::report
