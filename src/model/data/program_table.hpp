// Prepares a table for a program: applies --missing and --levels to the columns that it declares.
#pragma once
#include "io/data/data_table.hpp"
#include "model/data/source.hpp"

namespace credo::model {

std::vector<std::string> declared_data(const lang::typed::Program& program);

// io::settled for this program. Throws Error{data}, also if --missing nan keeps gaps that the program can't handle.
// It can if they are outcomes of observation_lpdf, or if it calls is_nan.
io::DataTable table_for(const ProgramSource& source, io::DataTable table);

}  // namespace credo::model
