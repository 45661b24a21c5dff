// Freed memory that a process keeps for itself.
#pragma once

namespace credo {

// From now on freed memory isn't given back to the system, up to 256 MiB: arrays that are made one after another have
// the same pages, which the system would otherwise make anew each time.
void keep_freed_memory();

}  // namespace credo
