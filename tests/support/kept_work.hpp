// Work that is kept in a folder of a test's own (results/draws/work.hpp).
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "results/draws/work.hpp"

namespace credo::testing {

class WorkFolder : public ::testing::Test {
 protected:
  WorkFolder()
      : folder_(std::filesystem::temp_directory_path() /
                ("credo_work_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~WorkFolder() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return (folder_ / "answer.nc").string(); }
  bool is_empty() const { return std::filesystem::is_empty(folder_); }
  // Works with different seeds are different works; the number of pieces makes none.
  results::WorkOptions of(Index seed, Index count = 10) const {
    return {.file = file(),
            .spec = {.question = "test",
                     .options = {{"seed", std::to_string(seed)}},
                     .amounts = {{"count", std::to_string(count)}}},
            .count = count};
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace credo::testing
