// credo filter --method rao-blackwellised from end to end: against all paths of regimes, each by --method kalman of a program that is
// given its regimes as data.
#include "io/file.hpp"
#include "io/netcdf_reader.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::switching_filter_test {
namespace {

// Regime 1 is quiet, regime 2 moves up with much noise, and its outcomes are less exact.
const std::string kFunctions = R"(
  real initial_rng(int regime) { return normal_rng(regime - 1.5, 1); }
  real initial_lpdf(real x, int regime) { return normal_lpdf(x | regime - 1.5, 1); }
  real transition_rng(real before, int regime, vector q, real u) {
    return normal_rng(0.8 * before + (regime == 2 ? 1 : 0) * u, q[regime]);
  }
  real transition_lpdf(real x, real before, int regime, vector q, real u) {
    return normal_lpdf(x | 0.8 * before + (regime == 2 ? 1 : 0) * u, q[regime]);
  }
  real observation_lpdf(real y, real x, int regime, real r) { return normal_lpdf(y | 2 * x - 1, regime * r); }
)";
const std::string kSwitching = "functions {" + kFunctions + R"(
  vector initial_regimes(real p) { return [p, 1 - p]'; }
  vector next_regimes(int regime, real p, int t) { return regime == 1 ? [0.9, 0.1]' : [p / t, 1 - p / t]'; }
}
data { int T; vector[T] y; vector[T] u; }
parameters { vector<lower=0>[2] q; real<lower=0> r; real<lower=0, upper=1> p; }
)";
const std::string kGiven = "functions {" + kFunctions + R"(
}
data { int T; vector[T] y; vector[T] u; array[T] int regime; }
parameters { vector<lower=0>[2] q; real<lower=0> r; real<lower=0, upper=1> p; }
)";

class SwitchingFilter : public testing::CommandRun {
 protected:
  SwitchingFilter() : CommandRun("switching") {
    write("switching.stan", kSwitching);
    write("given.stan", kGiven);
    write("at.json", R"({"q": [0.3, 1.2], "r": 0.4, "p": 0.6})");
    write("data.json", R"({"T": 4, "y": [0.5, -1.2, "NaN", 3.3], "u": [0, 0.4, 1.2, 1.5]})");
  }
  std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> all{"filter",        at("switching.stan"), "--data",
                                 at("data.json"), "--parameters",       at("at.json"),
                                 "--method",      "rao-blackwellised"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

// 16 paths of regimes. What is read off a density has some 1e-12 of its digits left.
TEST_F(SwitchingFilter, weighs_all_paths_of_regimes_as_kalman_filters_of_each_do) {
  double likelihood = 0.0, mean = 0.0, second = 0.0;
  for (int path = 0; path < 16; ++path) {
    std::string regimes;
    double p = 1.0;
    int before = 0;
    for (int t = 1; t <= 4; ++t) {
      const int regime = 1 + ((path >> (t - 1)) & 1);
      regimes += (t == 1 ? "" : ", ") + std::to_string(regime);
      const double leaves = 0.6 / t;
      p *= t == 1        ? (regime == 1 ? 0.6 : 0.4)
           : before == 1 ? (regime == 1 ? 0.9 : 0.1)
                         : (regime == 1 ? leaves : 1.0 - leaves);
      before = regime;
    }
    write("given.json",
          R"({"T": 4, "y": [0.5, -1.2, "NaN", 3.3], "u": [0, 0.4, 1.2, 1.5], "regime": [)" +
              regimes + "]}");
    const auto one = json({"filter", at("given.stan"), "--data", at("given.json"), "--parameters",
                           at("at.json"), "--method", "kalman"});
    p *= std::exp(one.at("log_likelihood").number);
    likelihood += p;
    mean += p * one.at("times").items[3].at("mean").items[0].number;
    if (before == 2) second += p;
  }
  const auto found = json(words(
      {"--regimes", "optimal", "--particles", "16", "--repeats", "2", "--output", at("out.nc")}));
  EXPECT_NEAR(found.at("log_likelihood").number, std::log(likelihood), 1e-9);
  EXPECT_NEAR(found.at("times").items[3].at("mean").items[0].number, mean / likelihood, 1e-9);
  EXPECT_NEAR(found.at("regimes").items[3].items[1].number, second / likelihood, 1e-9);
  const io::NetcdfReader file(at("out.nc"));
  const auto group = file.find_group("regimes");
  ASSERT_TRUE(group);
  EXPECT_EQ(file.read(*file.find_variable(*group, "probability"))[7],
            found.at("regimes").items[3].items[1].number);
  // Drawn regimes: 200 runs of 20 particles agree with it.
  const auto drawn = json(words({"--particles", "20", "--repeats", "200"}));
  const double ratio = std::exp(drawn.at("log_likelihood").number) / likelihood;
  EXPECT_NEAR(ratio, 1.0, 4.0 * drawn.at("error").number);
}

TEST_F(SwitchingFilter, says_what_is_missing_and_which_filter_follows_regimes) {
  EXPECT_EQ(run({"filter", at("switching.stan"), "--data", at("data.json"), "--parameters",
                 at("at.json")}),
            3);
  EXPECT_NE(on_one_line(said()).find("take --method rao-blackwellised"), std::string::npos)
      << said();
  EXPECT_EQ(run({"filter", at("switching.stan"), "--data", at("data.json"), "--parameters",
                 at("at.json"), "--method", "kalman"}),
            3);
  EXPECT_NE(on_one_line(said()).find("switches between regimes"), std::string::npos) << said();
  EXPECT_EQ(run({"filter", at("switching.stan"), "--data", at("data.json"), "--parameters",
                 at("at.json"), "--regimes", "optimal"}),
            2);
  EXPECT_NE(on_one_line(said()).find("add --method rao-blackwellised"), std::string::npos)
      << said();
  write("given.json", R"({"T": 1, "y": [0.5], "u": [0], "regime": [1]})");
  EXPECT_EQ(run({"filter", at("given.stan"), "--data", at("given.json"), "--parameters",
                 at("at.json"), "--method", "rao-blackwellised"}),
            3);
  EXPECT_NE(on_one_line(said()).find("next_regimes(int regime, ...)"), std::string::npos) << said();
  write("sum.stan", "functions {" + kFunctions + R"(
  vector initial_regimes() { return [0.5, 0.6]'; }
  vector next_regimes(int regime) { return [0.5, 0.5]'; }
}
data { int T; vector[T] y; vector[T] u; } parameters { vector<lower=0>[2] q; real<lower=0> r; })");
  EXPECT_EQ(run({"filter", at("sum.stan"), "--data", at("data.json"), "--parameters", at("at.json"),
                 "--method", "rao-blackwellised"}),
            5);
  EXPECT_NE(on_one_line(said()).find("2 numbers that add up to 1.1"), std::string::npos) << said();
}

// The manoeuvring target of the texts: with few particles those that are Kalman filters follow it better than points do.
TEST_F(SwitchingFilter, follows_the_manoeuvring_target) {
  const std::string example = std::string(CREDO_SOURCE_DIR) + "/examples/filters/manoeuvre";
  const auto found = json({"filter", example + ".stan", "--data", example + ".json", "--method",
                           "rao-blackwellised", "--particles", "100", "--repeats", "6"});
  const auto best =
      json({"filter", example + ".stan", "--data", example + ".json", "--method",
            "rao-blackwellised", "--regimes", "optimal", "--particles", "100", "--repeats", "6"});
  EXPECT_NEAR(found.at("log_likelihood").number, best.at("log_likelihood").number,
              4.0 * (found.at("error").number + best.at("error").number));
  const testing::Json data = testing::parse_json(io::read_file(example + ".json"));
  double apart = 0.0, noise = 0.0;
  const auto& truth = data.at("truth").items;
  for (std::size_t t = 0; t < truth.size(); ++t)
    for (const std::size_t e : {0u, 2u}) {
      const double x = truth[t].items[e].number;
      apart += std::pow(found.at("times").items[t].at("mean").items[e].number - x, 2.0);
      noise += std::pow(data.at("y").items[t].items[e].number - x, 2.0);
    }
  EXPECT_LT(apart, 0.5 * noise);
}

}  // namespace
}  // namespace credo::cli::switching_filter_test
