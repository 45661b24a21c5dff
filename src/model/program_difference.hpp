// Whether two programs have the same posterior, as far as their text tells.
#pragma once
#include "model/data/source.hpp"

namespace credo::model {

// Where the other program isn't the first: "its model block" or "its function f", or nothing. Comments, line breaks and generated
// quantities don't count, nor do functions that the other has beside those of the first.
std::string difference_of_programs(const ProgramSource& first, const ProgramSource& other);

}  // namespace credo::model
