// The examples that are shipped: where they are, and which files each is made of.
#pragma once
#include "base/std.hpp"

namespace credo::cli {

struct Example {
  std::string name, about;  // "beetles", "logistic regression: ..."
};

class ExampleFiles {
 public:
  // Examples of the installation that this program belongs to, or of the tree that it was built in. Throws Error(io)
  // if neither has them.
  ExampleFiles();
  explicit ExampleFiles(std::string folder);  // the folder with examples.csv

  const std::string& folder() const { return folder_; }
  std::vector<Example> all() const;  // in the order of examples.csv
  // Paths of programs, data and the like; the page about it, or empty.
  std::vector<std::string> files_of(const std::string& name) const;
  std::string page_of(const std::string& name) const;

 private:
  std::string folder_;
};

}  // namespace credo::cli
