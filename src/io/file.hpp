// Whole files in, whole files out. A file under its final name is always complete: output is
// written to a temporary name in the same folder and renamed when it is finished; every write is
// checked.
#pragma once
#include "io/part_file.hpp"

namespace credo::io {

// The content of `path`. Throws Error{io} when it can't be read or is longer than `max_bytes`.
std::string read_file(const std::string& path, std::size_t max_bytes = std::size_t{1} << 32);

// Reads a file piece by piece, from the first to the last, which may be empty.
void read_pieces(const std::string& path,
                 const std::function<void(std::string_view piece, bool is_last)>& take);
std::size_t file_size(const std::string& path);  // bytes; 0: unknown before it is read

// Throws Error{io} if the file system of `path` has less room than this.
void require_space(const std::string& path, double bytes);

// One output file in the making. Anything but a regular file (a pipe, a terminal, /dev/null) is
// written directly. Throws Error{io} with the name of the file and the system's reason: a full disk
// is an error, never a short file.
class OutputFile final {
 public:
  explicit OutputFile(std::string path, const Readers& readers = {});
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;

  void write(std::string_view text);  // buffered
  void commit();  // writes the rest, waits for the disk, renames into place; call it once
  const std::string& path() const { return path_; }

 private:
  void flush();
  [[noreturn]] void fail(const char* what) const;

  std::string path_, buffer_;
  std::optional<PartFile> part_;  // nullopt if path_ is written directly; removed unless committed
  Descriptor descriptor_;
};

}  // namespace credo::io
