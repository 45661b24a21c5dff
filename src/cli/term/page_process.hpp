// A process that serves the page of a run.
#pragma once
#include <string>

namespace credo::cli {

// Begins `credo watch` for the run of this file and returns its address. It ends a few seconds after
// the run, however that ends, and isn't reached by the terminal's signals. Throws Error(io).
std::string begin_page(const std::string& run_file);

}  // namespace credo::cli
