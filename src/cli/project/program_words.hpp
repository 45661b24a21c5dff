// Names that a program can declare.
#pragma once
#include "base/std.hpp"

namespace credo::cli {

// False for keywords and for names that aren't identifiers.
bool is_word_of_programs(const std::string& name);
// A valid identifier that no function of the language has as its name.
bool is_free_in_programs(const std::string& name);
// Distributions of real numbers that have a density: "normal".
std::vector<std::string> density_names();

}  // namespace credo::cli
