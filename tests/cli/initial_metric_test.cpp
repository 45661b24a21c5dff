// --inv-metric: an inverse metric to start from reaches the sampler, and what doesn't fit is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"

namespace credo::cli::initial_metric_test {
namespace {
namespace fs = std::filesystem;

class StartMetric : public ::testing::Test {
 protected:
  StartMetric() {
    fs::create_directories(folder_);
    write("m.stan", "parameters { real x; real y; } model { x ~ normal(0, 1); y ~ normal(0, 9); }");
  }
  ~StartMetric() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    ::testing::internal::GetCapturedStdout();
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  // Without warm-up the metric of the draws is the one to start from.
  int sample(const std::string& metric, std::vector<std::string> more = {}) {
    write("metric.json", metric);
    more.insert(more.begin(), {"sample", at("m.stan"), "--quiet", "--warmup", "0", "--draws", "5",
                               "--inv-metric", at("metric.json"), "-o", at("a.nc")});
    return run(std::move(more));
  }
  std::vector<double> metric_of(const std::string& name) const {
    const std::string path = at(name);
    return open_fit(std::span(&path, 1))->result().chains[0].inv_metric;
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_metric_" + std::to_string(getpid()));
  std::string said_;
};

TEST_F(StartMetric, is_what_the_sampler_begins_with) {
  ASSERT_EQ(sample(R"({"inv_metric": [1, 81]})"), 0) << said_;
  EXPECT_EQ(metric_of("a.nc"), (std::vector<double>{1, 81}));
  fs::remove(folder_ / "metric.json");  // a result has it
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "-o", at("b.nc"), "--quiet"}), 0) << said_;
  EXPECT_EQ(metric_of("b.nc"), (std::vector<double>{1, 81}));
  ASSERT_EQ(sample(R"({"inv_metric": [[1, 0.5], [0.5, 81]]})", {"--metric", "dense_e"}), 0)
      << said_;
  EXPECT_EQ(metric_of("a.nc"), (std::vector<double>{1, 0.5, 0.5, 81}));
}

TEST_F(StartMetric, that_does_not_fit_is_refused) {
  EXPECT_EQ(sample(R"({"metric": [1, 81]})"), 4);
  EXPECT_NE(said_.find("no inv_metric"), std::string::npos) << said_;
  EXPECT_EQ(sample(R"({"inv_metric": [1, 2, 3]})"), 4);
  EXPECT_NE(said_.find("2 unconstrained"), std::string::npos) << said_;
  EXPECT_EQ(sample(R"({"inv_metric": [1, -1]})"), 2);
  EXPECT_EQ(sample(R"({"inv_metric": [[1, 0], [0, 1]]})"), 2);  // of a diagonal one
  EXPECT_EQ(sample(R"({"inv_metric": [1, 81]})", {"--sampler", "slice"}), 2);
  EXPECT_NE(said_.find("has no metric"), std::string::npos) << said_;
}

}  // namespace
}  // namespace credo::cli::initial_metric_test
