// Out of memory: the size of the request, its purpose, and the way out.
//
//   static constexpr MemoryUse kUse{"the graph", "..."};
//   const MemoryScope scope(kUse);   // purpose of this thread's memory from now on
//   ... throw_out_of_memory(bytes)   // OutOfMemory, which knows both
//
// The program credo asks for all its memory through obtain() (cli/main.cpp), so every failure says
// so; where the system would rather kill a process than refuse (a control group's limit),
// bound_memory() makes it a refusal.
#pragma once
#include <new>

#include "base/error.hpp"

namespace credo {

struct MemoryUse {
  const char* what;
  const char* way_out;  // may be empty
};

namespace memory_detail {
inline constexpr MemoryUse kNone{"", ""};
inline constinit thread_local const MemoryUse* use = &kNone;
}  // namespace memory_detail

// This thread's, to hand on to others that help it. The object outlives all uses of the pointer.
inline const MemoryUse* current_memory_use() { return memory_detail::use; }

// The innermost scope counts.
class MemoryScope {
 public:
  explicit MemoryScope(const MemoryUse& use) : before_(std::exchange(memory_detail::use, &use)) {}
  ~MemoryScope() { memory_detail::use = before_; }
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

 private:
  const MemoryUse* before_;
};

// Bytes. limit 0: the system has stated none. in_use and limit are of the same kind: address space,
// data, or resident memory.
struct MemoryState {
  std::size_t in_use = 0, limit = 0;
};

// Made without asking for memory.
class OutOfMemory final : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::size_t bytes);
  const char* what() const noexcept override { return "out of memory"; }
  std::size_t bytes() const { return bytes_; }  // size of the request
  const MemoryUse& use() const { return *use_; }
  const MemoryState& state() const { return state_; }  // when they were

 private:
  std::size_t bytes_;
  const MemoryUse* use_;
  MemoryState state_;
};

[[noreturn]] void throw_out_of_memory(std::size_t bytes);

// Memory as of malloc, or aligned_alloc, which free() takes. Throws OutOfMemory.
void* obtain(std::size_t bytes);
void* obtain_aligned(std::size_t alignment, std::size_t bytes);

// From now on a request is refused that would leave the process with more resident memory than
// this; requests below 1 MiB are checked once in 4 MiB of them. 0: no bound.
void bound_memory(std::size_t bytes);

// Size of the request, its purpose, the memory in use, and the way out.
Error memory_error(const std::bad_alloc& failure);

// "1.5 GiB"
std::string memory_text(std::size_t bytes);

}  // namespace credo
