#include "base/processors.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <thread>

#include "base/error.hpp"

namespace credo {

Index num_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return CPU_COUNT(&allowed);
  return std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
}

void thread_refused(Index number, Index of, const std::exception& reason) {
  throw Error(ErrorCode::resources,
              fmt::format("can't start thread {} of {}: {}", number, of, reason.what()), "",
              "--threads 1 needs the fewest; or raise the limit on processes (ulimit -u)");
}

}  // namespace credo
