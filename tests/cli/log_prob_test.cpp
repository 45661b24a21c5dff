// credo log-prob: the parts of a log density, as a user asks for them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"

namespace credo::cli::log_prob_test {
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

// Of -mu²/2 + u - e^u + Σ (-u - (y - mu)² e^(-2u) / 2) with u = log s; two outcomes have the information
// 2 and 4 of mu and u, and the prior's second derivatives are -1 and -e^u.
TEST(log_prob, gives_matrices_of_second_derivatives) {
  const std::string out =
      log_prob(kProgram, {"--hessian", "--information", "--inverse-hessian"}).out;
  EXPECT_NE(out.find(R"("free_names":["mu","s"],"hessian":[[-3,-4],[-4,-6]])"), std::string::npos)
      << out;
  EXPECT_NE(out.find(R"("information":[[3,0],[0,5]])"), std::string::npos) << out;
  const std::string inverse = out.substr(out.find("inv_metric"));  // by differences: 1e-9
  EXPECT_NEAR(number_of("\"" + inverse, "inv_metric"), 3.0, 1e-8);
  EXPECT_NEAR(std::stod(inverse.substr(inverse.find(',') + 1)), -2.0, 1e-8);
  EXPECT_NE(log_prob(kProgram, {"--hessian", "--terms", "prior"}).out.find("[[-1,0],[0,-1]]"),
            std::string::npos);
}

TEST(log_prob, gives_tables_to_read) {
  const std::string out =
      log_prob(kProgram, {"--hessian", "--statements", "--pointwise", "--text"}).out;
  EXPECT_NE(out.find("hessian (second derivatives of the log density)\n"
                     "               mu            s\n"
                     "  mu           -3           -4\n"
                     "  s            -4           -6\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("gradient\n  mu          1.5\n  s           0.5\n"), std::string::npos) << out;
}

TEST(log_prob, refuses_matrices_that_are_not_there) {
  const auto expect_refused = [](const char* program, std::vector<std::string> more, int status,
                                 const char* said) {
    const Said answer = log_prob(program, std::move(more));
    EXPECT_EQ(answer.status, status) << answer.out;
    EXPECT_NE((answer.out + answer.err).find(said), std::string::npos) << answer.err;
  };
  expect_refused(kProgram, {"--information", "--terms", "prior"}, 2, "leave out --terms");
  expect_refused(kProgram, {"--text", "--json"}, 2, "exclude each other");
  const char* const drawn =
      "parameters { real mu; int<lower=0, upper=1> z; }\nmodel { mu ~ normal(z, 1); z ~ "
      "bernoulli(0.5); }\n";
  expect_refused(drawn, {"--hessian", "--discrete", "gibbs"}, 2, "--discrete sum");
  expect_refused(drawn, {"--inverse-hessian", "--discrete", "gibbs"}, 2, "--discrete sum");
  const char* const skewed =
      "transformed data { vector[2] y = [1, 2]'; }\nparameters { real mu; real<lower=0> s; }\n"
      "model {\n  y ~ skew_normal(mu, s, 2);\n}\n";
  expect_refused(skewed, {"--information"}, 3, "--hessian needs no expected values");
  expect_refused(skewed, {"--information"}, 3, "m.stan:4:");
  const char* const saddle =
      "parameters { real x; real y; }\nmodel { target += x * y - 0.1 * (x^4 + y^4); }\n";
  expect_refused(saddle, {"--inverse-hessian"}, 0,
                 R"("inv_metric_error":"the Hessian is not negative definite there")");
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
}  // namespace credo::cli::log_prob_test
