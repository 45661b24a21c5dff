// credo sample --terms prior: chains and exact draws of what a program says before it sees data.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"

namespace credo::cli::prior_test {
namespace {
namespace fs = std::filesystem;

constexpr const char* kFunnel =
    "data { vector[2] y; } parameters { real<lower=0> tau; vector[2] theta; }\n"
    "model { tau ~ cauchy(0, 1); theta ~ normal(0, tau); y ~ normal(theta, 1); }\n"
    "generated quantities { real ratio = theta[1] / tau; }\n";

class PriorDraws : public ::testing::Test {
 protected:
  PriorDraws() {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "funnel.stan") << kFunnel;
    std::ofstream(folder_ / "data.json") << R"({"y": [1, 2]})";
  }
  ~PriorDraws() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    ::testing::internal::GetCapturedStdout();
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  int sample(std::vector<std::string> more) {
    more.insert(more.begin(), {"sample", at("funnel.stan"), "--data", at("data.json"), "--quiet"});
    return run(std::move(more));
  }
  std::vector<double> column(const std::string& file, const std::string& name) const {
    const std::string path = at(file);
    const auto fit = open_fit(std::span(&path, 1));
    const density::Draws draws = fit->read({.first = *find_quantity(*fit, name)});
    const auto values = draws.quantity(0);
    return {values.begin(), values.end()};
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_prior_" + std::to_string(getpid()));
  std::string said_;
};

double quantile(std::vector<double> x, double p) {
  std::sort(x.begin(), x.end());
  return x[static_cast<std::size_t>(p * static_cast<double>(x.size()))];
}

// tau is half-Cauchy: its quantiles are tan(pi p / 2); theta / tau is standard normal.
TEST_F(PriorDraws, of_a_funnel_have_its_distribution) {
  ASSERT_EQ(sample({"--terms", "prior", "--sampler", "exact", "--draws", "5000", "-o", at("a.nc")}),
            0)
      << said_;
  const std::vector<double> tau = column("a.nc", "tau"), ratio = column("a.nc", "ratio");
  ASSERT_EQ(tau.size(), 20000U);
  for (const double p : {0.05, 0.5, 0.95}) {
    const double below = static_cast<double>(std::count_if(
        tau.begin(), tau.end(), [&](double x) { return x < std::tan(M_PI * p / 2); }));
    EXPECT_NEAR(below / 20000.0, p, 4.5 * std::sqrt(p * (1 - p) / 20000.0));
  }
  EXPECT_NEAR(quantile(ratio, 0.84134), 1.0, 4.5 * 0.0108);  // sqrt(p (1 - p) / n) / density
}

TEST_F(PriorDraws, are_repeated_from_the_result_alone) {
  ASSERT_EQ(sample({"--terms", "prior", "--sampler", "exact", "--draws", "20", "-o", at("a.nc")}),
            0);
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "-o", at("b.nc"), "--quiet"}), 0) << said_;
  EXPECT_EQ(column("a.nc", "theta.2"), column("b.nc", "theta.2"));
}

TEST_F(PriorDraws, of_all_terms_are_refused_with_the_likelihood_and_the_way_out) {
  EXPECT_EQ(sample({"--sampler", "exact"}), 2);
  EXPECT_NE(said_.find("funnel.stan:2:53"), std::string::npos) << said_;
  EXPECT_NE(said_.find("--terms prior"), std::string::npos) << said_;
}

// Without its likelihood the program doesn't know of y.
TEST_F(PriorDraws, come_from_any_sampler) {
  ASSERT_EQ(sample({"--terms", "prior", "--sampler", "slice", "--seed", "4", "-o", at("a.nc")}), 0);
  std::vector<double> theta = column("a.nc", "theta.1");
  for (double& x : theta) x = x > 0.0 ? 1.0 : 0.0;
  const double share = std::accumulate(theta.begin(), theta.end(), 0.0) / double(theta.size());
  EXPECT_NEAR(share, 0.5, 0.1);
}

}  // namespace
}  // namespace credo::cli::prior_test
