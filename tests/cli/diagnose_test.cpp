// credo diagnose and the verdict at the end of runs: from a run, its files, and draws alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "support/json_tree.hpp"

namespace credo::cli::diagnose_test {
namespace {
namespace fs = std::filesystem;

class Diagnose : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_diagnose_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    write("funnel.stan",
          "parameters {\n  real v;\n  vector[9] x;\n}\nmodel {\n  v ~ normal(0, 3);\n  x ~ "
          "normal(0, exp(v / "
          "2));\n}\n");
    write("normal.stan", "parameters { vector[3] x; } model { x ~ normal(0, 1); }\n");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    out_ = ::testing::internal::GetCapturedStdout();
    ::testing::internal::GetCapturedStderr();
    return status;
  }
  testing::Json json() const { return testing::parse_json(out_); }

  fs::path folder_;
  std::string out_;
};

TEST_F(Diagnose, says_the_same_of_a_run_and_of_its_file) {
  EXPECT_EQ(run({"sample", at("funnel.stan"), "--seed", "1", "-o", at("fit.nc"), "--json"}), 0);
  const std::string sentence = json().at("sentence").text;
  EXPECT_EQ(json().at("verdict").text, "bad");
  EXPECT_EQ(json().at("findings").items[0].at("id").text, "funnel");
  EXPECT_EQ(json().at("findings").items[0].at("statement").at("line").number, 7);
  EXPECT_EQ(run({"diagnose", at("fit.nc"), "--json"}), 0);
  EXPECT_EQ(json().at("sentence").text, sentence);
  EXPECT_EQ(json().at("findings").items[0].at("statement").at("line").number, 7);
}

TEST_F(Diagnose, takes_draws_without_a_program_and_with_one) {
  ASSERT_EQ(run({"sample", at("funnel.stan"), "--seed", "1", "-o", at("fit"), "--quiet"}), 0);
  std::vector<std::string> words = {"diagnose", "--json"};
  for (int c = 1; c <= 4; ++c) words.push_back(at("fit_" + std::to_string(c) + ".csv"));
  EXPECT_EQ(run(words), 0);
  EXPECT_EQ(json().at("findings").items[0].at("id").text, "funnel");
  words.insert(words.end(), {"--model", at("funnel.stan")});
  EXPECT_EQ(run(words), 0);
  EXPECT_EQ(json().at("findings").items[0].at("statement").at("line").number, 7);
}

TEST_F(Diagnose, takes_csv_files_with_the_program_and_its_data) {
  const std::string schools = std::string(CREDO_SOURCE_DIR) + "/examples/eight_schools";
  const std::string data = schools + ".data.json";
  ASSERT_EQ(run({"sample", schools + ".stan", "--data", data, "-o", at("fit"), "--quiet"}), 0);
  // theta is no parameter: its elements are not labels, though the density is the same if they
  // change places.
  std::vector<std::string> words = {"diagnose", "--model", schools + ".stan", "--data", data};
  for (int c = 1; c <= 4; ++c) words.push_back(at("fit_" + std::to_string(c) + ".csv"));
  EXPECT_EQ(run(words), 0);
  EXPECT_NE(out_.find("No fault found"), std::string::npos) << out_;
}

TEST_F(Diagnose, makes_a_bad_verdict_a_status_if_asked) {
  EXPECT_EQ(run({"sample", at("funnel.stan"), "--seed", "1", "--quiet"}), 0);
  EXPECT_EQ(run({"sample", at("funnel.stan"), "--seed", "1", "--quiet", "--strict"}), 8);
  EXPECT_EQ(run({"sample", at("normal.stan"), "--strict", "-o", at("good.nc")}), 0);
  EXPECT_NE(out_.find("No fault found: 4 chains agree"), std::string::npos);
  EXPECT_EQ(run({"diagnose", at("good.nc"), "--strict"}), 0);
  EXPECT_NE(out_.find("No fault found: 4 chains agree"), std::string::npos);
}

}  // namespace
}  // namespace credo::cli::diagnose_test
