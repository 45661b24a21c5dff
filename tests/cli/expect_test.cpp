// credo expect, and credo summary --control-variates, on files.
#include <gtest/gtest.h>

#include "support/command_run.hpp"

namespace credo::cli {
namespace {

class Expect : public testing::CommandRun {
 protected:
  Expect() : CommandRun("expect") {
    write("model.stan",
          "data { array[3] real y; } parameters { real m; } transformed parameters { real e = "
          "exp(m / 2); } model { m ~ "
          "normal(1, 2); y ~ normal(m, 1); }");
    write("data.json", R"({"y": [0.5, 1.5, 2.5]})");
  }
  std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> all{"expect", at("model.stan"), "--data", at("data.json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(Expect, tells_means_and_their_errors_under_the_prior) {
  const testing::Json found = json(words({"--of", "e", "--of", "m > 1", "--within", "0.1"}));
  const testing::Json& e = found.at("expectations").items.at(0);
  EXPECT_NEAR(e.at("mean").number, std::exp(1.0), 4.0 * e.at("error").number);
  EXPECT_GT(e.at("equivalent_draws").number, 1e5);  // of 32768 points
  const testing::Json& above = found.at("expectations").items.at(1);
  EXPECT_NEAR(above.at("mean").number, 0.5, 4.0 * above.at("error").number);
  EXPECT_NEAR(above.at("needed_draws").number, std::pow(1.96 * 0.5 / 0.1, 2), 1.0);
}

TEST_F(Expect, tells_the_posterior_and_the_evidence) {
  ASSERT_EQ(run(words({"--of", "m", "--posterior", "--number", "256"})), 0) << said();
  EXPECT_NE(printed().find("1.46"), std::string::npos) << printed();  // 4.75 / 3.25
  EXPECT_NE(printed().find("log evidence"), std::string::npos);
  EXPECT_EQ(printed().find("rely"), std::string::npos);
}

// Twenty thousand observations in effect: none of the points is near.
TEST_F(Expect, says_when_the_posterior_is_too_narrow_for_the_points) {
  write("model.stan",
        "data { array[3] real y; } parameters { vector[3] m; } model { m ~ normal(1, 2); y ~ "
        "normal(m, 0.0001); }");
  ASSERT_EQ(run(words({"--of", "m[1]", "--posterior", "--number", "64"})), 0) << said();
  EXPECT_NE(printed().find("Don't rely on it"), std::string::npos) << printed();
}

TEST_F(Expect, asks_for_an_expression_and_refuses_what_it_cant_read) {
  EXPECT_EQ(run(words({})), 2);
  EXPECT_NE(said().find("--of"), std::string::npos);
  EXPECT_EQ(run(words({"--of", "nothing + 1"})), 2);
  EXPECT_EQ(run(words({"--of", "m", "--points", "antithetic", "--number", "7"})), 2);
  EXPECT_NE(said().find("--number 8"), std::string::npos) << said();
}

TEST_F(Expect, control_variates_find_the_mean_of_a_normal_posterior_exactly) {
  ASSERT_EQ(run({"sample", at("model.stan"), "--data", at("data.json"), "--seed", "1", "--draws",
                 "200", "--quiet", "-o", at("fit.nc")}),
            0)
      << said();
  const testing::Json found =
      json({"summary", at("fit.nc"), "--of", "m", "--of", "e", "--control-variates"})
          .at("control_variates");
  EXPECT_EQ(found.at("degree").number, 2.0);
  const testing::Json& m = found.at("of").items.at(0);
  EXPECT_NEAR(m.at("mean").number, 4.75 / 3.25, 1e-4 * m.at("mcse_mean_before").number + 1e-5);
  const testing::Json& e = found.at("of").items.at(1);
  EXPECT_NEAR(e.at("mean").number, std::exp(4.75 / 6.5 + 1.0 / 3.25 / 8.0),
              5.0 * e.at("mcse_mean").number);
  EXPECT_LT(e.at("mcse_mean").number, e.at("mcse_mean_before").number / 5.0);
  EXPECT_EQ(run({"summary", at("fit.nc"), "--control-variates"}), 2);
}

}  // namespace
}  // namespace credo::cli
