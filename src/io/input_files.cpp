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
  Readers readers;
  readers.narrow(path);
  std::string text = read_file(path, max_bytes);
  readers.narrow(path);
  readers_[path] = readers;
  return contents_.emplace(path, std::move(text)).first->second;
}

Readers InputFiles::readers(std::span<const std::string> other_names) const {
  Readers all;
  for (const auto& [path, readers] : readers_)
    if (std::find(other_names.begin(), other_names.end(), path) == other_names.end())
      all.narrow(readers);
  return all;
}

bool InputFiles::can_read(const std::string& path) const {
  if (recorded_ || contents_.contains(path)) return contents_.contains(path);
  std::error_code failed;
  return access(path.c_str(), R_OK) == 0 && !std::filesystem::is_directory(path, failed);
}

}  // namespace credo::io
