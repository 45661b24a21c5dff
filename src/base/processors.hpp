// Processors and threads as the system gives them.
#pragma once
#include "base/std.hpp"
#include "base/types.hpp"

namespace credo {

// That this process may run on (its affinity), at least 1: never more than there are.
Index num_processors();

// What is thrown where a thread can't be started: which of how many, why, the way out.
[[noreturn]] void thread_refused(Index number, Index of, const std::exception& reason);

}  // namespace credo
