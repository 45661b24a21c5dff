#include "io/written_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "io/part_file.hpp"

namespace credo::io {
namespace {
thread_local const WrittenFiles* innermost = nullptr;

// Only regular files are replaced; devices and pipes keep their content.
bool is_regular_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}
}  // namespace

WrittenFiles::WrittenFiles(std::span<const std::string> paths) : outer_(innermost) {
  for (const std::string& path : paths)
    if (is_regular_file(path)) files_.emplace(identity_of(path), path);
  innermost = this;
}

WrittenFiles::~WrittenFiles() { innermost = outer_; }

const std::string* WrittenFiles::find(const std::array<std::uint64_t, 2>& identity) const {
  const auto found = files_.find(identity);
  return found == files_.end() ? nullptr : &found->second;
}

void require_not_written(const std::string& input) {
  for (const WrittenFiles* scope = innermost; scope != nullptr; scope = scope->outer()) {
    const std::string* const output = scope->find(identity_of(input));
    if (output == nullptr) continue;
    throw Error(ErrorCode::usage,
                fmt::format("the output {} is {}, which this command reads: it would be replaced",
                            *output, *output == input ? "a file" : input),
                {}, "name another file");
  }
}

}  // namespace credo::io
