// Program text and places in it: files, their includes, and offsets turned into lines and
// columns.
#pragma once
#include "base/std.hpp"

namespace credo::lang {

class Diagnostics;

// Limits for hostile input; each is a diagnostic.
inline constexpr std::size_t kMaxIncludes = 256;
inline constexpr std::size_t kMaxProgramBytes = 4u << 20;  // all files together

// A stretch of one file's text: bytes begin (inclusive) to end (exclusive). file is an index into
// SourceMap::files().
struct SourceRange {
  std::uint32_t file = 0, begin = 0, end = 0;
  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

// The smallest range that covers both. If they lie in different files, the first one.
SourceRange join(SourceRange first, SourceRange last);

// 1-based; a column counts bytes, and a tab is one of them.
struct Position {
  int line = 1, column = 1;
  friend bool operator==(const Position&, const Position&) = default;
};

// One inclusion of a file. A file that is included twice is two SourceFiles with equal text, so
// that a range knows the chain of includes that led to it.
struct SourceFile {
  std::string name;  // name in messages: the path it was opened by, or a given name
  std::string text;
  std::optional<SourceRange> included_from;  // the #include line; none for the program's own file
  std::vector<std::uint32_t> line_starts;    // offsets

  SourceFile(std::string name_, std::string text_, std::optional<SourceRange> from = {});
  Position position(std::uint32_t offset) const;
  std::string_view line(int number) const;  // 1-based, without the line's end
};

// The content of a file, or nullopt if it can't be read. A file longer than the limit of programs is
// cut after that length.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;
std::optional<std::string> read_program_file(const std::string& path);  // from the disk

// A program's files and the order in which their text is read, includes put in their places.
class SourceMap {
 public:
  std::span<const SourceFile> files() const { return files_; }
  std::span<const SourceRange> pieces() const {
    return pieces_;
  }  // the program's text is these, one after the other

  const SourceFile& file(SourceRange range) const { return files_[range.file]; }
  std::string_view text(SourceRange range) const;
  Position position(SourceRange range) const {
    return file(range).position(range.begin);
  }                                            // position of its begin
  std::string where(SourceRange range) const;  // "glm.stan:9:14"

  // Program text that is in memory already. #include lines are looked up in include_dirs, in order;
  // without a directory each one is a diagnostic. Problems go to the sink; what could be read is
  // still usable.
  static SourceMap from_text(std::string name, std::string text, Diagnostics& diagnostics,
                             std::span<const std::string> include_dirs = {},
                             const FileReader& read = read_program_file);
  // Reads the file; an unreadable one is a diagnostic and an empty program. An #include that isn't in
  // include_dirs is looked up beside the file that has the line.
  static SourceMap from_file(const std::string& path, Diagnostics& diagnostics,
                             std::span<const std::string> include_dirs = {},
                             const FileReader& read = read_program_file);

 private:
  friend class IncludeExpander;
  std::vector<SourceFile> files_;
  std::vector<SourceRange> pieces_;
};

}  // namespace credo::lang
