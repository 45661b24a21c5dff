#include "cli/term/ticker.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace credo::cli {

struct Ticker::Thread {
  std::mutex mutex;
  std::condition_variable woken;
  bool ended = false;
  std::thread thread;

  void run(double seconds, const std::function<void()>& call) {
    const std::chrono::duration<double> period(seconds);
    std::unique_lock lock(mutex);
    while (!woken.wait_for(lock, period, [this] { return ended; })) {
      lock.unlock();
      try {
        call();
      } catch (const std::bad_alloc&) {  // this tick is left out: whoever works will say so
      }
      lock.lock();
    }
  }
};

Ticker::Ticker(double seconds, std::function<void()> call) : thread_(std::make_unique<Thread>()) {
  try {
    thread_->thread = std::thread(
        [own = thread_.get(), seconds, call = std::move(call)] { own->run(seconds, call); });
  } catch (const std::system_error&) {  // the system gives no more threads: it doesn't tick
  }
}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(thread_->mutex);
    thread_->ended = true;
  }
  thread_->woken.notify_all();
  if (thread_->thread.joinable()) thread_->thread.join();
}

}  // namespace credo::cli
