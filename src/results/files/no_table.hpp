// Data tables that are given in place of draws.
#pragma once
#include "base/std.hpp"

namespace credo::results {

// Throws Error(usage) for a CSV or TSV file with texts in its first row that lacks the comments and the columns of
// files of draws.
void require_no_tables(std::span<const std::string> paths);

}  // namespace credo::results
