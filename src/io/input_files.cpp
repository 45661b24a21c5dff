#include "io/input_files.hpp"

#include <unistd.h>
#include <filesystem>

#include "base/error.hpp"
#include "io/file.hpp"

namespace credo::io {

const std::string& InputFiles::read(const std::string& path, std::size_t max_bytes) {
  const auto known = contents_.find(path);
  if (known != contents_.end()) return known->second;
  if (recorded_) throw Error(ErrorCode::io, "the recorded run didn't read this file", path);
  return contents_.emplace(path, read_file(path, max_bytes)).first->second;
}

bool InputFiles::can_read(const std::string& path) const {
  if (recorded_ || contents_.contains(path)) return contents_.contains(path);
  std::error_code failed;
  return access(path.c_str(), R_OK) == 0 && !std::filesystem::is_directory(path, failed);
}

}  // namespace credo::io
