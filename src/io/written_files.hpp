// The files that a command will replace. Reading one of them is an error, because its content would be lost.
//
//   const WrittenFiles written({"report.html"});  // the files that have these names now
//   require_not_written("fit.nc");                // throws if it is one of them, also under another name
//
// Files are compared by device and inode number, so that links and other spellings count as the same file. The
// result, once it is in place, is another file and can be read.
#pragma once
#include "base/types.hpp"

namespace credo::io {

// Applies to this thread until it is destroyed, together with those made before.
class WrittenFiles {
 public:
  explicit WrittenFiles(std::span<const std::string> paths);
  ~WrittenFiles();
  WrittenFiles(const WrittenFiles&) = delete;
  WrittenFiles& operator=(const WrittenFiles&) = delete;

  // Path of the output with this identity; null without one.
  const std::string* find(const std::array<std::uint64_t, 2>& identity) const;
  const WrittenFiles* outer() const { return outer_; }

 private:
  std::map<std::array<std::uint64_t, 2>, std::string> files_;  // existing regular files
  const WrittenFiles* outer_;
};

// Throws Error(usage) if `input` is a file that will be replaced. The functions of this layer that read files call
// it.
void require_not_written(const std::string& input);

}  // namespace credo::io
