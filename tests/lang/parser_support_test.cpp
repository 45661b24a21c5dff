#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "lang/parser_support.hpp"

namespace credo::lang::testing {

std::vector<std::string> stan_files(const std::string& dir) {
  std::vector<std::string> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(dir, missing)) {
    if (entry.path().extension() == ".stan") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> expectations(const std::string& text) {
  static constexpr std::string_view kMark = "// expect ";
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(kMark);
    if (at != line.npos) found.push_back(line.substr(at + kMark.size()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> reported(const SourceMap& source, const Diagnostics& diagnostics) {
  std::vector<std::string> found;
  for (const Diagnostic& d : diagnostics.all()) {
    const Position at = source.position(d.range);
    std::string line = d.severity() == Severity::error ? "error: " : "warning: ";
    line += row(d.code).name + " ";
    const std::filesystem::path file(source.file(d.range).name);
    if (d.range.file > 0) line += file.filename().string() + ":";
    line += std::to_string(at.line) + ":" + std::to_string(at.column);
    found.push_back(line);
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(expectations, are_read_from_comments_and_sorted) {
  const std::string text = "a // expect error: b 2:1\nexpect nothing\n// expect error: a 1:1\n";
  EXPECT_EQ(expectations(text), (std::vector<std::string>{"error: a 1:1", "error: b 2:1"}));
}

}  // namespace credo::lang::testing
