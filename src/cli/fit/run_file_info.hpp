// What a run file says of itself: its specification, and how far its chains or its pieces of work are.
#pragma once
#include <string>

namespace credo::cli {

// Text, or JSON. Throws Error(io) if the file can't be read or is damaged.
std::string run_file_info(const std::string& path, bool json);

}  // namespace credo::cli
