#include "cli/stop.hpp"

#include <csignal>

namespace credo::cli {
namespace {
std::atomic<bool> stopped{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "the handler may only touch a lock-free flag");

void on_signal(int signal) {
  stopped.store(true);
  std::signal(signal, SIG_DFL);
}
}  // namespace

const std::atomic<bool>* stop_flag() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return &stopped;
}

}  // namespace credo::cli
