// The files that a command will replace. To read one of them is an error: its content would be lost.
//
//   const WrittenFiles written({"report.html"});  // the files that have these names now
//   require_not_written("fit.nc");                // throws if it is one of them, whatever it is called
//
// Files are compared by device and number, so links and other spellings are the same file. The result
// itself, once it is in place, is another file and can be read.
#pragma once
#include "base/types.hpp"

namespace credo::io {

// In force on this thread until it ends, beside those that were there before.
class WrittenFiles {
 public:
  explicit WrittenFiles(std::span<const std::string> paths);
  ~WrittenFiles();
  WrittenFiles(const WrittenFiles&) = delete;
  WrittenFiles& operator=(const WrittenFiles&) = delete;

  // Its name among those that are written; null: it isn't one of them.
  const std::string* find(const std::array<std::uint64_t, 2>& identity) const;
  const WrittenFiles* outer() const { return outer_; }

 private:
  std::map<std::array<std::uint64_t, 2>, std::string> files_;  // regular ones that exist
  const WrittenFiles* outer_;
};

// Throws Error(usage) if `input` is a file that is going to be replaced. The functions of this layer
// that read files ask it.
void require_not_written(const std::string& input);

}  // namespace credo::io
