// The data of a program, and which of them are observed.
#pragma once
#include <set>

#include "density/data_variable.hpp"

namespace credo::lang::typed {
struct Expression;
struct Program;
}  // namespace credo::lang::typed

namespace credo::model {

// In the order of their declarations. A variable is observed if it stands left of `~`, or first in
// a density: alone, a part of it, or in an expression of data
// only; or if a variable of transformed data that stands there is computed from it. Sizes, indices
// and, on the way through transformed data, scalars of whole numbers don't count.
std::vector<density::DataVariable> data_variables(const lang::typed::Program& program);
// Slots of variables of transformed data that stand where an observed variable does: log_y ~ normal(mu, sigma).
std::set<int> computed_outcomes(const lang::typed::Program& program);
// The global variables in an expression, by their slots, except those in indices.
std::set<int> variables_in(const lang::typed::Expression& e);

}  // namespace credo::model
