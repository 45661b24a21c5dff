// A table as a program sees it: --missing and --levels applied to the columns that it declares.
#pragma once
#include "io/data/data_table.hpp"
#include "model/data/source.hpp"

namespace credo::model {

std::vector<std::string> declared_data(const lang::typed::Program& program);

// io::settled for this program. Throws Error{data}, also where --missing nan keeps gaps that the program
// doesn't take: it takes them if it has observation_lpdf, whose outcomes they are, or asks is_nan.
io::DataTable table_for(const ProgramSource& source, io::DataTable table);

}  // namespace credo::model
