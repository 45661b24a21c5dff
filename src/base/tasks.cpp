#include "base/tasks.hpp"

#include <atomic>
#include <exception>
#include <thread>

#include "base/processors.hpp"
#include "base/stop.hpp"

namespace credo {

void do_all(std::span<const std::function<void()>> tasks) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> thrown(tasks.size());
  const auto take_part = [&] {
    for (std::size_t k = next++; k < tasks.size() && !stop_asked(); k = next++) {
      try {
        tasks[k]();
      } catch (...) {
        thrown[k] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (Index t = 1; t < std::min(num_processors(), ssize(tasks)); ++t)
      helpers.emplace_back([&, stop = current_stop()] {
        const StopScope scope(stop);
        take_part();
      });
    take_part();
  }
  stop_if_asked();
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace credo
