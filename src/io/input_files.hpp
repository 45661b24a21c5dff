// The files a command reads, remembered, so that a run can be repeated where they have changed or
// are gone.
#pragma once
#include "io/readers.hpp"

namespace credo::io {

class InputFiles {
 public:
  using Contents = std::map<std::string, std::string>;  // by the path of the request

  InputFiles() = default;  // from the disk
  // Contents that another command read; other files aren't there.
  explicit InputFiles(Contents contents) : contents_(std::move(contents)), recorded_(true) {}

  // The whole file. Throws Error(io) if it can't be read or is longer than `max_bytes`.
  const std::string& read(const std::string& path, std::size_t max_bytes = std::size_t{1} << 32);
  bool can_read(const std::string& path) const;
  // Adds a file as if it had been read.
  void add(const std::string& path, std::string content) { contents_[path] = std::move(content); }
  // The contents come from this file: only its readers are among readers().
  void come_from(const std::string& path) { readers_[path].narrow(path); }
  const Contents& contents() const { return contents_; }
  // Users who may read all files that were read from the disk, except those with `other_names`.
  Readers readers(std::span<const std::string> other_names = {}) const;

 private:
  Contents contents_;
  std::map<std::string, Readers> readers_;
  bool recorded_ = false;
};

}  // namespace credo::io
