#include "io/apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/archive.hpp"
#include "base/error.hpp"
#include "base/kept_memory.hpp"
#include "base/memory.hpp"
#include "base/stop.hpp"

namespace credo::io {
namespace {
constexpr int kDone = 0, kFailed = 1, kCrashed = 64;  // + the system's last error
constexpr int kGaveUp = 255;                          // what a library ends a program with

struct Message {  // content of an Error
  Index code = 0;
  std::string message, where, hint;
  static void saved(auto& self, auto&& field) {
    field(self.code);
    field(self.message);
    field(self.where);
    field(self.hint);
  }
};

void send(int pipe, const Message& message) {
  std::string bytes = archived(message);
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t written = ::write(pipe, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens any more
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A crash can report only a number.
void end_crashed(int) { ::_exit(kCrashed + std::min(errno, 127)); }

[[noreturn]] void work_as_child(const std::function<void()>& work, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);  // a terminal's goes to both: who waits decides
  for (const int crash : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
    std::signal(crash, end_crashed);
  int status = kFailed;
  try {
    errno = 0;
    keep_freed_memory();
    work();
    status = kDone;
  } catch (const Error& error) {
    send(pipe, {static_cast<Index>(error.code()), error.message(), error.where(), error.hint()});
  } catch (const std::bad_alloc& failure) {
    const Error error = memory_error(failure);
    send(pipe, {static_cast<Index>(error.code()), error.message(), "", error.hint()});
  } catch (const std::exception& error) {
    send(pipe, {static_cast<Index>(ErrorCode::internal), error.what(), "", ""});
  } catch (const Stopped&) {
  }
  ::_exit(status);
}

// Output of the child until its end. A stop ends the child: first politely.
std::string received(int pipe, pid_t child) {
  constexpr int kStep = 20, kPatience = 500;  // milliseconds
  std::string bytes;
  std::array<char, 4096> some{};
  for (int waited = 0;;) {
    pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kStep) <= 0) {
      if (!stop_asked()) continue;
      ::kill(child, waited < kPatience ? SIGTERM : SIGKILL);
      waited += kStep;
      continue;
    }
    const ssize_t got = ::read(pipe, some.data(), some.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(some.data(), static_cast<std::size_t>(got));
  }
}

[[noreturn]] void report_failure(const std::string& bytes, int status) {
  if (!bytes.empty()) {
    const auto said = from_archive<Message>(bytes, "message");
    throw Error(static_cast<ErrorCode>(said.code), said.message, said.where, said.hint);
  }
  const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  const std::string last = ended > kCrashed && ended < kGaveUp ? std::strerror(ended - kCrashed)
                           : WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                 : "a crash";
  throw Error(ErrorCode::io, "the library that writes the file broke down: " + last, "",
              "is the disk full, or memory short?");
}
}  // namespace

void WorkApart::begin(const std::function<void()>& work) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    throw Error(ErrorCode::io, fmt::format("can't make a pipe: {}", std::strerror(errno)));
  pipe_ = Descriptor(pipe[0]);
  const pid_t child = ::fork();
  if (child == 0) work_as_child(work, pipe[1]);
  const int reason = errno;
  ::close(pipe[1]);
  if (child < 0)
    throw Error(ErrorCode::io, fmt::format("can't start a process: {}", std::strerror(reason)));
  process_ = child;
}

WorkApart::WorkApart(const std::function<void()>& work) : WorkApart() { begin(work); }

WorkApart::WorkApart(const std::function<void()>& work, RunFile& file) : WorkApart() {
  file.disconnect();
  try {
    begin([&] {
      file.connect();
      work();
    });
  } catch (...) {
    file.connect();
    throw;
  }
  file.connect();
}

WorkApart::~WorkApart() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

bool WorkApart::has_ended() {
  if (process_ == 0) return true;
  pollfd ready{.fd = pipe_.number(), .events = 0, .revents = 0};
  return ::poll(&ready, 1, 0) > 0;  // its end of the pipe is closed
}

void WorkApart::wait() {
  if (process_ == 0) return;
  const std::string bytes = received(pipe_.number(), process_);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = 0;
  if (status == kDone) return;
  stop_if_asked();
  report_failure(bytes, status);
}

void run_apart(const std::function<void()>& work) { WorkApart(work).wait(); }

}  // namespace credo::io
