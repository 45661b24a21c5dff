// credo log-prob: the parts of a log density, as a user asks for them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"

namespace credo::cli {
namespace {

// Two outcomes, one scale: log densities by hand at mu = 0.5, log s = 0.
constexpr const char* kProgram =
    "transformed data { vector[2] y = [1, 2]'; }\nparameters { real mu; real<lower=0> s; }\n"
    "model {\n  mu ~ normal(0, 1);\n  s ~ exponential(1);\n  y ~ normal(mu, s);\n}\n";

struct Said {
  int status;
  std::string out, err;
};

Said log_prob(const char* program, std::vector<std::string> more) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("credo_log_prob_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string model = (folder / "m.stan").string(), points = (folder / "p.json").string();
  std::ofstream(model) << program;
  std::ofstream(points) << "[[0.5, 0.0]]";
  more.insert(more.begin(), {"log-prob", model, "--unconstrained", points});
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int status = run_command_line(more);
  std::string out = ::testing::internal::GetCapturedStdout();
  std::filesystem::remove_all(folder);
  return {status, std::move(out), ::testing::internal::GetCapturedStderr()};
}

// The number behind a key, the first one.
double number_of(const std::string& text, const std::string& key) {
  const auto place = text.find("\"" + key + "\":");
  EXPECT_NE(place, std::string::npos) << key << " isn't in " << text;
  const auto begin = text.find_first_of("-0123456789", place + key.size() + 3);
  return std::stod(text.substr(begin));
}

constexpr double kHalfLog2Pi = 0.91893853320467274;
constexpr double kPrior = -0.125 - kHalfLog2Pi - 1.0, kFirst = -0.125 - kHalfLog2Pi,
                 kSecond = -1.125 - kHalfLog2Pi;

TEST(log_prob, gives_prior_and_likelihood) {
  EXPECT_NEAR(number_of(log_prob(kProgram, {}).out, "log_density"), kPrior + kFirst + kSecond,
              1e-14);
  EXPECT_NEAR(number_of(log_prob(kProgram, {"--terms", "prior"}).out, "log_density"), kPrior,
              1e-14);
  EXPECT_NEAR(number_of(log_prob(kProgram, {"--terms", "likelihood"}).out, "log_density"),
              kFirst + kSecond, 1e-14);
}

TEST(log_prob, gives_statements_and_rows) {
  const std::string out = log_prob(kProgram, {"--statements", "--pointwise"}).out;
  const auto rows = out.find("log_likelihood");
  ASSERT_NE(rows, std::string::npos);
  EXPECT_NEAR(number_of(out, "log_likelihood"), kFirst, 1e-14);
  EXPECT_NEAR(std::stod(out.substr(out.find(',', rows) + 1)), kSecond, 1e-14);
  const auto last = out.find("m.stan:6:3");
  ASSERT_NE(last, std::string::npos);
  EXPECT_NEAR(number_of(out.substr(last), "log_density"), kFirst + kSecond, 1e-14);
}

TEST(log_prob, says_why_terms_are_not_told_apart) {
  const Said said = log_prob(
      "transformed data { vector[2] y = [1, 2]'; }\nparameters { real mu; real s; }\n"
      "model {\n  target += -dot_self(y - mu) - square(s);\n}\n",
      {"--terms", "prior"});
  EXPECT_EQ(said.status, 3);
  EXPECT_NE((said.out + said.err).find("m.stan:4:3"), std::string::npos) << said.out << said.err;
  EXPECT_NE((said.out + said.err).find("_lpdf(y | ...)"), std::string::npos);
}

}  // namespace
}  // namespace credo::cli
