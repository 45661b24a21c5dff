// What a command says when the system has no more memory, and how it comes to say it.
#pragma once
#include "base/error.hpp"
#include "base/memory.hpp"

namespace credo::cli {

// A control group that goes beyond its limit of memory is killed without a word: from now on the
// program refuses itself what would go beyond. What others of the group hold is taken off.
void keep_to_memory_limit();

// memory_error, and of a run with this run file that it can be resumed.
Error run_memory_error(const std::bad_alloc& failure, const std::string& run_file);

}  // namespace credo::cli
