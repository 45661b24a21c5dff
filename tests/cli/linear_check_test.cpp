// Condition for exact Kalman filters: programs are linear and Gaussian in the region of the states, at any scale, and
// outcomes are numbers.
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::linear_check_test {
namespace {

const std::string kInputs = CREDO_SOURCE_DIR "/tests/inputs/";

std::vector<std::string> words_of(const std::string& command, const std::string& program,
                                  const std::string& data, std::vector<std::string> more = {}) {
  std::vector<std::string> all{command, kInputs + program, "--data", kInputs + data};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class LinearCheck : public testing::CommandRun {
 protected:
  LinearCheck() : CommandRun("linear_check") {
    write("phi.json", R"({"phi": 0.5})");
    write("walk.stan", R"(
functions {
  real initial_rng(real sd0) { return normal_rng(0, sd0); }
  real initial_lpdf(real x, real sd0) { return normal_lpdf(x | 0, sd0); }
  real transition_rng(real before, real q) { return normal_rng(before > 100 ? 50 : before, q); }
  real transition_lpdf(real x, real before, real q) {
    return normal_lpdf(x | before > 100 ? 50 : before, q);
  }
  real observation_lpdf(real y, real x, real r) { return normal_lpdf(y | x, r); }
}
data { int T; vector[T] y; real sd0; real q; real r; }
model { }
)");
  }
  // Error message of a command.
  std::string refusal(std::vector<std::string> words) {
    EXPECT_NE(run(std::move(words)), 0) << printed();
    return on_one_line(said());
  }
};

TEST_F(LinearCheck, refuses_a_transition_that_jumps_where_the_states_are) {
  for (const char* method : {"kalman", "information"}) {
    const std::string why =
        refusal(words_of("filter", "adv_kn.stan", "adv_yjump.json", {"--method", method}));
    EXPECT_NE(why.find("transition_lpdf isn't a normal density whose mean is linear"),
              std::string::npos)
        << why;
    EXPECT_NE(why.find("where the state that it is given is"), std::string::npos) << why;
  }
  for (const char* method : {"kalman", "two-filter"})
    EXPECT_NE(refusal(words_of("smooth", "adv_kn.stan", "adv_yjump.json", {"--method", method}))
                  .find("transition_lpdf"),
              std::string::npos);
}

// If no state comes near the jump, the filter is exact and reports the number of checked points. The likelihood is
// that of two normal outcomes with the covariance (1 + 0.25, 1; 1, 1 + 0.49 + 0.25).
TEST_F(LinearCheck, tells_at_how_many_points_it_looked) {
  write("near.json", R"({"T": 2, "y": [0.4, -0.3], "sd0": 1, "q": 0.7, "r": 0.5})");
  const auto found =
      json({"filter", at("walk.stan"), "--data", at("near.json"), "--method", "kalman"});
  const double a = 1.25, b = 1.0, c = 1.74, det = a * c - b * b;
  const double square = (c * 0.16 - 2.0 * b * 0.4 * -0.3 + a * 0.09) / det;
  EXPECT_NEAR(found.at("log_likelihood").number,
              -0.5 * (square + std::log(det)) - std::log(2.0 * M_PI), 1e-9);
  EXPECT_GT(found.at("points_checked").number, 20.0);  // of the transition alone
  ASSERT_EQ(run({"filter", at("walk.stan"), "--data", at("near.json"), "--method", "kalman"}), 0);
  EXPECT_NE(printed().find("normal and linear at all"), std::string::npos) << printed();
}

// An initial standard deviation of a million is handled as well as 1, and the expressions show that the program is linear and
// Gaussian: y ~ N(0, 1e12 + 120^2), up to rounding of the
// sum.
TEST_F(LinearCheck, reads_distributions_of_any_scale) {
  write("level.stan", R"(
functions {
  real initial_rng(real s) { return normal_rng(0, s); }
  real initial_lpdf(real x, real s) { return normal_lpdf(x | 0, s); }
  real transition_rng(real before) { return normal_rng(before, 1); }
  real transition_lpdf(real x, real before) { return normal_lpdf(x | before, 1); }
  real observation_lpdf(real y, real x) { return normal_lpdf(y | x, 120); }
}
data { int T; vector[T] y; real s; }
model { }
)");
  for (const double s : {1e-3, 1.0, 1e3, 1e6, 1e7}) {
    write("one.json", "{\"T\": 1, \"y\": [1000], \"s\": " + std::to_string(s) + "}");
    const auto found =
        json({"filter", at("level.stan"), "--data", at("one.json"), "--method", "kalman"});
    const double variance = s * s + 14400.0;
    EXPECT_NEAR(found.at("log_likelihood").number,
                -0.5 * (1e6 / variance + std::log(2.0 * M_PI * variance)), 1e-9)
        << s;
    EXPECT_EQ(found.find("points_checked"), nullptr);
  }
}

TEST_F(LinearCheck, names_an_infinite_outcome) {
  write("inf.json", R"({"T": 3, "y": [0.4, "Infinity", -0.3], "sd0": 1, "q": 0.7, "r": 0.5})");
  for (const char* method : {"kalman", "information", "ekf", "ukf"}) {
    const std::string why =
        refusal({"filter", at("walk.stan"), "--data", at("inf.json"), "--method", method});
    EXPECT_NE(why.find("at time 2 the outcome y is inf"), std::string::npos) << why;
  }
}

TEST_F(LinearCheck, refuses_densities_that_are_nan) {
  for (const char* command : {"filter", "smooth"}) {
    const std::string why =
        refusal(words_of(command, "adv_nanobs.stan", "adv_y20.json",
                         {"--method", "kalman", "--parameters", at("phi.json")}));
    EXPECT_NE(why.find("observation_lpdf isn't a normal density"), std::string::npos) << why;
    EXPECT_NE(why.find("it is nan there"), std::string::npos) << why;
  }
}

TEST_F(LinearCheck, refuses_words_that_it_does_not_know) {
  const auto asked = [&](const char* command, std::vector<std::string> more) {
    more.insert(more.begin(), {"--parameters", at("phi.json")});
    return words_of(command, "adv_nanobs.stan", "adv_y20.json", std::move(more));
  };
  for (const char* option : {"--order", "--method", "--discrete", "--regimes", "--update"})
    EXPECT_NE(refusal(asked("filter", {option, "foo"})).find("foo"), std::string::npos) << option;
  EXPECT_NE(refusal(asked("smooth", {"--discrete", "foo"})).find("foo"), std::string::npos);
  EXPECT_NE(refusal(asked("filter", {"--method", "ukf", "--kappa", "inf"})).find("--kappa"),
            std::string::npos);
  write("two.stan", "parameters { int<lower=0, upper=1> z; } model { z ~ bernoulli(0.3); }");
  EXPECT_NE(refusal({"exact", at("two.stan"), "--discrete", "foo"}).find("foo"), std::string::npos);
}

}  // namespace
}  // namespace credo::cli::linear_check_test
