// Draws that lie outside of what the program declares, as a negative scale: no run writes them, so the file is damaged or
// belongs to another program.
#pragma once
#include "density/program_facts.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// Looks at all draws after warm-up of variables with bounds that are numbers, simplexes and unit vectors; values that are
// missing are passed over. A value may lie outside as far as the rounding of its digits explains: 3.14159 for an upper bound
// of pi in a file with six digits. Throws Error(data) with the variable, the draw and the bound.
void require_support(const Fit& fit, const density::ProgramFacts& program);

// How far a number that was written with few digits, or as a float, may lie from what it was before.
double rounding_of(double value);

}  // namespace credo::results
