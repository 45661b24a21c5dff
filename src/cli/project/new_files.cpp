#include "cli/project/new_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "io/file.hpp"

namespace credo::cli {

std::vector<std::string> NewFiles::write() const {
  namespace fs = std::filesystem;
  const fs::path folder = folder_;
  std::error_code failed;
  for (const auto& [name, text] : files_)
    if (fs::exists(fs::symlink_status(folder / name, failed)))
      throw Error(ErrorCode::usage, "there is a file of this name already",
                  (folder / name).string(), "name another folder, or move it away");
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(ErrorCode::io, "can't make the folder: " + failed.message(), folder_,
                "check its name, and who may write there");
  std::vector<std::string> written;
  for (const auto& [name, text] : files_) {
    io::OutputFile file((folder / name).string());
    file.write(text);
    file.commit();
    written.push_back(file.path());
  }
  return written;
}

}  // namespace credo::cli
