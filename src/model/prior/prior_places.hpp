// Which elements of a parameter a statement is of.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::model {

// The places in storage as the values of a variable like this one.
lang::Value places_as_values(const lang::Value& variable);

// Of an outcome that is a parameter, elements of it, or either in another shape: the places of its elements. `positions`
// are those of the whole variable.
std::vector<std::int32_t> places_of_outcome(lang::Machine& machine,
                                            const lang::typed::Expression& outcome, int slot,
                                            const lang::Value& positions);

}  // namespace credo::model
