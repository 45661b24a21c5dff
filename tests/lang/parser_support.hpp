// Programs with expectations in comments, and where to find them.
#pragma once
#include <string>
#include <vector>

#include "lang/diagnostics/diagnostics.hpp"

namespace credo::lang::testing {

inline std::string test_dir() { return std::string(CREDO_SOURCE_DIR) + "/tests/lang/"; }

// The .stan files directly in a directory, sorted.
std::vector<std::string> stan_files(const std::string& dir);

// What a program's comments promise, one a line, sorted:
//   // expect error: unexpected-token 12:7          in the program itself
//   // expect error: reserved-word part.stan:1:2    in an included file
std::vector<std::string> expectations(const std::string& text);

// The same form made of what was reported.
std::vector<std::string> reported(const SourceMap& source, const Diagnostics& diagnostics);

}  // namespace credo::lang::testing
