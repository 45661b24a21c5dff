#include "cli/term/page_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "io/part_file.hpp"

extern char** environ;

namespace credo::cli {
namespace {
constexpr int kPatience = 10'000;  // milliseconds until it has an address

[[noreturn]] void fail(const char* reason) {
  throw Error(ErrorCode::io, fmt::format("the page of the run can't be served: {}", reason),
              "--live", "leave --live out; credo watch serves a page later");
}

// With the pipe as its standard output, in a process group of its own.
pid_t spawn(const std::string& run_file, int answers) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, answers, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::array<std::string, 4> words{"credo", "watch", run_file, "--json"};
  std::array<char*, 5> argv{words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                            nullptr};
  pid_t process = 0;
  const int fault =
      ::posix_spawn(&process, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (fault != 0) fail(std::strerror(fault));
  return process;
}

std::string first_line(int descriptor) {
  std::string text;
  std::array<char, 512> piece{};
  pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
  while (text.find('\n') == std::string::npos && ::poll(&waiting, 1, kPatience) > 0) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
}
}  // namespace

std::string begin_page(const std::string& run_file) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(std::strerror(errno));
  const io::Descriptor reads(ends[0]);
  io::Descriptor writes(ends[1]);
  spawn(run_file, writes.number());
  (void)writes.close();
  const std::string answer = first_line(reads.number());
  constexpr std::string_view kBefore = R"({"address":")";
  const std::size_t end = answer.find('"', kBefore.size());
  if (!answer.starts_with(kBefore) || end == std::string::npos) fail("it gave no address");
  return answer.substr(kBefore.size(), end - kBefore.size());
}

}  // namespace credo::cli
