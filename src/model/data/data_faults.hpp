// Values from files that break a declared constraint: which element, where in the file, and which
// bound.
#pragma once
#include "io/data/data_table.hpp"
#include "lang/trace/machine.hpp"
#include "model/data/source.hpp"

namespace credo::model {

// Throws Error{data} when the value of a declared variable, read from `table`, breaks its
// constraint.
void check_given(lang::Machine& machine, const ProgramSource& source, const io::DataTable& table,
                 const lang::typed::Declaration& declaration, const lang::Value& value);

}  // namespace credo::model
