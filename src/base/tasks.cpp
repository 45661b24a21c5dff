#include "base/tasks.hpp"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include "base/processors.hpp"
#include "base/stop.hpp"

namespace credo {
namespace {
// Starts up to `most` threads that call `work`. Ends early if the system refuses a thread: the others do its share.
std::vector<std::jthread> helpers_for(const std::function<void()>& work, Index most) {
  std::vector<std::jthread> helpers;
  helpers.reserve(static_cast<std::size_t>(most));
  try {
    for (Index t = 0; t < most; ++t)
      helpers.emplace_back([&work, stop = current_stop()] {
        const StopScope scope(stop);
        work();
      });
  } catch (const std::system_error&) {
  }
  return helpers;
}
}  // namespace

void do_all(std::span<const std::function<void()>> tasks) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> thrown(tasks.size());
  const std::function<void()> take_part = [&] {
    for (std::size_t k = next++; k < tasks.size() && !stop_asked(); k = next++) {
      try {
        tasks[k]();
      } catch (...) {
        thrown[k] = std::current_exception();
      }
    }
  };
  {
    const auto helpers =
        helpers_for(take_part, std::max<Index>(0, std::min(num_processors(), ssize(tasks)) - 1));
    take_part();
  }
  stop_if_asked();
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace credo
