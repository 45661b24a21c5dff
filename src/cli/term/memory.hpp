// Errors of a command when the system has no more memory, and the limit that raises them.
#pragma once
#include "base/error.hpp"
#include "base/memory.hpp"

namespace credo::cli {

// A control group that goes beyond its limit of memory is killed without a word: from now on the
// program refuses allocations beyond the limit. Memory that others of the group hold is subtracted.
void keep_to_memory_limit();

// memory_error, and of a run with this run file that it can be resumed.
Error run_memory_error(const std::bad_alloc& failure, const std::string& run_file);

}  // namespace credo::cli
