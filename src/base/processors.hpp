// Processors and threads as the system gives them.
#pragma once
#include "base/std.hpp"
#include "base/types.hpp"

namespace credo {

// Processors that this process may run on (its affinity), at least 1: never more than exist.
Index num_processors();

// Throws the error of a thread that can't be started: its number, the reason, the way out.
[[noreturn]] void thread_refused(Index number, Index of, const std::exception& reason);

}  // namespace credo
