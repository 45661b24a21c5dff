// Where results go: what can't be written, or can't be meant, is said before the run begins.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/term/terminal.hpp"
#include "io/file.hpp"
#include "support/one_line.hpp"

namespace credo::cli::output_test {
namespace {
namespace fs = std::filesystem;

constexpr const char* kProgram = "parameters { real x; } model { x ~ std_normal(); }";
// Fails in the first evaluation: whoever says something else said it before the run.
constexpr const char* kBroken = "parameters { real x; } model { x ~ normal(0, -1); }";

class Results : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    folder_ = fs::temp_directory_path() / ("credo_output_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "folder");
    fs::current_path(folder_);
    write("m.stan", kBroken);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  static void write(const std::string& name, std::string_view text) {
    std::ofstream(name, std::ios::binary) << text;
  }
  int run(std::vector<std::string> words) const {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    ::testing::internal::GetCapturedStdout();
    said_ = on_one_line(::testing::internal::GetCapturedStderr());
    return status;
  }
  int sample(std::vector<std::string> more) const {
    std::vector<std::string> words = {"sample", "m.stan", "--warmup", "20", "--draws", "10"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  void expect_refused(std::vector<std::string> more, const std::string& says) const {
    EXPECT_EQ(sample(more), 2) << more.back() << ": " << said_;
    EXPECT_NE(said_.find(says), std::string::npos) << said_;
  }

  fs::path before_, folder_;
  mutable std::string said_;
};

TEST_F(Results, at_a_directory_are_refused_before_the_run) {
  fs::create_directory("fit.nc");
  fs::create_directory("csv_2.csv");
  expect_refused({"-o", "fit.nc"}, "fit.nc is a directory");
  expect_refused({"-o", "folder", "--format", "netcdf"}, "folder is a directory");
  expect_refused({"-o", "folder"}, "name files in it: folder/fit");
  expect_refused({"-o", "folder/"}, "name files in it: folder/fit");
  expect_refused({"-o", "csv"}, "csv_2.csv is a directory");
}

TEST_F(Results, at_a_device_or_a_pipe_are_refused_before_the_run) {
  ASSERT_EQ(::mkfifo("pipe.nc", 0600), 0);
  expect_refused({"-o", "pipe.nc"}, "pipe.nc is a pipe");
  expect_refused({"-o", "/dev/null", "--format", "netcdf"}, "/dev/null is a device");
  expect_refused({"-o", "/dev/null"}, "/dev/null is a device");
  fs::create_symlink("/dev/null", "link.nc");
  expect_refused({"-o", "link.nc"}, "link.nc is a device");
  EXPECT_TRUE(fs::is_fifo("pipe.nc") && fs::is_symlink("link.nc"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Results, that_are_inputs_of_the_run_are_refused) {
  write("m.stan", "parameters { real x; } model {\n#include a.inc\n}");
  write("a.inc", "x ~ normal(0, -1);");
  write("d.json", "{}");
  write("i.json", "{\"x\": 1}");
  write("c.json", "{\"chains\": 2}");
  fs::create_hard_link("d.json", "same");
  for (const char* name :
       {"m.stan", "a.inc", "d.json", "i.json", "c.json", "same", "folder/../m.stan"})
    expect_refused({"--data", "d.json", "--init", "i.json", "--config", "c.json", "-I", ".",
                    "--format", "netcdf", "-o", name},
                   "which this command reads");
  EXPECT_EQ(io::read_file("a.inc"), "x ~ normal(0, -1);");
}

TEST_F(Results, of_other_files_arent_written_over_them) {
  write("m.stan", kProgram);
  ASSERT_EQ(sample({"-o", "fit.nc"}), 0) << said_;
  ASSERT_EQ(run({"export", "fit.nc", "-o", "fit"}), 0) << said_;
  EXPECT_EQ(run({"export", "fit.nc", "-o", "fit.nc"}), 2);
  EXPECT_EQ(run({"export", "fit_1.csv", "fit_2.csv", "-o", "fit"}), 2);
  EXPECT_NE(said_.find("fit_1.csv is a file, which this command reads"), said_.npos) << said_;
  EXPECT_EQ(run({"sample", "--like", "fit.nc", "-o", "fit.nc"}), 2);
  EXPECT_EQ(run({"export", "fit.nc", "-o", "folder"}), 2);
  EXPECT_EQ(run({"export", "fit.nc", "-o", "again.nc"}), 0) << said_;
  EXPECT_EQ(run({"export", "fit.nc", "-o", "again.nc"}), 0) << said_;  // replaced
}

TEST_F(Results, named_with_the_ending_csv_have_it_once) {
  write("m.stan", kProgram);
  ASSERT_EQ(sample({"-o", "fit.csv", "--chains", "2"}), 0) << said_;
  EXPECT_TRUE(fs::exists("fit_1.csv") && fs::exists("fit_2.csv"));
  EXPECT_FALSE(fs::exists("fit.csv_1.csv"));
  ASSERT_EQ(run({"export", "fit_1.csv", "-o", "out.csv"}), 0) << said_;
  EXPECT_TRUE(fs::exists("out_1.csv"));
}

TEST_F(Results, of_many_chains_are_all_there_and_whole) {
  write("m.stan", kProgram);
  ASSERT_EQ(sample({"-o", "fit.nc", "--chains", "50"}), 0) << said_;
  ASSERT_EQ(run({"export", "fit.nc", "-o", "fit"}), 0) << said_;
  std::vector<std::string> words = {"export", "-o", "again.nc"};
  for (int c = 1; c <= 50; ++c) words.push_back("fit_" + std::to_string(c) + ".csv");
  ASSERT_EQ(run(words), 0) << said_;
  EXPECT_EQ(said_, "");
  fs::create_directory("bad_50.csv");
  EXPECT_EQ(run({"export", "fit.nc", "-o", "bad"}), 2);
  EXPECT_FALSE(fs::exists("bad_1.csv"));
}

TEST_F(Results, said_in_the_help_replace_what_has_their_names) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_command_line({"sample", "--help"}), 0);
  const std::string help = on_one_line(::testing::internal::GetCapturedStdout());
  EXPECT_NE(help.find("in the place of files with these names"), help.npos) << help;
}

// ---- what programs and files say on a terminal ----

TEST(visible_text, shows_control_characters_and_keeps_the_rest) {
  EXPECT_EQ(visible("a\tb\nü€😀"), "a\tb\nü€😀");
  EXPECT_EQ(visible("\x1b[31mred\a\r\x7f"), "\\x1b[31mred\\x07\\x0d\\x7f");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\xc2\\x9b"
            "31m");  // a CSI in UTF-8
  EXPECT_EQ(visible("\x9b \xe2\x82"), "\\x9b \\xe2\\x82");
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b");
}

TEST_F(Results, errors_never_have_control_characters_of_their_causes) {
  write("m.stan", "parameters { real x; } model { reject(\"\x1b]0;title\a\"); }");
  EXPECT_EQ(sample({"--quiet"}), 5);
  EXPECT_EQ(said_.find('\x1b'), said_.npos) << said_;
  EXPECT_NE(said_.find("\\x1b]0;title\\x07"), said_.npos) << said_;
  EXPECT_EQ(run({"check", "\x1b[2Jm.stan"}), 6);
  EXPECT_EQ(said_.find('\x1b'), said_.npos) << said_;
}

}  // namespace
}  // namespace credo::cli::output_test
