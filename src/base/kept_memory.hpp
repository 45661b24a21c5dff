// Freed memory that a process keeps for itself.
#pragma once
#include <malloc.h>

namespace credo {

// From now on freed memory isn't given back to the system, up to 256 MiB: arrays that are made one after another have
// the same pages, which the system would otherwise make anew each time.
inline void keep_freed_memory() {
  constexpr int kMostKept = 1 << 28, kLargest = 1 << 25;  // bytes; larger arrays are the system's
  ::mallopt(M_TRIM_THRESHOLD, kMostKept);
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
}

}  // namespace credo
