// Outputs that others write, may read, or look into: locks, rights, data that stay at home.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "cli/run/repeat.hpp"
#include "io/file.hpp"
#include "io/lock_file.hpp"
#include "model/model.hpp"

namespace credo::cli::shared_outputs_test {
namespace {
namespace fs = std::filesystem;

class SharedOutputs : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_shared_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ofstream(path("m.stan")) << "data { real y; }\nparameters { real m; }\n"
                                     "model { m ~ std_normal(); y ~ normal(m, 1); }\n";
    std::ofstream(path("d.json")) << R"({"y": 4711.25})";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }

  // The status; what was said is in said_.
  int run(std::vector<std::string> words) const {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    said_ = ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
    std::replace(said_.begin(), said_.end(), '\n', ' ');
    return status;
  }
  int sample(const std::string& output, std::initializer_list<std::string> more = {}) const {
    std::vector<std::string> words = {"sample", path("m.stan"), "--data",  path("d.json"),
                                      "-o",     path(output),   "--quiet", "--chains",
                                      "2",      "--warmup",     "60",      "--draws",
                                      "40"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  bool says(std::string_view words) const { return said_.find(words) != std::string::npos; }
  unsigned mode_of(const std::string& name) const {
    struct stat info {};
    return ::stat(path(name).c_str(), &info) == 0 ? info.st_mode & 0777u : 0u;
  }
  bool contains(const std::string& name, std::string_view text) const {
    return io::read_file(path(name)).find(text) != std::string::npos;
  }

  fs::path folder_;
  mutable std::string said_;
};

TEST_F(SharedOutputs, a_run_whose_output_another_process_writes_is_refused_before_it_begins) {
  {
    const io::LockFile other(path("fit.nc.run"));
    EXPECT_EQ(sample("fit.nc"), 6);
    EXPECT_TRUE(says("another process is writing this run")) << said_;
    EXPECT_TRUE(says("process " + std::to_string(getpid()))) << said_;
    EXPECT_FALSE(fs::exists(path("fit.nc")));
    EXPECT_EQ(sample("other.nc"), 0) << said_;
  }
  EXPECT_EQ(sample("fit.nc"), 0) << said_;
  EXPECT_FALSE(fs::exists(path("fit.nc.run.lock")));
}

TEST_F(SharedOutputs, a_run_file_that_is_none_is_said_to_be_none) {
  std::ofstream(path("fit.nc.run"), std::ios::binary) << std::string(4096, '\0');
  for (const char* command : {"resume", "summary", "export"}) {
    EXPECT_EQ(run({command, path("fit.nc.run")}), 6) << command;
    EXPECT_TRUE(says("not a run file")) << said_;
  }
}

TEST_F(SharedOutputs, a_result_is_read_by_those_alone_who_may_read_program_and_data) {
  const mode_t before = ::umask(022);
  ASSERT_EQ(sample("open.nc"), 0) << said_;
  EXPECT_EQ(mode_of("open.nc"), 0644u);
  ::chmod(path("d.json").c_str(), 0600);
  for (const char* output : {"fit.nc", "fit"}) ASSERT_EQ(sample(output), 0) << said_;
  for (const char* name : {"fit.nc", "fit_1.csv", "fit_2.csv"}) EXPECT_EQ(mode_of(name), 0600u);
  ASSERT_EQ(sample("shared.nc", {"--no-data"}), 0) << said_;
  EXPECT_EQ(mode_of("shared.nc"), 0644u);
  ::chmod(path("m.stan").c_str(), 0600);
  ASSERT_EQ(sample("secret.nc", {"--no-data"}), 0) << said_;
  EXPECT_EQ(mode_of("secret.nc"), 0600u);
  ASSERT_EQ(run({"export", path("fit.nc"), "-o", path("again.nc")}), 0) << said_;
  EXPECT_EQ(mode_of("again.nc"), 0600u);
  ::chmod(path("d.json").c_str(), 0644);
  ::chmod(path("m.stan").c_str(), 0644);
  ASSERT_EQ(run({"sample", "--like", path("fit.nc"), "--quiet", "-o", path("like.nc")}), 0);
  EXPECT_EQ(mode_of("like.nc"), 0600u);
  ::umask(before);
}

TEST_F(SharedOutputs, a_result_without_data_has_none_and_says_what_needs_them) {
  ASSERT_EQ(sample("with.nc"), 0) << said_;
  EXPECT_EQ(open_fit(std::array{path("with.nc")})->files().size(), 2u);
  ASSERT_EQ(sample("without.nc", {"--no-data"}), 0) << said_;
  ASSERT_EQ(run({"export", path("with.nc"), "--no-data", "-o", path("exported.nc")}), 0) << said_;
  for (const char* name : {"without.nc", "exported.nc"}) {
    const auto fit = open_fit(std::array{path(name)});
    EXPECT_EQ(fit->files().size(), 1u) << name;
    EXPECT_TRUE(lacks_data(*fit));
    EXPECT_FALSE(contains(name, "4711.25"));
    EXPECT_FALSE(contains(name, "observed_data"));
    EXPECT_EQ(run({"diagnose", path(name)}), 0) << said_;
    EXPECT_TRUE(says("written without its data")) << said_;
    EXPECT_EQ(run({"diagnose", path(name), "--data", path("d.json")}), 0) << said_;
    EXPECT_FALSE(says("written without its data")) << said_;
    EXPECT_EQ(run({"sample", "--like", path(name), "-o", path("l.nc")}), 2);
    EXPECT_TRUE(says("--data")) << said_;
    EXPECT_EQ(run({"sample", "--like", path(name), "--quiet", "--data", path("d.json"), "-o",
                   path("l.nc")}),
              0)
        << said_;
    EXPECT_EQ(open_fit(std::array{path("l.nc")})->quantities(false, 0, 1)(7, 1, 0),
              fit->quantities(false, 0, 1)(7, 1, 0));
  }
}

}  // namespace
}  // namespace credo::cli::shared_outputs_test
