// The log evidence that credo sample prints is that of normalised priors.
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "support/json_tree.hpp"

namespace credo::cli::evidence_test {
namespace {

testing::Json tempered(const std::string& program) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("credo_evidence_" + std::to_string(::getpid()) + ".stan"))
                               .string();
  std::ofstream(path) << program;
  ::testing::internal::CaptureStdout();
  const int status = run_command_line(
      {"sample", path, "--sampler", "tempering", "--num-rungs", "6", "--draws", "5000", "--json"});
  const std::string out = ::testing::internal::GetCapturedStdout();
  std::filesystem::remove(path);
  EXPECT_EQ(status, 0);
  return testing::parse_json(out);
}

// Prior only: the evidence of a normalised half-normal prior is 1; without its mass it would be one
// half.
TEST(evidence, of_a_half_normal_prior_alone_is_one) {
  const testing::Json run = tempered("parameters { real<lower=0> s; } model { s ~ normal(0, 2); }");
  for (const testing::Json& chain : run.at("chains").items) {
    const double error = chain.at("tuned").at("log_evidence_error").items[0].number;
    EXPECT_NEAR(chain.at("tuned").at("log_evidence").items[0].number, 0.0, 4.0 * error);
    EXPECT_LT(error, 0.1);  // else the claim would say nothing about log 2
  }
  EXPECT_NE(run.at("warnings").items[0].text.find("-0.693147"), std::string::npos);
}

TEST(evidence, of_a_flat_unbounded_parameter_is_refused_by_name) {
  const testing::Json run = tempered(
      "parameters { real<lower=0> s; real m; } model { m ~ normal(0, 1); target += "
      "normal_lpdf(1 | m, s); }");
  EXPECT_NE(run.at("warnings").items[0].text.find("no log evidence: s has no prior"),
            std::string::npos);
  EXPECT_EQ(run.at("chains").items[0].at("tuned").at("log_evidence").items[0].text, "NaN");
}

}  // namespace
}  // namespace credo::cli::evidence_test
