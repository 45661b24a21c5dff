// `credo resume --draws`: a run that was kept, or is asked while it is stopped, ends with the file of a run that was asked for so
// many draws from its beginning, bit for bit. While a run goes on it is asked by tools/check_live and tools/check_runs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "io/file.hpp"
#include "results/files/more_draws.hpp"

namespace credo::cli::longer_run_test {
namespace {
namespace fs = std::filesystem;

class LongerRuns : public ::testing::Test {
 protected:
  LongerRuns() {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "m.stan") << R"(parameters { real mu; vector[2] theta; }
model { mu ~ normal(1, 2); theta ~ normal(mu, 1); }
generated quantities { real y = normal_rng(mu, 1); })";
  }
  ~LongerRuns() override { fs::remove_all(folder_); }
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
  int sample(const std::string& output, const std::string& draws, std::vector<std::string> more) {
    std::vector<std::string> words = {"sample", at("m.stan"), "--seed",   "3",      "--draws",
                                      draws,    "-o",         at(output), "--quiet"};
    if (std::find(more.begin(), more.end(), "--warmup") == more.end())
      words.insert(words.end(), {"--warmup", "100"});
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::string bytes(const std::string& name) const { return io::read_file(at(name)); }
  void expect_extended(const std::vector<std::string>& more) {
    std::vector<std::string> kept = more;
    kept.insert(kept.end(), {"--keep-run", "--threads", "1"});
    ASSERT_EQ(sample("a.nc", "50", kept), 0) << said_;
    ASSERT_TRUE(fs::exists(at("a.nc.run"))) << said_;
    const std::string before = bytes("a.nc");
    ASSERT_EQ(run({"resume", at("a.nc.run"), "--draws", "120", "--threads", "3", "--quiet"}), 0)
        << said_;
    ASSERT_EQ(sample("b.nc", "120", more), 0) << said_;
    EXPECT_EQ(bytes("a.nc"), bytes("b.nc"));
    EXPECT_NE(bytes("a.nc"), before);
    EXPECT_TRUE(fs::exists(at("a.nc.run"))) << "it was kept once, and stays";
    fs::remove(at("a.nc.run"));
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_longer_" + std::to_string(getpid()));
  std::string out_, said_;
};

TEST_F(LongerRuns, end_with_the_file_of_a_run_that_was_asked_for_more) {
  expect_extended({});
  expect_extended({"--thin", "7", "--save-warmup"});
  expect_extended({"--sampler", "ensemble"});
  expect_extended({"--sampler", "slice", "--drop", "theta"});
}

TEST_F(LongerRuns, go_on_to_what_they_were_asked_for_while_nobody_ran_them) {
  ASSERT_EQ(sample("a.nc", "50", {"--keep-run"}), 0) << said_;
  ask_for_draws(at("a.nc.run"), 120);
  ASSERT_EQ(run({"resume", at("a.nc.run"), "--quiet"}), 0) << said_;
  ASSERT_EQ(sample("b.nc", "120", {}), 0) << said_;
  EXPECT_EQ(bytes("a.nc"), bytes("b.nc"));
  EXPECT_FALSE(fs::exists(extend_file_of(at("a.nc.run"))));
}

TEST_F(LongerRuns, are_removed_when_they_are_not_kept) {
  ASSERT_EQ(sample("a.nc", "50", {}), 0) << said_;
  EXPECT_FALSE(fs::exists(at("a.nc.run")));
  EXPECT_NE(run({"resume", at("a.nc.run"), "--draws", "120"}), 0);
  EXPECT_NE(said_.find("a.nc.run"), std::string::npos) << said_;
}

TEST_F(LongerRuns, are_refused_where_draws_would_be_fewer_and_stay_what_they_are) {
  ASSERT_EQ(sample("a.nc", "50", {"--keep-run"}), 0) << said_;
  EXPECT_EQ(run({"resume", at("a.nc.run"), "--draws", "49"}), 2);
  EXPECT_NE(said_.find("the run has 50 draws for each chain"), std::string::npos) << said_;
  EXPECT_NE(said_.find("49 are fewer"), std::string::npos) << said_;
  const std::string before = bytes("a.nc");
  ASSERT_EQ(run({"resume", at("a.nc.run"), "--draws", "50", "--quiet"}), 0) << said_;
  EXPECT_EQ(bytes("a.nc"), before);
}

TEST_F(LongerRuns, are_refused_where_draws_depend_on_their_number) {
  for (const char* sampler : {"smc", "tempering"}) {
    std::vector<std::string> words = {"--sampler", sampler, "--keep-run"};
    if (std::string(sampler) == "smc") words.insert(words.end(), {"--warmup", "0"});
    ASSERT_EQ(sample("a.nc", "200", words), 0) << said_;
    const std::string before = bytes("a.nc.run");
    EXPECT_EQ(run({"resume", at("a.nc.run"), "--draws", "400"}), 2) << sampler;
    EXPECT_NE(said_.find(std::string("a run of ") + sampler + " can't be given more"),
              std::string::npos)
        << said_;
    EXPECT_EQ(bytes("a.nc.run"), before);
    fs::remove(at("a.nc.run"));
  }
}

// Nothing of what is in such a file becomes a number by accident; the result isn't lost by it.
TEST_F(LongerRuns, take_no_request_that_is_none) {
  ASSERT_EQ(sample("a.nc", "50", {"--keep-run"}), 0) << said_;
  for (const char* text : {"", "1e3\n", "-5\n", "120 \n", "99999999999999999999\n"}) {
    std::ofstream(extend_file_of(at("a.nc.run"))) << text;
    EXPECT_THROW((void)asked_draws(at("a.nc.run")), Error) << text;
    EXPECT_EQ(run({"resume", at("a.nc.run"), "--quiet"}), 6) << text;
    EXPECT_NE(said_.find("one whole number"), std::string::npos) << said_;
  }
}

}  // namespace
}  // namespace credo::cli::longer_run_test
