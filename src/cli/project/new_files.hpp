// Files of a new folder: all of them, or none if one would replace an existing file.
#pragma once
#include "base/std.hpp"

namespace credo::cli {

class NewFiles {
 public:
  explicit NewFiles(std::string folder) : folder_(std::move(folder)) {}
  void add(const std::string& name, std::string text) {
    files_.emplace_back(name, std::move(text));
  }
  // The paths that were written. Makes the folder if it doesn't exist. Throws Error(usage) before
  // anything is written if one of the files exists, Error(io) if one can't be written.
  std::vector<std::string> write() const;

 private:
  std::string folder_;
  std::vector<std::pair<std::string, std::string>> files_;  // names, texts
};

}  // namespace credo::cli
