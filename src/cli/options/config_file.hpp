// Options from a file: one JSON object whose members are called as the options are, without dashes,
// or as the positional arguments.
//
//   {"model": "m.stan", "data": "d.json", "draws": 500, "include": ["lib"], "quiet": true}
#pragma once
#include "cli/options/arguments.hpp"
#include "io/json_value.hpp"

namespace credo::cli {

// Throws Error(usage) at the file's line and column for names that aren't there, with the nearest
// one, and for values of another kind.
Given read_config(const std::string& path, const Arguments& arguments);
Given parse_config(std::string_view text, const std::string& source, const Arguments& arguments);
Given config_of(const io::JsonValue& object, const Arguments& arguments);

}  // namespace credo::cli
