// Detects draws outside the support that the program declares, as a negative scale. No run writes them, so that the
// file is damaged or belongs to another program.
#pragma once
#include "density/program_facts.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// Checks all draws after warm-up of variables with numeric bounds, simplexes and unit vectors; missing values are
// skipped. A value may exceed a bound by the rounding of its digits: 3.14159 for a bound of pi in a file with six
// digits. Throws Error(data) with the variable, the draw and the bound.
void require_support(const Fit& fit, const density::ProgramFacts& program);

// Largest rounding error of a number that was written with few digits, or as a float.
double rounding_of(double value);

}  // namespace credo::results
