// Data tables that are named where draws are asked for.
#pragma once
#include "base/std.hpp"

namespace credo::results {

// Throws Error(usage) for a CSV or TSV file with texts in its first row, and without the comments and the columns by which files of
// draws are known.
void require_no_tables(std::span<const std::string> paths);

}  // namespace credo::results
