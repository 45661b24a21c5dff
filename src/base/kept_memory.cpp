#include "base/kept_memory.hpp"

#include <malloc.h>

namespace credo {

void keep_freed_memory() {
  constexpr int kMostKept = 1 << 28, kLargest = 1 << 25;  // bytes; larger arrays are the system's
  ::mallopt(M_TRIM_THRESHOLD, kMostKept);
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
}

}  // namespace credo
