#include "io/run_file.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace credo::io {
namespace {

class RunFileOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("credo_run_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name = "fit.nc.run") const { return folder_ / name; }
  RunFile create() const {
    return RunFile::create(path(), {{"num_chains", "2"}, {"num_columns", "3"}, {"program", "x"}});
  }

  std::filesystem::path folder_;
};

std::vector<double> rows_from(double first, Index num_rows) {
  std::vector<double> rows;
  for (Index i = 0; i < 3 * num_rows; ++i) rows.push_back(first + 0.1 * static_cast<double>(i));
  return rows;
}

TEST_F(RunFileOnDisk, gives_back_columns_across_blocks_and_the_last_state) {
  const std::vector<double> a = rows_from(1.0, 4), b = rows_from(50.0, 2);
  {
    RunFile file = create();
    file.append({.chain = 1, .iteration = 4, .num_rows = 4, .rows = a, .state = "first"});
    file.append({.chain = 1,
                 .iteration = 6,
                 .num_rows = 2,
                 .rows = b,
                 .state = "second",
                 .finished = true});
  }
  const RunFile file = RunFile::open(path());
  EXPECT_EQ(file.facts().at("program"), "x");
  EXPECT_EQ(file.state(0).iteration, 0);
  EXPECT_EQ(file.state(1).iteration, 6);
  EXPECT_EQ(file.state(1).state, "second");
  EXPECT_TRUE(file.state(1).finished);
  const std::vector<double> got =
      file.read({.chain = 1, .first_column = 1, .num_columns = 2, .num_rows = 5});
  ASSERT_EQ(got.size(), 10u);
  for (std::size_t r = 0; r < 5; ++r) {
    const std::vector<double>& from = r < 4 ? a : b;
    const std::size_t row = r < 4 ? r : r - 4;
    EXPECT_EQ(got[r], from[3 * row + 1]);
    EXPECT_EQ(got[5 + r], from[3 * row + 2]);
  }
}

TEST_F(RunFileOnDisk, keeps_warmup_apart) {
  RunFile file = create();
  file.append({.chain = 0, .warmup = true, .iteration = 2, .num_rows = 2, .rows = rows_from(0, 2)});
  file.append({.chain = 0, .iteration = 3, .num_rows = 1, .rows = rows_from(9, 1)});
  EXPECT_EQ(file.read({.warmup = true, .num_columns = 1, .num_rows = 2}).size(), 2u);
  EXPECT_EQ(file.read({.num_columns = 1, .num_rows = 1}), std::vector<double>{9.0});
}

TEST_F(RunFileOnDisk, is_not_made_over_one_that_exists) {
  { const RunFile file = create(); }
  EXPECT_THROW(create(), Error);
}

TEST_F(RunFileOnDisk, refuses_what_is_no_run_file) {
  std::ofstream(path("text")) << "not a database, and long enough to be told apart from one";
  EXPECT_THROW(RunFile::open(path("text")), Error);
  EXPECT_THROW(RunFile::open(path("missing")), Error);
}

TEST_F(RunFileOnDisk, holds_what_was_committed_when_the_process_is_killed) {
  { const RunFile file = create(); }
  const pid_t child = fork();
  if (child == 0) {
    RunFile file = RunFile::open(path());
    const std::vector<double> row = rows_from(7.0, 1);
    for (Index i = 0; i < 100000; ++i)
      file.append({.chain = 0,
                   .iteration = i + 1,
                   .num_rows = 1,
                   .rows = row,
                   .state = std::to_string(i + 1)});
    _exit(0);
  }
  usleep(50'000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const RunFile file = RunFile::open(path());
  const ChainState state = file.state(0);
  EXPECT_EQ(std::to_string(state.iteration), state.iteration == 0 ? "0" : state.state);
  EXPECT_EQ(state.num_rows, state.iteration);
  EXPECT_EQ(ssize(file.read({.num_columns = 1, .num_rows = state.num_rows})), state.iteration);
  EXPECT_THROW(file.read({.num_columns = 1, .num_rows = state.num_rows + 1}), Error);
}

TEST_F(RunFileOnDisk, is_made_again_where_it_was_removed_while_it_was_written) {
  const std::vector<double> rows = rows_from(1.0, 4);
  RunFile file = create();
  file.append({.chain = 0, .iteration = 4, .num_rows = 4, .rows = rows, .state = "first"});
  EXPECT_TRUE(file.is_in_place());
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path() + suffix);
  EXPECT_FALSE(file.is_in_place());
  file.restore();
  EXPECT_TRUE(file.is_in_place());
  file.append({.chain = 0, .iteration = 8, .num_rows = 4, .rows = rows, .state = "second"});
  const RunFile again = RunFile::open(path());
  EXPECT_EQ(again.state(0).state, "second");
  EXPECT_EQ(again.state(0).num_rows, 8);
}

TEST_F(RunFileOnDisk, does_not_take_the_place_of_another_file) {
  RunFile file = create();
  std::filesystem::remove(path());
  std::ofstream(path()) << "mine";
  EXPECT_FALSE(file.is_in_place());
  EXPECT_THROW(file.restore(), Error);
  std::ifstream other(path());
  std::string text;
  other >> text;
  EXPECT_EQ(text, "mine");
}

}  // namespace
}  // namespace credo::io
