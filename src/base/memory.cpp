#include "base/memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace credo {
namespace {
constexpr std::size_t kLarge = std::size_t{1} << 20, kLookEvery = std::size_t{4} << 20;
std::atomic<std::size_t> bound{0};
constinit thread_local std::size_t since_look = 0;

// /proc/self/statm: pages of address space, resident ones, shared, text, library, data.
enum Column : std::size_t { kSpace = 0, kResident = 1, kData = 5, kNumColumns = 7 };
using Pages = std::array<std::size_t, kNumColumns>;

// Zeros if the file doesn't exist. Doesn't allocate memory.
Pages read_pages() {
  Pages pages{};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return pages;
  std::array<char, 256> text{};
  const ssize_t length = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  if (length <= 0) return pages;
  const char* at = text.data();
  for (std::size_t& number : pages) {
    char* end = nullptr;
    number = std::strtoull(at, &end, 10);
    at = end;
  }
  return pages;
}

std::size_t bytes_of(std::size_t pages) {
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t resource_limit(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? 0 : limit.rlim_cur;
}

// By the limit that leaves the least room.
MemoryState state_of_process() {
  const Pages pages = read_pages();
  const std::array states{MemoryState{bytes_of(pages[kSpace]), resource_limit(RLIMIT_AS)},
                          MemoryState{bytes_of(pages[kData]), resource_limit(RLIMIT_DATA)},
                          MemoryState{bytes_of(pages[kResident]), bound.load()}};
  MemoryState nearest{bytes_of(pages[kResident]), 0};
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const MemoryState& state : states) {
    if (state.limit == 0) continue;
    const std::size_t room = state.limit - std::min(state.in_use, state.limit);
    if (room < least) nearest = state, least = room;
  }
  return nearest;
}

bool is_bounded(std::size_t bytes) {
  const std::size_t most = bound.load(std::memory_order_relaxed);
  if (most == 0) return false;
  since_look += bytes;
  if (bytes < kLarge && since_look < kLookEvery) return false;
  since_look = 0;
  const std::size_t resident = bytes_of(read_pages()[kResident]);
  return resident >= most || bytes > most - resident;
}
std::string state_text(const MemoryState& state) {
  if (state.limit > 0)
    return fmt::format("; {} are in use, the limit is {}", memory_text(state.in_use),
                       memory_text(state.limit));
  return state.in_use > 0 ? fmt::format("; {} are in use", memory_text(state.in_use)) : "";
}
}  // namespace

OutOfMemory::OutOfMemory(std::size_t bytes)
    : bytes_(bytes), use_(current_memory_use()), state_(state_of_process()) {}

void throw_out_of_memory(std::size_t bytes) { throw OutOfMemory(bytes); }

void* obtain(std::size_t bytes) {
  if (is_bounded(bytes)) [[unlikely]]
    throw_out_of_memory(bytes);
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) [[unlikely]]
    throw_out_of_memory(bytes);
  return memory;
}

void* obtain_aligned(std::size_t alignment, std::size_t bytes) {
  if (is_bounded(bytes)) [[unlikely]]
    throw_out_of_memory(bytes);
  void* const memory =
      std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) [[unlikely]]
    throw_out_of_memory(bytes);
  return memory;
}

void bound_memory(std::size_t bytes) { bound.store(bytes); }

Error memory_error(const std::bad_alloc& failure) {
  const auto* const known = dynamic_cast<const OutOfMemory*>(&failure);
  if (known == nullptr) return Error(ErrorCode::resources, "out of memory");
  const std::string_view what = known->use().what;
  return Error(ErrorCode::resources,
               fmt::format("out of memory: {} more were needed{}{}{}", memory_text(known->bytes()),
                           what.empty() ? "" : " for ", what, state_text(known->state())),
               "", known->use().way_out);
}

std::string memory_text(std::size_t bytes) {
  constexpr std::array kUnits{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto number = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (number >= 1024.0 && unit + 1 < kUnits.size()) number /= 1024.0, ++unit;
  return unit == 0 || number >= 99.5 ? fmt::format("{:.0f} {}", number, kUnits[unit])
                                     : fmt::format("{:.3g} {}", number, kUnits[unit]);
}

}  // namespace credo
