// Counts what operator new hands out. One source file of a test program defines the operators with
// CREDO_COUNT_ALLOCATIONS.
#pragma once
#include <atomic>
#include <cstdlib>
#include <new>

namespace credo::testing {

inline std::atomic<long> num_allocations = 0;

// Allocations of all threads since its construction.
class AllocationCount {
 public:
  long value() const { return num_allocations.load() - start_; }

 private:
  long start_ = num_allocations.load();
};

}  // namespace credo::testing

#if defined(__SANITIZE_ADDRESS__)
// It brings operators of its own: nothing is counted.
#define CREDO_COUNT_ALLOCATIONS static_assert(true);
#else
// Not inlined: g++ would see malloc on one side of an allocation and operator delete on the other.
#define CREDO_COUNT_ALLOCATIONS                                                        \
  [[gnu::noinline]] void* operator new(std::size_t size) {                             \
    ++credo::testing::num_allocations;                                                 \
    if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;                \
    throw std::bad_alloc();                                                            \
  }                                                                                    \
  [[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); } \
  [[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
