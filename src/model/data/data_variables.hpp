// The data of a program, and which of them are observed.
#pragma once
#include "density/data_variable.hpp"

namespace credo::lang::typed {
struct Program;
}

namespace credo::model {

// In the order of their declarations. A variable is observed if it stands left of `~`, or first in
// a density: alone, a part of it, or in an expression of data
// only; or if a variable of transformed data that stands there is computed from it. Sizes, indices
// and, on the way through transformed data, scalars of whole numbers don't count.
std::vector<density::DataVariable> data_variables(const lang::typed::Program& program);

}  // namespace credo::model
