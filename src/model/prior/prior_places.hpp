// Finds the elements of a parameter that a statement is a density of.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::model {

// A value like the variable, whose elements are their places in storage.
lang::Value places_as_values(const lang::Value& variable);

// The places of an outcome's elements. The outcome is a parameter, or elements of it, possibly reshaped. `positions`
// are the places of the whole variable.
std::vector<std::int32_t> places_of_outcome(lang::Machine& machine,
                                            const lang::typed::Expression& outcome, int slot,
                                            const lang::Value& positions);

}  // namespace credo::model
