// credo optimize by Fisher scoring and by steps of optimisers, against R, closed forms and L-BFGS.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::optimize_methods_test {
namespace {

class OptimizeMethods : public testing::CommandRun {
 protected:
  OptimizeMethods() : CommandRun("optimize_methods") {}
  testing::Json optimize(std::vector<std::string> more) {
    std::vector<std::string> words{"optimize", at("m.stan"), "--data", at("d.json"), "--seed", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
  static double value(const testing::Json& all, const std::string& name) {
    for (const testing::Json& row : all.at("mode").items)
      if (row.at("name").text == name) return row.at("value").value();
    ADD_FAILURE() << "no " << name;
    return 0.0;
  }
  void write_beetles(const std::string& probability) {
    write("m.stan",
          "data { int N; array[N] int n; array[N] int y; vector[N] x; }\n"
          "parameters { real a; real b; }\n"
          "model { y ~ binomial(n, " +
              probability + "); }");
    write("d.json",
          R"({"N": 8, "x": [1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839],
              "n": [59, 60, 62, 56, 63, 59, 62, 60], "y": [6, 13, 18, 28, 52, 53, 61, 60]})");
  }
  // Closed form of a linear regression with known scale: N rows, a normal prior with standard deviation 0.3.
  void write_regression() {
    std::string x, y;
    double xx = 1.0 / 0.09, xy = 0.0;
    for (int k = 0; k < 60; ++k) {
      const double at = 0.1 * (k % 13) - 0.6, outcome = 2.0 * at + 0.4 * ((k * 7) % 5 - 2);
      x += (k == 0 ? "" : ", ") + std::to_string(at),
          y += (k == 0 ? "" : ", ") + std::to_string(outcome);
      xx += at * at, xy += at * outcome;
    }
    slope_ = xy / xx, sd_ = 1.0 / std::sqrt(xx);
    write("m.stan",
          "data { int N; vector[N] x; vector[N] y; } parameters { real b; }\n"
          "model { b ~ normal(0, 0.3); y ~ normal(b * x, 1); }");
    write("d.json", "{\"N\": 60, \"x\": [" + x + "], \"y\": [" + y + "]}");
  }
  double slope_ = 0.0, sd_ = 0.0;
};

// Bliss's beetles: glm(cbind(y, n - y) ~ x, binomial(link)) of R 4, whose iterations are Fisher scoring.
TEST_F(OptimizeMethods, fisher_scoring_ends_where_r_does_for_links_that_are_not_canonical) {
  const std::array<std::tuple<std::string, double, double>, 2> links{
      {{"Phi(a + b * x)", -34.9352589157, 19.7279342201},
       {"inv_cloglog(a + b * x)", -39.5723106061, 22.0411698207}}};
  for (const auto& [link, a, b] : links) {
    write_beetles(link);
    const testing::Json found = optimize({"--method", "fisher", "--init", "0"});
    EXPECT_NEAR(value(found, "a"), a, 3e-6 * 3.0) << link;  // standard errors 3 and 1.7
    EXPECT_NEAR(value(found, "b"), b, 3e-6 * 1.7) << link;
  }
}

TEST_F(OptimizeMethods, all_rows_give_the_mode_of_l_bfgs_with_and_without_jacobian) {
  write("m.stan",
        "data { int N; array[N] int y; } parameters { real<lower=0> rate; }\n"
        "model { rate ~ gamma(3, 2); y ~ poisson(rate); }");
  write("d.json", R"({"N": 3, "y": [4, 2, 5]})");
  for (const std::string method : {"fisher", "adam", "sgd", "natural"})
    for (const bool jacobian : {false, true}) {
      std::vector<std::string> more{"--method", method};
      if (jacobian) more.emplace_back("--jacobian");
      const testing::Json found = optimize(more);  // gamma(14, 5)
      EXPECT_NEAR(value(found, "rate"), (jacobian ? 14.0 : 13.0) / 5.0, 2e-6) << method;
    }
}

// Steps alone, whose size falls to 0: the distance to the mode is that of the noise of the last batches. A batch without the weight of its rows would have
// the prior's weight 6 times as large, which moves the mode by 2 standard deviations.
TEST_F(OptimizeMethods, batches_of_rows_end_near_the_mode_without_a_climb) {
  write_regression();
  for (const std::string method : {"adam", "sgd", "natural"}) {
    const testing::Json found = optimize({"--method", method, "--batch", "10", "--polish", "false",
                                          "--num-steps", "3000", "--rate", "0.05"});
    EXPECT_NEAR(value(found, "b"), slope_, 0.1 * sd_) << method;
    const testing::Json exact = optimize({"--method", method, "--batch", "10"});
    EXPECT_NEAR(value(exact, "b"), slope_, 2e-6 * sd_) << method;
  }
  EXPECT_GT(std::abs(slope_ / (1.0 + 5.0 * sd_ * sd_ / 0.09) - slope_), sd_);
}

// Two coefficients of one column: the information is singular, and a maximum of 0.5 log 0.5 an observation is where L-BFGS ends.
TEST_F(OptimizeMethods, natural_steps_end_in_a_climb_where_the_information_is_singular) {
  write("m.stan",
        "data { int N; array[N] int y; } parameters { real a; real b; } "
        "model { y ~ bernoulli_logit(a + b); }");
  write("d.json", R"({"N": 8, "y": [1, 0, 1, 1, 0, 1, 1, 1]})");
  const testing::Json found = optimize({"--method", "natural"});
  EXPECT_NEAR(value(found, "a") + value(found, "b"), std::log(3.0), 1e-4);
}

TEST_F(OptimizeMethods, fisher_scoring_knows_regressions_as_one_statement) {
  std::string x, y;
  for (int k = 0; k < 40; ++k) {
    const double at = 2.0 * std::sin(7.0 * k);
    x += fmt::format("{}[{:.4f}]", k == 0 ? "" : ", ", at);
    y += fmt::format("{}{}", k == 0 ? "" : ", ", at + std::sin(11.0 * k) > 0.3 ? 1 : 0);
  }
  write("d.json", "{\"N\": 40, \"x\": [" + x + "], \"y\": [" + y + "]}");
  write("m.stan",
        "data { int N; matrix[N, 1] x; array[N] int y; } parameters { real a; vector[1] b; } "
        "model { a ~ normal(0, 5); b ~ normal(0, 5); y ~ bernoulli_logit_glm(x, a, b); }");
  const testing::Json by_newton = optimize({"--method", "newton"}),
                      by_fisher = optimize({"--method", "fisher"});
  for (const char* name : {"a", "b.1"})
    EXPECT_NEAR(value(by_fisher, name), value(by_newton, name), 1e-5) << name;
}

// Far from outcomes with heavy tails the expected information is that of outcomes nearby, and steps by it are short: 800 and 1300 iterations
// without the climb by L-BFGS after 100.
TEST_F(OptimizeMethods, fisher_scoring_leaves_bad_starts) {
  write("m.stan",
        "data { int N; vector[N] y; vector[N] x; } parameters { real a; real b; } "
        "model { y ~ student_t(2, a + b * x, 0.01); }");
  write("d.json", R"({"N": 6, "y": [0.1, -0.05, 0.3, 0.2, 0.12, 1.0], "x": [0, 1, 2, 3, 4, 5]})");
  const testing::Json found = optimize({"--method", "fisher"});
  for (const testing::Json& start : found.at("starts").items)
    EXPECT_LT(start.at("num_iterations").number, 200.0);
}

TEST_F(OptimizeMethods, what_the_methods_need_is_named) {
  write("m.stan",
        "data { int N; vector[N] x; vector[N] y; } parameters { real b; }\n"
        "model { b ~ normal(0, 0.3); y ~ logistic(b * x, 1); target += -b * b; }");
  write("d.json", R"({"N": 2, "x": [1.0, 2.0], "y": [1.0, 0.0]})");
  const auto said_by = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"optimize", at("m.stan"), "--data", at("d.json")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_NE(run(words), 0);
    return on_one_line(said());
  };
  EXPECT_NE(said_by({"--method", "fisher"}).find("expected information of the outcomes"),
            std::string::npos)
      << said();
  EXPECT_NE(said_by({"--method", "sgd", "--step", "natural"}).find("step"), std::string::npos);
  write("m.stan", "parameters { real b; } model { b ~ normal(0, 1); }");
  EXPECT_NE(said_by({"--method", "adam", "--batch", "3"}).find("no batches of rows"),
            std::string::npos)
      << said();
}

}  // namespace
}  // namespace credo::cli::optimize_methods_test
