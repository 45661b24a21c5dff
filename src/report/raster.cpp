// The picture goes to the program through a file without a name, and comes back through a pipe.
#include "report/raster.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"

extern char** environ;

namespace credo::report {
namespace {
constexpr const char* kProgram = "rsvg-convert";

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::io, what, kProgram); }

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) fail(fmt::format("no file or pipe for it: {}", std::strerror(errno)));
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      fail(fmt::format("the picture can't be handed to it: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t count = ::read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(fmt::format("its answer can't be read: {}", std::strerror(errno)));
    if (count == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

pid_t start(const std::string& format, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::array<std::string, 4> words{kProgram, "--format=" + format, "--zoom=2",
                                   "--keep-aspect-ratio"};
  std::array<char*, 5> arguments{};
  for (std::size_t k = 0; k < words.size(); ++k) arguments[k] = words[k].data();
  pid_t child = 0;
  const int refused = posix_spawnp(&child, kProgram, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (refused == ENOENT)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} are made by the program {}, which isn't installed", format, kProgram),
        "--output", "install Debian's package librsvg2-bin, or write .svg");
  if (refused != 0) fail(fmt::format("it can't be started: {}", std::strerror(refused)));
  return child;
}
}  // namespace

std::string converted(std::string_view svg, const std::string& format) {
  const char* folder = std::getenv("TMPDIR");
  const Descriptor input(
      ::open(folder != nullptr ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  write_all(input.get(), svg);
  if (::lseek(input.get(), 0, SEEK_SET) != 0) fail("the picture can't be handed to it");
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t child = start(format, input.get(), to.get());
  to.close();
  std::string made = read_all(from.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || made.empty())
    fail(fmt::format("it failed to make a {} (its words are above)", format));
  return made;
}

}  // namespace credo::report
