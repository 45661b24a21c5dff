// Commands run as from a command line, in a folder of the test's own.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "support/json_tree.hpp"

namespace credo::testing {

class CommandRun : public ::testing::Test {
 protected:
  explicit CommandRun(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() /
                ("credo_" + name + "_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~CommandRun() override { std::filesystem::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  int run(std::vector<std::string> words) {  // the exit status
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = cli::run_command_line(std::move(words));
    std::fflush(stdout);
    printed_ = ::testing::internal::GetCapturedStdout();
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  Json json(std::vector<std::string> words) {
    words.emplace_back("--json");
    EXPECT_EQ(run(std::move(words)), 0) << said_;
    return parse_json(printed_);
  }
  const std::string& printed() const { return printed_; }
  const std::string& said() const { return said_; }

 private:
  std::filesystem::path folder_;
  std::string printed_, said_;
};

}  // namespace credo::testing
