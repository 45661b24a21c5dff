// Arrays as a NetCDF-4 file, and back. Group, dimensions and variables have the names of the descriptions; a variable has
// the attributes long_name (help), units and labels (one a line), where there are any.
#pragma once
#include "results/arrays/arrays.hpp"
#include "results/files/write_fit.hpp"

namespace credo::results {

// Complete under its name or not there; replaces a file with this name. Fields without values are left out. Memory: one
// part of a field at a time. Throws Error(io) and Stopped.
void write_arrays(const ArrayResult& result, const FitOutput& to);

// Any NetCDF-4 file; variables that aren't numbers are left out. Values are read when they are needed. Throws Error(io).
std::unique_ptr<ArrayResult> read_arrays(const std::string& path);

}  // namespace credo::results
