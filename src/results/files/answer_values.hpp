// Answers of commands as one tree of values, whether JSON or NetCDF files hold them.
#pragma once
#include "io/json_value.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::results {

// Attributes are members, and each group is a list of objects, one for each place of its first dimension, with the fields that have no other.
io::JsonValue values_of(const ArrayResult& answer);

// True for a JSON file, and for a NetCDF file that states the command whose answer it is.
bool is_answer_file(const std::string& path);

// Contents of an answer file. `groups`: names that JSON has for groups of arrays. Throws Error(io) and Error(data).
io::JsonValue read_answer(const std::string& path,
                          std::span<const std::pair<std::string, std::string>> groups = {});

}  // namespace credo::results
