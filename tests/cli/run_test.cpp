// credo run: a specification is the run that the command line of --print-spec would have been.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "io/file.hpp"

namespace credo::cli::run_test {
namespace {
namespace fs = std::filesystem;

class Runs : public ::testing::Test {
 protected:
  Runs() { fs::create_directories(folder_); }
  ~Runs() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    out_ = ::testing::internal::GetCapturedStdout();
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  int sample(const std::vector<std::string>& more) {
    std::vector<std::string> words{"sample", CREDO_SOURCE_DIR "/examples/eight_schools.stan",
                                   "--data", CREDO_SOURCE_DIR "/examples/eight_schools.data.json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_run_" + std::to_string(getpid()));
  std::string out_, said_;
};

TEST_F(Runs, of_a_printed_specification_write_the_same_file) {
  const std::vector<std::vector<std::string>> options = {
      {"--draws", "30", "--warmup", "50", "--max-depth", "6", "--metric", "dense_e", "--seed", "9"},
      {"--draws", "20", "--warmup", "20", "--sampler", "slice", "--keep", "theta*", "--thin", "2"},
      {"--draws", "20", "--warmup", "0", "--sampler", "exact", "--terms", "prior"},
      {"--draws", "20", "--warmup", "20", "--init", "0.5", "--adapt-delta", "0.9", "--no-data"}};
  for (std::vector<std::string> words : options) {
    words.insert(words.end(), {"--quiet", "--chains", "2"});
    std::vector<std::string> direct = words, printed = words;
    direct.insert(direct.end(), {"-o", at("direct.nc")});
    printed.insert(printed.end(), {"-o", at("run.nc"), "--print-spec"});
    ASSERT_EQ(sample(direct), 0) << said_;
    ASSERT_EQ(sample(printed), 0) << said_;
    EXPECT_FALSE(fs::exists(folder_ / "run.nc"));
    write("spec.json", out_);
    ASSERT_EQ(run({"run", at("spec.json")}), 0) << said_;
    EXPECT_TRUE(io::read_file(at("run.nc")) == io::read_file(at("direct.nc"))) << words[4];
    ASSERT_EQ(run({"run", at("spec.json"), "-o", at("other.nc"), "--threads", "1"}), 0) << said_;
    EXPECT_TRUE(io::read_file(at("other.nc")) == io::read_file(at("direct.nc"))) << words[4];
    fs::remove(folder_ / "run.nc");
  }
}

TEST_F(Runs, like_a_result_print_what_they_would_do) {
  ASSERT_EQ(sample({"--draws", "20", "--warmup", "20", "--quiet", "-o", at("a.nc")}), 0);
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "--sampler", "slice", "--print-spec"}), 0)
      << said_;
  EXPECT_NE(out_.find("\"name\":\"slice\""), std::string::npos);
  EXPECT_NE(out_.find("\"num_draws\":20"), std::string::npos);
  EXPECT_EQ(out_.find("max_tree_depth"), std::string::npos);
}

TEST_F(Runs, like_exact_draws_warm_up_and_take_both_seeds) {
  ASSERT_EQ(sample({"--terms", "prior", "--sampler", "exact", "--draws", "9", "--quiet", "-o",
                    at("a.nc")}),
            0);
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "--sampler", "nuts", "--print-spec"}), 0);
  EXPECT_NE(out_.find("\"num_warmup\":1000"), std::string::npos);
  ASSERT_EQ(sample({"--draws", "9", "--quiet", "-o", at("b.nc"), "--seed", "3"}), 0);
  ASSERT_EQ(run({"sample", "--like", at("b.nc"), "--seed", "4", "--print-spec"}), 0);
  EXPECT_EQ(out_.find("\"seed\":3"), std::string::npos) << out_;
}

TEST_F(Runs, like_another_carry_options_that_both_samplers_have) {
  ASSERT_EQ(sample({"--metric", "dense_e", "--max-depth", "6", "--draws", "9", "--warmup", "9",
                    "--quiet", "-o", at("a.nc")}),
            0);
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "--sampler", "hmc_static", "--print-spec"}), 0);
  EXPECT_NE(out_.find("\"metric\":\"dense_e\""), std::string::npos) << out_;
}

// Files of the run that the new one doesn't read aren't in its result, and rights hold.
TEST_F(Runs, like_another_with_other_data_equal_a_run_from_the_start) {
  write("m.stan", "data { real y; } parameters { real x; } model { x ~ normal(y, 1); }");
  write("old.json", R"({"y": 1})");
  write("new.json", R"({"y": 2})");
  const std::vector<std::string> direct = {"sample",   at("m.stan"), "--draws", "9",
                                           "--warmup", "9",          "--quiet", "--data"};
  const auto with = [&](std::vector<std::string> words, std::vector<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(run(with(direct, {at("old.json"), "-o", at("a.nc")})), 0) << said_;
  ASSERT_EQ(run(with(direct, {at("new.json"), "-o", at("b.nc")})), 0) << said_;
  fs::permissions(at("new.json"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(
      run({"sample", "--like", at("a.nc"), "--data", at("new.json"), "-o", at("c.nc"), "--quiet"}),
      0)
      << said_;
  EXPECT_TRUE(io::read_file(at("b.nc")) == io::read_file(at("c.nc")));
  EXPECT_EQ(fs::status(at("c.nc")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Runs, of_what_is_no_specification_are_refused) {
  write("a.json", R"({"spec": 1, "run": {"num_drawn": 3}})");
  EXPECT_EQ(run({"run", at("a.json")}), 2);
  EXPECT_NE(said_.find("a.json:1:"), std::string::npos) << said_;
  write("b.json", R"({"spec": 1})");
  EXPECT_EQ(run({"run", at("b.json")}), 2);
  EXPECT_NE(said_.find("names no program"), std::string::npos) << said_;
  write("fit.nc", "a result");
  EXPECT_EQ(run({"run", at("fit.nc")}), 2);
  EXPECT_NE(said_.find("--like"), std::string::npos) << said_;
  write("fit.run", "a run");
  EXPECT_EQ(run({"run", at("fit.run")}), 2);
  EXPECT_NE(said_.find("credo resume"), std::string::npos) << said_;
  write("c.json", "{");
  EXPECT_EQ(run({"run", at("c.json")}), 4);
  EXPECT_NE(run({"run", at("none.json")}), 0);
}

// A missing file is reported as missing, whatever its name.
TEST_F(Runs, of_files_that_are_not_there_say_so) {
  for (const char* name : {"none.json", "none.nc", "none.run"}) {
    EXPECT_EQ(run({"run", at(name)}), 6) << name;
    EXPECT_NE(said_.find("No such file"), std::string::npos) << said_;
    EXPECT_EQ(said_.find("--like"), std::string::npos) << said_;
  }
}

}  // namespace
}  // namespace credo::cli::run_test
