// Verdicts of runs. If a filter gives the likelihood, the program's density is the prior alone, and the draws aren't
// compared with it.
#include "support/command_run.hpp"
#include "support/share.hpp"

namespace credo::cli::verdict_test {
namespace {

class VerdictOfRuns : public credo::testing::CommandRun {
 protected:
  VerdictOfRuns() : CommandRun("verdict") {}
  static std::string input(const std::string& name) {
    return CREDO_SOURCE_DIR "/tests/inputs/" + name;
  }
};

LONG_TEST_F(VerdictOfRuns, believes_a_right_run_with_states_left_out) {
  for (const char* sampler : {"smc2", "pmmh"}) {
    const auto result = json({"sample", input("adv_arp.stan"), "--data", input("adv_y20.json"),
                              "--sampler", sampler, "--seed", "1", "--draws", "400"});
    EXPECT_EQ(result.at("verdict").text, "good") << sampler << result.at("sentence").text;
    EXPECT_NE(result.at("sentence").text.find("the likelihood comes from a filter"),
              std::string::npos);
    for (const auto& row : result.at("summary").items) {
      if (row.at("name").text != "phi") continue;  // 0.3407 (0.3424) by quadrature
      EXPECT_NEAR(row.at("mean").number, 0.3407, 4 * row.at("mcse_mean").number) << sampler;
    }
  }
}

LONG_TEST_F(VerdictOfRuns, believes_smc2_with_two_scales) {
  const auto result =
      json({"sample", input("states_left_out.stan"), "--data", input("states_left_out.json"),
            "--sampler", "smc2", "--seed", "1", "--draws", "400"});
  EXPECT_EQ(result.at("verdict").text, "good") << result.at("sentence").text;
}

// Ten million values take seconds, during which nothing else would be printed.
TEST_F(VerdictOfRuns, of_a_long_run_says_what_is_worked_out) {
  write("wide.stan",
        "parameters { real x; } model { x ~ std_normal(); } generated quantities { vector[999] y = "
        "rep_vector(x, 999); }");
  const auto said_by = [&](const char* draws) {
    EXPECT_EQ(run({"sample", at("wide.stan"), "--draws", draws, "--seed", "1"}), 0);
    return said().find("working out the verdict and the summary") != std::string::npos;
  };
  EXPECT_TRUE(said_by("2500"));
  EXPECT_FALSE(said_by("100"));
}

}  // namespace
}  // namespace credo::cli::verdict_test
