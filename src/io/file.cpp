// Reading and writing whole files with the system calls themselves: their results say what a
// stream's state bits hide (which error, and that a late write failed at close).
#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/lock_file.hpp"
#include "io/special_file.hpp"
#include "io/written_files.hpp"

namespace credo::io {
namespace {
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

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

namespace {
Descriptor open_to_read(const std::string& path) {
  require_not_written(path);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) cannot_read(path, std::strerror(errno));
  if (is_directory(file.number())) cannot_read(path, "it is a folder");
  return file;
}

// Size in bytes by the file system; 0 for a pipe.
std::size_t size_of(const Descriptor& file) {
  struct stat info {};
  return ::fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0;
}

// How many bytes came: 0 at the end of the file.
std::size_t read_some(const Descriptor& file, const std::string& path, std::span<char> into) {
  for (;;) {
    stop_if_asked();
    const ssize_t got = ::read(file.number(), into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) cannot_read(path, std::strerror(errno));
  }
}
}  // namespace

std::string read_file(const std::string& path, std::size_t max_bytes) {
  const Descriptor file = open_to_read(path);
  std::string text;
  text.reserve(std::min(size_of(file), max_bytes) + kBufferBytes);
  for (std::size_t filled = 0;;) {
    text.resize(filled + kBufferBytes);
    const std::size_t got = read_some(file, path, {text.data() + filled, kBufferBytes});
    filled += got;
    if (filled > max_bytes)
      cannot_read(path, "it is longer than " + std::to_string(max_bytes) + " bytes");
    text.resize(filled);
    if (got == 0) return text;
  }
}

void read_pieces(const std::string& path, const std::function<void(std::string_view, bool)>& take) {
  const Descriptor file = open_to_read(path);
  std::string piece(kBufferBytes, '\0');
  for (;;) {
    const std::size_t got = read_some(file, path, piece);
    take(std::string_view(piece).substr(0, got), got == 0);
    if (got == 0) return;
  }
}

std::size_t file_size(const std::string& path) {
  struct stat info {};
  const bool is_known = ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  return is_known ? static_cast<std::size_t>(info.st_size) : 0;
}

void require_space(const std::string& path, double bytes) {
  const std::string directory = directory_of(path);
  struct statvfs info {};
  if (::statvfs(directory.c_str(), &info) != 0) return;  // the fault is reported when it is written
  const double free = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
  if (bytes <= free) return;
  throw Error(ErrorCode::io,
              fmt::format("{:.1f} MB are needed, {} has {:.1f} MB free", bytes / 1e6, directory,
                          free / 1e6),
              path, "make room, or write to another place");
}

OutputFile::OutputFile(std::string path, const Readers& readers) : path_(std::move(path)) {
  if (is_special(path_)) {
    descriptor_ = Descriptor(open_special(path_));
    if (descriptor_.number() < 0) fail("can't open the file");
  } else {
    part_.emplace(path_, readers);
    descriptor_ = part_->take_descriptor();
    (void)lock_descriptor(
        descriptor_.number());  // if the system has locks: other processes see that it is in use
  }
  buffer_.reserve(kBufferBytes);
}

void OutputFile::write(std::string_view text) {
  CREDO_ASSERT(descriptor_.number() >= 0, "an output file is not written after its commit");
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::commit() {
  flush();
  // fsync: a rename that reaches the disk before the content would leave an empty file after a
  // power cut.
  if (part_ && ::fsync(descriptor_.number()) != 0) fail("can't write the file");
  if (descriptor_.close() != 0) fail("can't write the file");
  if (part_) part_->replace();
}

void OutputFile::flush() {
  stop_if_asked();
  if (!part_) {
    if (!write_special(descriptor_.number(), buffer_, path_)) fail("can't write the file");
    buffer_.clear();
  }
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_.number(), rest.data(), rest.size());
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
