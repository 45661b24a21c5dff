// The program, and its allocation of memory: a failed one ends with a
// message (base/memory.hpp).
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "cli/command.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t bytes) { return credo::obtain(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

int main(int argc, char** argv) try {
  return credo::cli::run_command_line({argv + 1, argv + argc});
} catch (const std::bad_alloc&) {
  std::fputs("error: out of memory\n", stderr);
  return static_cast<int>(credo::ErrorCode::resources);
}
