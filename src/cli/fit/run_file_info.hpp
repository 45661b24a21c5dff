// Contents of a run file in short: its specification, and the progress of its chains or pieces of work.
#pragma once
#include <string>

namespace credo::cli {

// Text, or JSON. Throws Error(io) if the file can't be read or is damaged.
std::string run_file_info(const std::string& path, bool json);

}  // namespace credo::cli
