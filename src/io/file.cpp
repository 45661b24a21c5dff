// Reading and writing whole files with the system calls themselves: their results say what a
// stream's state bits hide (which error, and that a late write failed at close).
#include "io/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/special_file.hpp"

namespace credo::io {
namespace {
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

class Descriptor {  // closes what it opened
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void cannot_read(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::io, "can't read the file: " + reason, path,
              "check its name, its folder and who may read it");
}

bool is_directory(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode);
}

// A place that a rename would destroy instead of fill: a device, a pipe, a socket.
bool is_special(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}
}  // namespace

std::string read_file(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) cannot_read(path, std::strerror(errno));
  if (is_directory(file.number())) cannot_read(path, "it is a folder");
  std::string text;
  for (std::size_t filled = 0;;) {
    stop_if_asked();
    text.resize(filled + kBufferBytes);
    const ssize_t got = ::read(file.number(), text.data() + filled, kBufferBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(path, std::strerror(errno));
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes)
      cannot_read(path, "it is longer than " + std::to_string(max_bytes) + " bytes");
    text.resize(filled);
    if (got == 0) return text;
  }
}

// ---- files in the making

namespace {
constexpr std::string_view kPart = ".part-";

// The process in "fit.nc.part-123" or "fit.nc.part-123-journal" for the base "fit.nc"; 0: another
// name.
pid_t maker_of(std::string_view name, std::string_view base) {
  if (!name.starts_with(base) || !name.substr(base.size()).starts_with(kPart)) return 0;
  name.remove_prefix(base.size() + kPart.size());
  pid_t pid = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, pid);
  return error == std::errc() && (rest == end || *rest == '-') ? pid : 0;
}

// A process that ended and that nobody has asked about yet (Z) makes nothing any more.
bool is_alive(pid_t pid) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return false;
  const Descriptor file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  if (file.number() < 0 || ::read(file.number(), text.data(), text.size() - 1) <= 0) return true;
  const char* const name_end = std::strrchr(text.data(), ')');  // "123 (name) Z ..."
  return name_end == nullptr || std::strncmp(name_end, ") Z", 3) != 0;
}

bool is_held(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.number() >= 0 && ::flock(file.number(), LOCK_EX | LOCK_NB) != 0;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}
}  // namespace

void remove_left_parts(const std::string& final_path) {
  const std::string directory = directory_of(final_path);
  const std::string base = final_path.substr(final_path.find_last_of('/') + 1);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.c_str()), ::closedir);
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    const pid_t maker = maker_of(entry->d_name, base);
    if (maker <= 0 || is_alive(maker)) continue;
    const std::string path = directory + "/" + entry->d_name;
    if (!is_held(path)) ::unlink(path.c_str());
  }
}

std::string part_name(const std::string& path) {
  remove_left_parts(path);
  return fmt::format("{}{}{}", path, kPart, ::getpid());
}

void require_space(const std::string& path, double bytes) {
  const std::string directory = directory_of(path);
  struct statvfs info {};
  if (::statvfs(directory.c_str(), &info) != 0)
    return;  // what is wrong with it is said when it is written
  const double free = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
  if (bytes <= free) return;
  throw Error(ErrorCode::io,
              fmt::format("{:.1f} MB are needed, {} has {:.1f} MB free", bytes / 1e6, directory,
                          free / 1e6),
              path, "make room, or write to another place");
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (!is_special(path_)) temporary_ = part_name(path_);
  descriptor_ = temporary_.empty()
                    ? open_special(path_)
                    : ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("can't create the file");
  }
  ::flock(descriptor_, LOCK_EX | LOCK_NB);  // where it can be had: see is_held
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

void OutputFile::write(std::string_view text) {
  CREDO_ASSERT(descriptor_ >= 0, "an output file is not written after its commit");
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::commit() {
  flush();
  // fsync: a rename that reaches the disk before the content would leave an empty file after a
  // power cut.
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail("can't write the file");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("can't write the file");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail("can't rename the finished file into place");
  temporary_.clear();
}

void OutputFile::flush() {
  stop_if_asked();
  if (temporary_.empty()) {
    if (!write_special(descriptor_, buffer_, path_)) fail("can't write the file");
    buffer_.clear();
  }
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("can't write the file");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::fail(const char* what) const {
  throw Error(ErrorCode::io, std::string(what) + ": " + std::strerror(errno), path_);
}

}  // namespace credo::io
