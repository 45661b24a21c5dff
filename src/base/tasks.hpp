// Independent pieces of work over all processors, or over fewer threads if the system refuses some.
#pragma once
#include "base/std.hpp"

namespace credo {

// Does all of them, the first ones first, and returns when they are done. Throws what the first of them threw that did,
// and Stopped if this thread has to stop.
void do_all(std::span<const std::function<void()>> tasks);

}  // namespace credo
