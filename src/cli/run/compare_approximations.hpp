// `credo approximate --method all`: every approximation of one program beside draws of the posterior, as one table.
#pragma once
#include "cli/run/run_arguments.hpp"

namespace credo::cli {

inline constexpr std::string_view kAllApproximations = "all";

// Prints the table. Throws Error(usage) for an output, since a table of many fits is no fit.
int compare_approximations(RunArguments& run, Output& output, bool json);

}  // namespace credo::cli
