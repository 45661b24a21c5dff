// CmdStan's JSON for data, initial values and points.
//
// Beyond JSON: the numbers NaN, Infinity and -Infinity, bare or (with Inf, -Inf) as strings.
// Numbers only: null, true, false and other strings are errors; so are duplicate names, ragged
// arrays, comments and anything after the end. Arrays of numbers are read at more than 100 MB/s.
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {

struct ReadLimits {  // against hostile files; each is an Error{data} that says which limit
  std::size_t max_bytes = (std::size_t{1} << 32) - 1024;  // offsets in the index are 32 bits
  int max_depth = 64;                                     // of arrays and objects within a variable
  int max_slots = 1000;                                   // elements of one tuple
};

// One object {"name": value, ...}. `source` stands for the file in messages. Throws Error{data}
// (file:line:column).
DataTable parse_json_data(std::string_view text, const std::string& source,
                          const ReadLimits& limits = {});
DataTable read_json_data(const std::string& path,
                         const ReadLimits& limits = {});  // Error{io} if it can't be read

// A list of such objects [{...}, {...}]: points on the constrained scale.
std::vector<DataTable> parse_json_tables(std::string_view text, const std::string& source,
                                         const ReadLimits& limits = {});
// One nested array [[...], [...]]: unconstrained points.
DataValue parse_json_array(std::string_view text, const std::string& source,
                           const ReadLimits& limits = {});

}  // namespace credo::io
