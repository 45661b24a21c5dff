// Reading and writing whole files with the system calls themselves: their results say what a
// stream's state bits hide (which error, and that a late write failed at close).
#include "io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

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
  throw Error(ErrorCode::io, "can't read the file: " + reason, path);
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

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (!is_special(path_)) temporary_ = path_ + ".part-" + std::to_string(::getpid());
  const std::string& name = temporary_.empty() ? path_ : temporary_;
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("can't create the file");
  }
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
