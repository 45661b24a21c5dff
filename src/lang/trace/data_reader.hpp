// Data and initial values from a table into the variables of a program.
#pragma once
#include "io/data/data_table.hpp"
#include "lang/trace/machine.hpp"

namespace credo::lang {

// The value of one declared variable. declared_at: "model.stan:4:3", for messages. Throws
// Error{data}.
Value read_variable(Machine& machine, const io::DataTable& table, const typed::SizedType& type,
                    std::string_view name, const std::string& declared_at);

}  // namespace credo::lang
