#include "io/special_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::io {
namespace {
constexpr int kStep = 50;  // milliseconds between reads of the stop flag

void go_on_or_give_up(const std::string& path, const char* waits_for) {
  if (!stop_asked()) return;
  throw Error(ErrorCode::interrupted,
              std::string("stopped while the pipe waited for its reader to ") + waits_for, path,
              "begin to read it before it is written, or name a file");
}

// A reader that goes away is an error like any other, and not the end of the program.
class BrokenPipeIsAnError {
 public:
  BrokenPipeIsAnError() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~BrokenPipeIsAnError() {
    const int reason = errno;
    const timespec now{};
    if (!sigismember(&before_, SIGPIPE))
      while (sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = reason;
  }
  BrokenPipeIsAnError(const BrokenPipeIsAnError&) = delete;
  BrokenPipeIsAnError& operator=(const BrokenPipeIsAnError&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};
}  // namespace

// Without O_NONBLOCK a pipe that nobody reads would hold the program, whatever signal comes.
int open_special(const std::string& path) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor >= 0 || (errno != ENXIO && errno != EINTR)) return descriptor;
    go_on_or_give_up(path, "come");
    ::poll(nullptr, 0, kStep);
  }
}

bool write_special(int descriptor, std::string_view text, const std::string& path) {
  const BrokenPipeIsAnError scope;
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return false;
    go_on_or_give_up(path, "continue");
    pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
    ::poll(&room, 1, kStep);
  }
  return true;
}

}  // namespace credo::io
