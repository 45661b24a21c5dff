// Arrays as a NetCDF-4 file, and back. Group, dimensions and variables have the names of the descriptions; a variable has
// the attributes long_name (help), units and labels (one a line), where there are any.
#pragma once
#include "io/readers.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::io {
class NetcdfReader;
}

namespace credo::results {

// Complete under its name or not there; replaces a file with this name. Fields without values are left out. Memory: one
// part of a field at a time. Works in a process of its own (io/apart.hpp). Throws Error(io) and Stopped.
void write_arrays(const ArrayResult& result, const std::string& path,
                  const io::Readers& readers = {});
// Works in this process, for callers that have made one of their own: after an Error(io) the library may crash.
void write_arrays_here(const ArrayResult& result, const std::string& path,
                       const io::Readers& readers = {});

// Any NetCDF-4 file; variables that aren't numbers are left out. Values are read when they are needed. Throws Error(io).
std::unique_ptr<ArrayResult> read_arrays(const std::string& path);
// Some groups of a file that is open, which outlives the result; without those that aren't there, and without attributes of the file.
std::unique_ptr<ArrayResult> read_groups(const io::NetcdfReader& file,
                                         std::span<const std::string> names);

}  // namespace credo::results
