// Checks of the paths in a command line, before the command computes anything: a command replaces no file that it
// reads, no two outputs are the same file, and folders exist.
#pragma once
#include "cli/options/arguments.hpp"

namespace credo::cli {

// The files that will be replaced, as far as the command line shows.
std::vector<std::string> files_written(const Arguments& arguments, const Given& given);

// Throws Error(usage) if an input that the command line names will be replaced.
void require_inputs_stay(const Arguments& arguments, const Given& given);

// Throws Error(usage), and Error(io) if a folder doesn't exist.
void require_output_places(const Arguments& arguments, const Given& given);

}  // namespace credo::cli
