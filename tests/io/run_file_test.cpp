#include "io/run_file.hpp"

#include <gtest/gtest.h>

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace credo::io::run_file_test {
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

  // What another program makes of it.
  void change(const char* sql, const char* name = "fit.nc.run") const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path(name).c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  void expect_refused(const char* words, const char* name = "fit.nc.run") const {
    try {
      const RunFile file = RunFile::open_to_write(path(name));
      ADD_FAILURE() << "not refused: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
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

// Pieces of work are chains without rows, whatever their numbers.
TEST_F(RunFileOnDisk, has_pieces_in_a_file_without_columns) {
  {
    RunFile file = RunFile::create(path(), {{"num_chains", "3"}, {"num_columns", ""}},
                                   std::array{RunBlock{.chain = 7, .iteration = 1, .state = "a"}});
    file.append({.chain = -2, .iteration = 1, .state = "b"});
    file.append({.chain = 7, .iteration = 2, .result = "whole", .finished = true});
    file.set_facts({{"more", "y"}, {"num_chains", "4"}});
  }
  auto file = std::make_unique<RunFile>(RunFile::open_to_write(path()));
  EXPECT_FALSE(file->has_rows());
  EXPECT_EQ(file->chains(), (std::vector<Index>{-2, 7}));
  EXPECT_EQ(file->state(-2).state, "b");
  EXPECT_EQ(file->state(7).state, "");
  EXPECT_EQ(file->state(7).result, "whole");
  EXPECT_TRUE(file->progress(7).finished);
  EXPECT_EQ(file->facts().at("more"), "y");
  file.reset();
  change("UPDATE chains SET iteration = 5 WHERE chain = 7");
  expect_refused("check sum of chain 8");
  change("UPDATE chains SET iteration = 2 WHERE chain = 7");
  RunFile::open_to_write(path()).remove({});
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(RunFileOnDisk, goes_on_behind_a_last_block_where_it_is_lengthened) {
  const std::vector<double> a = rows_from(1.0, 4), b = rows_from(50.0, 2);
  {
    RunFile file = create();
    file.append(
        {.chain = 1, .iteration = 4, .num_rows = 4, .rows = a, .state = "end", .finished = true});
    file.lengthen({{"program", "y"}, {"more", "z"}});
    EXPECT_FALSE(file.state(1).finished);
    EXPECT_EQ(file.state(1).state, "end");
  }
  RunFile file = RunFile::open_to_write(path());  // with all check sums
  EXPECT_EQ(file.facts().at("program") + file.facts().at("more"), "yz");
  EXPECT_FALSE(file.state(1).finished);
  file.append(
      {.chain = 1, .iteration = 6, .num_rows = 2, .rows = b, .state = "later", .finished = true});
  EXPECT_EQ(file.num_rows(1, kDraws), 6);
  EXPECT_TRUE(RunFile::open(path()).state(1).finished);
}

TEST_F(RunFileOnDisk, keeps_warmup_apart) {
  RunFile file = create();
  file.append(
      {.chain = 0, .group = kWarmup, .iteration = 2, .num_rows = 2, .rows = rows_from(0, 2)});
  file.append({.chain = 0, .iteration = 3, .num_rows = 1, .rows = rows_from(9, 1)});
  EXPECT_EQ(file.read({.group = kWarmup, .num_columns = 1, .num_rows = 2}).size(), 2u);
  EXPECT_EQ(file.read({.num_columns = 1, .num_rows = 1}), std::vector<double>{9.0});
}

TEST_F(RunFileOnDisk, keeps_groups_with_columns_of_their_own) {
  RunFile made = RunFile::create(path(), {{"num_chains", "2"}, {"num_columns", "3 2 1"}});
  const std::vector<double> draws = rows_from(1.0, 1), pairs = {5.0, 6.0, 7.0, 8.0}, single = {9.0};
  const std::array<RunBlock, 3> together = {
      {{.chain = 1, .group = 2, .iteration = 1, .num_rows = 2, .rows = pairs},
       {.chain = 1, .group = 3, .iteration = 1, .num_rows = 1, .rows = single},
       {.chain = 1, .iteration = 1, .num_rows = 1, .rows = draws, .state = "first"}}};
  made.append(together);
  made.append(RunBlock{
      .chain = 1, .group = 2, .iteration = 2, .num_rows = 2, .rows = pairs, .state = "second"});
  const RunFile file = RunFile::open(path());
  EXPECT_EQ(file.num_groups(), 4);
  EXPECT_EQ(file.state(1).num_rows, (std::vector<Index>{1, 0, 4, 1}));
  EXPECT_EQ(file.state(1).state, "second");
  EXPECT_EQ(file.read({.chain = 1, .group = 2, .num_columns = 2, .num_rows = 4}),
            (std::vector<double>{5, 7, 5, 7, 6, 8, 6, 8}));
  EXPECT_EQ(file.read({.chain = 1, .group = 3, .num_columns = 1, .num_rows = 1}), single);
  EXPECT_EQ(file.read({.chain = 1, .num_columns = 1, .num_rows = 1}), std::vector<double>{1.0});
}

TEST_F(RunFileOnDisk, refuses_groups_that_no_run_has) {
  EXPECT_THROW(RunFile::create(path("a"), {{"num_chains", "1"}, {"num_columns", "3 0"}}), Error);
  EXPECT_THROW(RunFile::create(path("b"), {{"num_chains", "1"}, {"num_columns", "3 x"}}), Error);
  EXPECT_THROW(RunFile::create(path("c"), {{"num_chains", "1"}, {"num_columns", " "}}), Error);
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
  EXPECT_EQ(state.rows_of(kDraws), state.iteration);
  EXPECT_EQ(ssize(file.read({.num_columns = 1, .num_rows = state.rows_of(kDraws)})),
            state.iteration);
  EXPECT_THROW(file.read({.num_columns = 1, .num_rows = state.rows_of(kDraws) + 1}), Error);
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
  EXPECT_EQ(again.state(0).rows_of(kDraws), 8);
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

TEST_F(RunFileOnDisk, has_one_writer_and_any_readers) {
  RunFile file = create();
  EXPECT_NO_THROW(RunFile::open(path()));
  expect_refused("another process is writing");
  std::filesystem::create_hard_link(path(), path("alias.run"));
  expect_refused("another process is writing", "alias.run");
}

TEST_F(RunFileOnDisk, is_free_again_when_its_writer_is_killed) {
  std::array<int, 2> made{};
  ASSERT_EQ(pipe(made.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const RunFile file = create();
    if (write(made[1], "x", 1) != 1) _exit(1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(made[0], &byte, 1), 1);
  expect_refused("another process is writing");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunFile::open_to_write(path()));
}

// As on a file system without locks.
TEST_F(RunFileOnDisk, is_not_written_behind_what_another_process_has_written) {
  const std::vector<double> row = rows_from(1.0, 1);
  RunFile file = create();
  file.append({.chain = 0, .iteration = 1, .num_rows = 1, .rows = row, .state = "first"});
  {
    RunFile other = RunFile::open(path());
    other.append({.chain = 0, .iteration = 2, .num_rows = 1, .rows = row, .state = "other"});
  }
  try {
    file.append({.chain = 0, .iteration = 2, .num_rows = 1, .rows = row, .state = "second"});
    FAIL() << "written";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("another process has written"), std::string::npos);
  }
  EXPECT_EQ(file.state(0).state, "other");
  EXPECT_EQ(file.state(0).rows_of(kDraws), 2);
}

TEST_F(RunFileOnDisk, gives_no_draw_of_which_a_bit_has_changed) {
  constexpr Index kRows = 300;  // two pieces of columns
  {
    RunFile file = create();
    file.append({.iteration = kRows, .num_rows = kRows, .rows = rows_from(1.0, kRows)});
  }
  const RunFile file = RunFile::open(path());
  EXPECT_NO_THROW(RunFile::open_to_write(path()));
  for (const Index column : {0, 1, 2}) {
    const auto flipped = "UPDATE blocks SET columns = CAST(substr(columns, 1, " +
                         std::to_string(column * kRows * 8 + 17) +
                         ") || x'ff' || substr(columns, " +
                         std::to_string(column * kRows * 8 + 19) + ") AS BLOB)";
    std::filesystem::copy_file(path(), path("sound.run"));
    change(flipped.c_str());
    EXPECT_THROW(file.read({.first_column = column, .num_columns = 1, .num_rows = kRows}), Error);
    const Index other = column == 2 ? 0 : 2;  // of another piece
    EXPECT_NO_THROW(file.read({.first_column = other, .num_columns = 1, .num_rows = kRows}));
    expect_refused("check sum of draws");
    change(("ATTACH '" + path("sound.run") +
            "' AS sound; UPDATE blocks SET columns = (SELECT columns FROM sound.blocks)")
               .c_str());
    std::filesystem::remove(path("sound.run"));
  }
  EXPECT_NO_THROW(RunFile::open_to_write(path()));
}

TEST_F(RunFileOnDisk, refuses_changed_facts_counts_and_sums) {
  {
    RunFile file = create();
    file.append({.iteration = 4, .num_rows = 4, .rows = rows_from(1.0, 4)});
  }
  for (const auto& [sql, words] :
       {std::pair("UPDATE facts SET value = 'y' WHERE name = 'program'", "sum of its facts"),
        std::pair("DELETE FROM facts WHERE name = 'sum'", "sum of its facts"),
        std::pair("UPDATE chains SET iteration = 5", "sum of chain 1"),
        std::pair("UPDATE chains SET finished = 1", "sum of chain 1"),
        std::pair("UPDATE blocks SET sums = x'00'", "is damaged"),
        std::pair("UPDATE blocks SET sums = zeroblob(length(sums))", "sum of draws"),
        std::pair("DELETE FROM blocks", "hasn't the rows")}) {
    std::filesystem::copy_file(path(), path("changed.run"));
    change(sql, "changed.run");
    expect_refused(words, "changed.run");
    std::filesystem::remove(path("changed.run"));
  }
}

TEST_F(RunFileOnDisk, refuses_everything_that_a_run_file_has_not) {
  { const RunFile file = create(); }
  for (const auto& [sql, words] :
       {std::pair("CREATE TRIGGER t AFTER INSERT ON blocks BEGIN DELETE FROM chains; END",
                  "trigger t"),
        std::pair("CREATE VIEW v AS SELECT * FROM facts", "view v"),
        std::pair("CREATE INDEX i ON blocks(num_rows)", "index i"),
        std::pair("CREATE TABLE more(x)", "table more"),
        std::pair("ALTER TABLE blocks ADD COLUMN y", "table blocks"),
        std::pair("DROP TABLE facts; CREATE VIEW facts AS SELECT 'schema' AS name, '2' AS value",
                  "not a run file")}) {
    std::filesystem::copy_file(path(), path("changed.run"));
    change(sql, "changed.run");
    expect_refused(words, "changed.run");
    EXPECT_THROW(RunFile::open(path("changed.run")), Error);
    std::filesystem::remove(path("changed.run"));
  }
}

TEST_F(RunFileOnDisk, is_not_made_beside_the_log_of_another) {
  std::ofstream(path("fit.nc.run-wal")) << "planted";
  EXPECT_THROW(create(), Error);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(RunFileOnDisk, is_not_made_over_a_link_that_leads_nowhere) {
  std::filesystem::create_symlink(path("elsewhere"), path());
  EXPECT_THROW(create(), Error);
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
}

TEST_F(RunFileOnDisk, is_read_by_those_alone_who_may_read_its_sources) {
  std::ofstream(path("data")) << "private";
  chmod(path("data").c_str(), 0600);
  Readers readers;
  readers.narrow(path("data"));
  RunFile file = RunFile::create(path(), {{"num_chains", "1"}, {"num_columns", "3"}}, {}, readers);
  file.append({.iteration = 1, .num_rows = 1, .rows = rows_from(1.0, 1)});
  std::filesystem::remove(path());
  file.restore();
  for (const char* name : {"fit.nc.run", "fit.nc.run-wal"}) {
    struct stat info {};
    if (stat(path(name).c_str(), &info) == 0) {
      EXPECT_EQ(info.st_mode & 0777, 0600u) << name;
    }
  }
}

}  // namespace
}  // namespace credo::io::run_file_test
