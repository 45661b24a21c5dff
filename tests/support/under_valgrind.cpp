// Loaded before everything else under valgrind. Highway's library reads a clock with the instruction rdtscp while
// it is loaded, which valgrind refuses on processors that don't announce it, as some virtual machines'
// don't. Nothing of ours asks for that clock.
#include <cstdint>

namespace hwy::platform {
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform
