// What must hold of the places that words name before a command computes anything: the files that it
// writes aren't among those that it reads, no two of them are the same, and folders exist.
#pragma once
#include "cli/options/arguments.hpp"

namespace credo::cli {

// The files that are going to be replaced, as far as the words tell.
std::vector<std::string> files_written(const Arguments& arguments, const Given& given);

// Throws Error(usage) where a file that the words name to be read is among those that are replaced.
void require_inputs_stay(const Arguments& arguments, const Given& given);

// Throws Error(usage), and Error(io) where a folder isn't there.
void require_output_places(const Arguments& arguments, const Given& given);

}  // namespace credo::cli
