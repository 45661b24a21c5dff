#include "io/part_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "base/seal.hpp"
#include "io/lock_file.hpp"

namespace credo::io {

Descriptor::~Descriptor() { (void)close(); }

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

int Descriptor::close() {
  const int number = release();
  return number < 0 ? 0 : ::close(number);
}

int Descriptor::release() { return std::exchange(number_, -1); }

// A process that ended and whose parent hasn't waited for it yet (Z) no longer writes.
bool is_alive(int pid) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return false;
  const Descriptor file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  if (file.number() < 0 || ::read(file.number(), text.data(), text.size() - 1) <= 0) return true;
  const char* const name_end = std::strrchr(text.data(), ')');  // "123 (name) Z ..."
  return name_end == nullptr || std::strncmp(name_end, ") Z", 3) != 0;
}

// ---- names

namespace {
constexpr std::string_view kPart = ".part-";
constexpr std::size_t kTokenDigits = 16, kSumDigits = 8;

std::string base_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string sum_digits(std::string_view rest_of_name) {
  return fmt::format("{:08x}", check_sum(rest_of_name, 0) & 0xffffffffu);
}

struct PartName {
  pid_t maker = 0;  // 0: another name
};

// Parts of the name "fit.nc.part-123-…", or of SQLite's journal of it, for the base "fit.nc".
PartName parsed(std::string_view name, std::string_view base) {
  constexpr std::string_view kJournal = "-journal";
  if (name.ends_with(kJournal)) name.remove_suffix(kJournal.size());
  const std::size_t begin = base.size() + kPart.size();
  if (name.size() < begin + kTokenDigits + kSumDigits + 2 || !name.starts_with(base) ||
      name.substr(base.size(), kPart.size()) != kPart)
    return {};
  const std::string_view rest = name.substr(0, name.size() - kSumDigits);
  if (sum_digits(rest) != name.substr(rest.size())) return {};
  pid_t maker = 0;
  const char* const end = rest.data() + rest.size() - kTokenDigits - 1;
  const auto [read, error] = std::from_chars(rest.data() + begin, end, maker);
  return {.maker = error == std::errc() && read == end && *end == '-' ? maker : 0};
}

// By us or, a NetCDF file, by HDF5.
bool is_locked(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 || is_locked_by_another(descriptor);
}

bool is_left(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  return file.number() >= 0 && ::fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_uid == ::geteuid() && !is_locked(file.number());
}
}  // namespace

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The check sum is of the name within its directory: that may be named in many ways.
std::string part_name(const std::string& path, int maker, std::uint64_t token) {
  const std::string made = fmt::format("{}{}-{:016x}", kPart, maker, token);
  return path + made + sum_digits(base_of(path) + made);
}

void remove_left_parts(const std::string& path) {
  const std::string directory = directory_of(path), base = base_of(path);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.c_str()), ::closedir);
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    const pid_t maker = parsed(entry->d_name, base).maker;
    if (maker <= 0 || is_alive(maker)) continue;
    const std::string part = directory + "/" + entry->d_name;
    if (is_left(part)) ::unlink(part.c_str());
  }
}

// ---- the file

namespace {
constexpr int kTries = 8;

[[noreturn]] void fail(const std::string& path, const char* what, int reason) {
  throw Error(ErrorCode::io, fmt::format("{}: {}", what, std::strerror(reason)), path);
}

std::uint64_t random_token() {
  std::uint64_t token = 0;
  while (::getrandom(&token, sizeof token, 0) != static_cast<ssize_t>(sizeof token))
    if (errno != EINTR) throw Error(ErrorCode::io, "the system gives no random numbers");
  return token;
}

// Takes from a file that has just been made the rights that its readers shouldn't have.
void narrow_mode(int descriptor, const Readers& readers) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return;
  const mode_t now = info.st_mode & 0777, wanted = now & readers.mode(info.st_gid);
  if (wanted != now && ::fchmod(descriptor, wanted) != 0)
    throw Error(ErrorCode::io,
                fmt::format("can't take rights from the file: {}", std::strerror(errno)));
}

std::array<std::uint64_t, 2> identity(const struct stat& info) {
  return {info.st_dev, info.st_ino};
}

// Identity of the name itself, not of its target if it is a link.
std::array<std::uint64_t, 2> own_identity_of(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? identity(info) : std::array<std::uint64_t, 2>{};
}

// 0, or the system's reason. If it can't rename without replacing, a hard link is made; if there
// are no hard links either (FAT), the name is checked first.
int rename_to_free(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  if (own_identity_of(to) != std::array<std::uint64_t, 2>{}) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}
}  // namespace

std::array<std::uint64_t, 2> identity_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? identity(info) : std::array<std::uint64_t, 2>{};
}

std::array<std::uint64_t, 2> identity_of(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 ? identity(info) : std::array<std::uint64_t, 2>{};
}

PartFile::PartFile(const std::string& path, const Readers& readers) : path_(path) {
  remove_left_parts(path);
  for (int attempt = 0; attempt < kTries && descriptor_.number() < 0; ++attempt) {
    name_ = part_name(path, ::getpid(), random_token());
    descriptor_ = Descriptor(::open(
        name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, readers.widest_mode()));
    if (descriptor_.number() < 0 && errno != EEXIST) break;
  }
  if (descriptor_.number() < 0) fail(path, "can't create the file", errno);
  identity_ = identity_of(descriptor());
  try {
    narrow_mode(descriptor(), readers);
  } catch (const Error& error) {
    remove();
    throw Error(error.code(), error.message(), path);
  }
}

PartFile::~PartFile() { remove(); }

PartFile::PartFile(PartFile&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::exchange(other.name_, {})),
      identity_(other.identity_),
      descriptor_(std::move(other.descriptor_)) {}

// The file with its name may belong to somebody else by now.
void PartFile::remove() {
  if (!name_.empty() && own_identity_of(name_) == identity_) ::unlink(name_.c_str());
  name_.clear();
}

void PartFile::require_own() const {
  if (own_identity_of(name_) == identity_) return;
  throw Error(ErrorCode::io,
              "the unfinished file was removed or replaced by another process: " + name_, path_,
              "write to a directory in which nobody else may rename files");
}

void PartFile::replace() {
  require_own();
  if (::rename(name_.c_str(), path_.c_str()) != 0)
    fail(path_, "can't rename the finished file into place", errno);
  name_.clear();
}

void PartFile::take_name() {
  require_own();
  if (const int reason = rename_to_free(name_, path_))
    fail(path_, "can't rename the finished file into place", reason);
  name_.clear();
}

}  // namespace credo::io
