// Comparison of the posteriors of two programs, as far as their texts show.
#pragma once
#include "model/data/source.hpp"

namespace credo::model {

// A part in which the other program differs: "its model block", "its function f"; or empty. Comments, line breaks, generated
// quantities don't count, nor do functions that the other has beside those of the first.
std::string difference_of_programs(const ProgramSource& first, const ProgramSource& other);

}  // namespace credo::model
