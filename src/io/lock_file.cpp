#include "io/lock_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::io {
namespace {
// One byte far behind all content: SQLite has locks of its own within a file.
constexpr off_t kLockedByte = off_t{1} << 40;
// A killed process may live on in a copy of itself for moments.
constexpr int kPatience = 50;  // times
constexpr useconds_t kPause = 20'000;
constexpr std::string_view kWords = "credo lock: process ";

struct flock request(short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockedByte;
  lock.l_len = 1;
  return lock;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown machine";
}

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error(ErrorCode::io, fmt::format("can't {} the lock file: {}", what, std::strerror(errno)),
              path,
              "it must be a file that this user may write; remove it if no run is active there");
}

// Its own when it is there, else a new one: whoever may write a directory could have put a link or
// a file of somebody else's there.
Descriptor opened(const std::string& path) {
  for (int attempt = 0; attempt < kPatience; ++attempt) {
    constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    Descriptor file(::open(path.c_str(), kFlags));
    if (file.number() >= 0 || errno != ENOENT) return file;
    file = Descriptor(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666));
    if (file.number() >= 0 || errno != EEXIST) return file;
  }
  return Descriptor();
}

std::string content_of(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

bool write_words(int descriptor) {
  const std::string text = fmt::format("{}{} on {}\n", kWords, ::getpid(), host_name());
  const auto size = static_cast<ssize_t>(text.size());
  return ::ftruncate(descriptor, 0) == 0 &&
         ::pwrite(descriptor, text.data(), text.size(), 0) == size;
}
}  // namespace

Locked lock_descriptor(int descriptor) {
  struct flock lock = request(F_WRLCK);
  if (::fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return Locked::yes;
  return errno == EAGAIN || errno == EACCES ? Locked::by_another : Locked::not_supported;
}

bool is_locked_by_another(int descriptor) {
  struct flock lock = request(F_WRLCK);
  return ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

namespace {
int holder_named_in(std::string_view text) {
  pid_t holder = 0;
  if (!text.starts_with(kWords) || text.find(" on " + host_name() + "\n") == std::string_view::npos)
    return 0;
  std::from_chars(text.data() + kWords.size(), text.data() + text.size(), holder);
  return holder;
}
}  // namespace

int holder_of(const std::string& run_file) {
  const Descriptor file(
      ::open((run_file + ".lock").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0 || !is_locked_by_another(file.number())) return 0;
  return holder_named_in(content_of(file.number()));
}

LockFile::LockFile(const std::string& run_file, std::function<void(const std::string&)> note)
    : run_file_(run_file), path_(run_file + ".lock"), note_(std::move(note)) {
  if (!take()) refuse();
  if (is_supported_ || !note_) return;
  note_(
      fmt::format("{}: this file system has no locks, so nothing keeps a second process "
                  "from writing this run: begin it and resume it once at a time\n",
                  path_));
}

// A file that was removed between its opening and its locking no longer locks anything.
bool LockFile::take() {
  for (int attempt = 0; attempt < kPatience; ++attempt) {
    stop_if_asked();
    descriptor_ = opened(path_);
    if (descriptor_.number() < 0) fail(path_, "open");
    require_ours();
    const Locked locked = lock_descriptor(descriptor_.number());
    if (locked == Locked::by_another) {
      if (holder_lives()) return false;
      ::usleep(kPause);
      continue;
    }
    is_supported_ = locked == Locked::yes;
    if (identity_of(descriptor_.number()) != identity_of(path_)) continue;
    if (write_words(descriptor_.number())) return true;
    const int reason = errno;
    release();
    errno = reason;
    fail(path_, "write");
  }
  return false;
}

// An empty one was left by a process that was killed at once.
void LockFile::require_ours() const {
  struct stat info {};
  const std::string text = content_of(descriptor_.number());
  const bool is_file = ::fstat(descriptor_.number(), &info) == 0 && S_ISREG(info.st_mode);
  if (is_file && (text.empty() || text.starts_with(kWords))) return;
  throw Error(ErrorCode::io, "this isn't a lock file of Credo, and it has the name of one", path_,
              "move it away");
}

bool LockFile::holder_lives() const {
  const pid_t holder = holder_named_in(content_of(descriptor_.number()));
  return holder > 0 && is_alive(holder);
}

void LockFile::refuse() const {
  std::string holder = content_of(descriptor_.number());
  holder = holder.starts_with(kWords) ? holder.substr(std::strlen("credo lock: ")) : "";
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  throw Error(ErrorCode::io,
              holder.empty() ? "another process is writing this run"
                             : fmt::format("another process is writing this run: {}", holder),
              run_file_,
              "wait for its end, or stop it; credo summary and credo export read its draws so far");
}

bool LockFile::keep() {
  if (identity_of(path_) == identity_of(descriptor_.number())) return true;
  return take();
}

void LockFile::require_kept() {
  if (!keep())
    throw Error(ErrorCode::io, "another process has begun a run with this output", run_file_);
}

bool LockFile::release() {
  if (descriptor_.number() < 0) return true;
  const bool is_in_place = identity_of(path_) == identity_of(descriptor_.number());
  const bool is_done = !is_in_place || ::unlink(path_.c_str()) == 0;
  const int reason = errno;
  (void)descriptor_.close();
  if (!is_done && note_)
    note_(fmt::format("{}: the lock file can't be removed: {}\n", path_, std::strerror(reason)));
  errno = reason;
  return is_done;
}

}  // namespace credo::io
