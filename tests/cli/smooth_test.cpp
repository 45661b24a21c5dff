// credo smooth from end to end: programs against the Kalman smoother of the same text, files, and messages.
#include "io/netcdf_reader.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::smooth_test {
namespace {

const std::string kLinear = R"(
functions {
  vector initial_rng() { return [normal_rng(0, 1), normal_rng(0, 1)]'; }
  real initial_lpdf(vector x) { return normal_lpdf(x[1] | 0, 1) + normal_lpdf(x[2] | 0, 1); }
  vector transition_rng(vector before, real u, real q) {
    return [normal_rng(0.7 * before[1] + 0.2 * before[2] + u, q), normal_rng(0.5 * before[2], 2 * q)]';
  }
  real transition_lpdf(vector x, vector before, real u, real q) {
    return normal_lpdf(x[1] | 0.7 * before[1] + 0.2 * before[2] + u, q) + normal_lpdf(x[2] | 0.5 * before[2], 2 * q);
  }
  real observation_lpdf(real y, vector x, real r) { return normal_lpdf(y | x[1] + x[2], r); }
}
data { int T; vector[T] y; vector[T] u; }
parameters { real<lower=0> q; real<lower=0> r; }
model { q ~ normal(0, 1); r ~ normal(0, 1); }
)";

class SmoothCommand : public testing::CommandRun {
 protected:
  SmoothCommand() : CommandRun("smooth") {
    write("linear.stan", kLinear);
    write(
        "data.json",
        R"({"T": 8, "y": [0.5, -1.2, "NaN", 0.3, 1.9, 2.2, -0.4, 0.1], "u": [0, 0.1, 0.2, 0, 0.3, 0.1, 0, -0.2]})");
    write("at.json", R"({"q": 0.5, "r": 0.7})");
  }
  std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> all{"smooth",        at("linear.stan"), "--data",
                                 at("data.json"), "--parameters",    at("at.json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

// 30 runs of 200 particles: means within 5 of their own standard errors (of 29 degrees of freedom: once in 40,000), deviations
// within 6 %, 5 standard errors of 30 x 200 paths of which a third count as independent.
TEST_F(SmoothCommand, agrees_with_the_exact_smoother) {
  const auto exact = json(words({"--method", "kalman"}));
  for (const char* method : {"ffbs", "genealogy"}) {
    const auto run = json(words({"--method", method, "--particles", "200", "--repeats", "30"}));
    for (std::size_t t = 0; t < 8; ++t) {
      const auto &found = run.at("times").items[t], &right = exact.at("times").items[t];
      for (std::size_t e = 0; e < 2; ++e) {
        EXPECT_LT(std::fabs(found.at("mean").items[e].number - right.at("mean").items[e].number),
                  5.0 * found.at("mean_error").items[e].number)
            << method << " " << t;
        EXPECT_NEAR(found.at("sd").items[e].number / right.at("sd").items[e].number, 1.0, 0.06)
            << method << " " << t;
      }
    }
  }
}

// Runs of few particles differ, and each rests on few of them: that isn't the fault of chains that haven't mixed.
TEST_F(SmoothCommand, has_independent_runs_that_are_no_chains) {
  ASSERT_EQ(run(words({"--method", "genealogy", "--particles", "30", "--repeats", "4", "--paths",
                       "200", "--output", at("few.nc")})),
            0)
      << said();
  const testing::Json judged = json({"diagnose", at("few.nc")});
  for (const testing::Json& finding : judged.at("findings").items)
    for (const char* of_chains : {"not_mixed", "few_draws", "stuck_chain", "multimodal"})
      EXPECT_NE(finding.at("id").text, of_chains);
  EXPECT_NE(judged.at("sentence").text.find("4 independent runs"), std::string::npos)
      << judged.at("sentence").text;
}

TEST_F(SmoothCommand, writes_all_times_and_paths_into_a_file) {
  for (const std::string method : {"ffbs", "kalman"}) {
    const auto told = json(words({"--method", method, "--particles", "100", "--repeats", "3",
                                  "--paths", "50", "--output", at("out.nc")}));
    const std::size_t runs = method == "kalman" ? 1 : 3;
    const io::NetcdfReader file(at("out.nc"));
    const auto smoothed = file.find_group("smoothed"), posterior = file.find_group("posterior");
    ASSERT_TRUE(smoothed && posterior);
    const auto means = file.read(*file.find_variable(*smoothed, "x_mean"));
    const auto paths = file.read(*file.find_variable(*posterior, "x"));
    ASSERT_EQ(means.size(), 16u);
    ASSERT_EQ(paths.size(), runs * 50 * 16);
    for (std::size_t k = 0; k < 16; ++k) {
      const auto& t = told.at("times").items[k / 2];
      EXPECT_EQ(means[k], t.at("mean").items[k % 2].number);
      double mean = 0.0;
      for (std::size_t p = 0; p < runs * 50; ++p) mean += paths[p * 16 + k] / double(runs * 50);
      // Backward paths are what the means are made of; exact paths are draws: 5 standard errors of 50.
      const double error =
          method == "ffbs" ? 1e-12 : 5.0 * t.at("sd").items[k % 2].number / std::sqrt(50.0);
      EXPECT_NEAR(mean, means[k], error) << method;
    }
  }
}

TEST_F(SmoothCommand, says_what_is_missing) {
  std::string text = kLinear;
  const std::string name = "real transition_lpdf";
  write("short.stan", text.replace(text.find(name), name.size(), "real other_lpdf"));
  std::vector<std::string> asked = words({"--repeats", "1"});
  asked[1] = at("short.stan");
  EXPECT_EQ(run(asked), 3);
  EXPECT_NE(on_one_line(said()).find("paths are simulated backwards by the density of the "
                                     "transition, which the program lacks"),
            std::string::npos)
      << said();
  asked.insert(asked.end(), {"--method", "genealogy"});
  EXPECT_EQ(run(asked), 0) << said();
}

}  // namespace
}  // namespace credo::cli::smooth_test
