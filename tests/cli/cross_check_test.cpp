// `credo sample --cross-check`: what the verdict says, what stands in the file, and that a killed run ends as one without a break.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "io/file.hpp"
#include "support/command_run.hpp"

namespace credo::cli::cross_check_test {
namespace {
namespace fs = std::filesystem;
using testing::CommandRun;

class CrossCheckRun : public CommandRun {
 protected:
  CrossCheckRun() : CommandRun("two_algorithms") {
    write("m.stan", R"(data { vector[4] y; } parameters { real mu; real<lower=0> tau; }
model { mu ~ normal(0, 5); tau ~ exponential(1); y ~ normal(mu, tau); }
generated quantities { real next = normal_rng(mu, tau); })");
    write("m.json", R"({"y": [1.2, 0.3, 2.1, 0.9]})");
    write("modes.stan", R"(transformed data { real y = 0; }
parameters { real x; } model { x ~ normal(0, 20);
  target += log_mix(0.12, normal_lpdf(y | x, 1), normal_lpdf(y | x - 40, 1)); })");
    write("flat.stan", "parameters { real x; } model { 1.5 ~ normal(x, 1); }");
  }
  std::vector<std::string> words(const std::string& output, std::vector<std::string> more = {}) {
    std::vector<std::string> all = {"sample",   at("m.stan"), "-d",     at("m.json"), "-o",
                                    at(output), "--seed",     "5",      "--draws",    "400",
                                    "--warmup", "400",        "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // In one line, since what is printed is wrapped.
  bool says(const std::string& words) const {
    std::string text;
    for (const char c : printed())
      if (!std::isspace(static_cast<unsigned char>(c)))
        text += c;
      else if (!text.ends_with(' '))
        text += ' ';
    return text.find(words) != std::string::npos;
  }
  std::string bytes(const std::string& name) const { return io::read_file(at(name)); }
  std::string outcome(const std::vector<std::string>& more) {
    return json(more).at("cross_check").at("outcome").text;
  }
};

TEST_F(CrossCheckRun, says_in_words_that_two_algorithms_agree) {
  ASSERT_EQ(run(words("a.nc", {"--cross-check"})), 0) << said();
  EXPECT_TRUE(says("A second run by smc agrees with it in all 1")) << printed();
  EXPECT_FALSE(fs::exists(at("a.nc.cross.run")));
  EXPECT_FALSE(fs::exists(at("a.nc.run")));
  EXPECT_EQ(outcome({"diagnose", at("a.nc")}), "agree") << "its result stands in the file";
  ASSERT_EQ(
      run({"sample", "--like", at("a.nc"), "-o", at("again.nc"), "--threads", "3", "--quiet"}), 0);
  EXPECT_EQ(bytes("a.nc"), bytes("again.nc")) << "the file knows that it was cross-checked";
}

TEST_F(CrossCheckRun, tells_a_mode_that_the_chains_missed) {
  const std::vector<std::string> command = {
      "sample", at("modes.stan"),       "--seed", "1", "-o", at("x.nc"), "--quiet", "--cross-check",
      "smc",    "--cross-check-budget", "30"};
  ASSERT_EQ(run(command), 0) << said();
  EXPECT_TRUE(says("[cross_check]: A second run of the same density by smc")) << printed();
  const auto judged = json({"diagnose", at("x.nc")});
  EXPECT_EQ(judged.at("cross_check").at("outcome").text, "differ");
  EXPECT_EQ(judged.at("cross_check").at("differing").items.at(0).at("output").text, "x");
}

TEST_F(CrossCheckRun, that_can_not_decide_says_so_and_is_no_agreement) {
  EXPECT_EQ(outcome({"sample", at("flat.stan"), "--cross-check", "--cross-check-from", "prior"}),
            "undecided");
  EXPECT_TRUE(says("the prior can't be drawn from")) << printed();
  EXPECT_EQ(outcome({"sample", at("flat.stan"), "--cross-check"}), "undecided");
  EXPECT_EQ(outcome({"sample", at("flat.stan"), "--cross-check", "--cross-check-from", "normal"}),
            "agree");
  EXPECT_EQ(outcome(words("b", {"--cross-check", "--cross-check-budget", "0.01"})), "undecided");
  EXPECT_TRUE(says("its budget was spent")) << printed();
  EXPECT_TRUE(fs::exists(at("b.cross_check.csv"))) << "beside CSV files";
}

TEST_F(CrossCheckRun, refuses_what_can_not_be_a_second_algorithm) {
  EXPECT_EQ(run(words("a.nc", {"--cross-check", "nuts"})), 2);
  EXPECT_NE(said().find("nuts can't check itself"), std::string::npos) << said();
  EXPECT_EQ(run(words("a.nc", {"--cross-check-budget", "2"})), 2);
  EXPECT_NE(said().find("needs a cross-check"), std::string::npos) << said();
}

TEST_F(CrossCheckRun, stands_in_the_specification) {
  ASSERT_EQ(run(words("a.nc", {"--cross-check", "slice", "--print-spec"})), 0) << said();
  EXPECT_TRUE(says("\"algorithm\":\"slice\"")) << printed();
  write("spec.json", printed());
  ASSERT_EQ(run({"run", at("spec.json"), "--quiet"}), 0) << said();
  EXPECT_TRUE(says("A second run by slice agrees")) << printed();
  ASSERT_EQ(run(words("b.nc", {"--print-spec"})), 0);
  EXPECT_EQ(printed().find("cross_check"), std::string::npos) << "of other runs it is as it was";
}

// Killed in the first run, and in the second one: the file is that of a run without a break, whatever the threads.
TEST_F(CrossCheckRun, that_is_killed_goes_on_to_the_same_file) {
  ASSERT_EQ(run(words("whole.nc", {"--cross-check", "--threads", "1"})), 0) << said();
  for (const char* until : {"part.nc.run", "part.nc.cross.run"}) {
    const pid_t child = fork();
    if (child == 0) {
      (void)run(words("part.nc", {"--cross-check", "--threads", "1"}));
      _exit(0);
    }
    while (!fs::exists(at(until)) && waitpid(child, nullptr, WNOHANG) == 0) usleep(200);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_TRUE(fs::exists(at("part.nc.run"))) << "it wasn't killed soon enough to show anything";
    ASSERT_EQ(run({"resume", at("part.nc.run"), "--threads", "3", "--quiet"}), 0) << said();
    EXPECT_EQ(bytes("part.nc"), bytes("whole.nc")) << until;
    EXPECT_FALSE(fs::exists(at("part.nc.cross.run")));
    fs::remove(at("part.nc"));
  }
}
}  // namespace
}  // namespace credo::cli::cross_check_test
