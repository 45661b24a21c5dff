// credo expect, and credo summary --control-variates, on files.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"

namespace credo::cli::expect_test {
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

// New random numbers at each point: closed forms in the README of tests/inputs. mu ~ N(0, 5), so that a replicate has
// the variance 26.
TEST_F(Expect, draws_random_numbers_anew_at_each_point) {
  const std::string inputs = CREDO_SOURCE_DIR "/tests/inputs/";
  const auto expect = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"expect", inputs + "adv_ll.stan", "--data", inputs + "adv_ll0.json"});
    return json(std::move(more));
  };
  const auto prior = expect(
      {"--of", "normal_rng(mu, 1)", "--of", "normal_rng(mu, 1) > 3", "--of", "poisson_rng(3)"});
  const double above = 0.5 * std::erfc(3.0 / std::sqrt(2.0 * 26.0));  // 0.278
  for (const auto& [place, truth] :
       {std::pair{std::size_t{0}, 0.0}, std::pair{std::size_t{1}, above},
        std::pair{std::size_t{2}, 3.0}}) {
    const testing::Json& e = prior.at("expectations").items.at(place);
    EXPECT_NEAR(e.at("mean").number, truth, 4.0 * e.at("error").number);
    EXPECT_GT(e.at("error").number, 1e-3);
    EXPECT_LT(e.at("error").number, 0.1);
  }
  const auto posterior = expect({"--of", "normal_rng(mu, 1)", "--posterior"});
  const testing::Json& e = posterior.at("expectations").items.at(0);
  EXPECT_NEAR(e.at("mean").number, 9.2 / (8.0 + 1.0 / 25.0), 4.0 * e.at("error").number);  // 1.144
  EXPECT_NE(run({"expect", inputs + "adv_ll.stan", "--data", inputs + "adv_ll0.json",
                 "--probability", "normal_rng(mu, 1) > 3"}),
            0);
  EXPECT_NE(on_one_line(said()).find("draws random numbers"), std::string::npos) << said();
  EXPECT_NE(run({"evidence", inputs + "adv_ll.stan", "--data", inputs + "adv_ll0.json", "--method",
                 "savage-dickey", "--at", "normal_rng(mu, 1) > 3"}),
            0);
  EXPECT_NE(on_one_line(said()).find("draws random numbers"), std::string::npos) << said();
}

TEST_F(Expect, summaries_draw_random_numbers_anew_for_each_draw) {
  ASSERT_EQ(run({"sample", at("model.stan"), "--data", at("data.json"), "--seed", "1", "--quiet",
                 "-o", at("fit.nc")}),
            0)
      << said();
  ASSERT_EQ(run({"summary", at("fit.nc"), "--of", "normal_rng(0, 1)"}), 0) << said();
  EXPECT_EQ(printed().find("not defined"), std::string::npos) << printed();
  const std::string name = "normal_rng(0, 1)";
  ASSERT_NE(printed().find(name), std::string::npos) << printed();
  const std::string line = printed().substr(printed().find(name) + name.size());
  double mean = kNaN, sd = kNaN;
  ASSERT_EQ(std::sscanf(line.c_str(), "%lf %lf", &mean, &sd), 2) << line;
  EXPECT_NEAR(mean, 0.0, 4.0 / std::sqrt(4000.0));
  EXPECT_NEAR(sd, 1.0, 4.0 / std::sqrt(2.0 * 4000.0)) << line;
}

TEST_F(Expect, refuses_means_that_are_no_numbers) {
  for (const char* of : {"1 / 0.0", "m / 0.0", "log(m)"}) {
    EXPECT_NE(run(words({"--of", of})), 0) << printed();
    EXPECT_NE(on_one_line(said()).find("so that it has no mean"), std::string::npos) << said();
  }
  EXPECT_EQ(run(words({"--of", "m", "--points", "foo"})), 2);
  EXPECT_NE(said().find("sobol"), std::string::npos) << said();
}

// An event that can't happen, one beyond the allowed number of levels, and one on a plateau.
LONG_TEST_F(Expect, bounds_the_probability_of_what_cannot_happen) {
  write("theta.stan",
        "parameters { real<lower=0, upper=1> theta; real m; } model { theta ~ beta(2, 2); m ~ "
        "normal(0, 1); }");
  for (const char* method : {"levels", "cross_entropy"})
    for (const char* event : {"theta > 2", "m > 1000", "floor(3 * theta) > 2.5"}) {
      const auto found = json({"expect", at("theta.stan"), "--probability", event, "--method",
                               method, "--particles", "200", "--populations", "2"});
      EXPECT_TRUE(std::isnan(found.at("probability").value())) << event;
      EXPECT_LT(found.at("bound").number, 0.3) << event;
      EXPECT_GE(found.at("bound").number, 0.0) << event;
      EXPECT_NE(found.at("sentence").text.find("if the event can happen at all"),
                std::string::npos);
    }
  // Possible events still get an estimate: P(m > 6) = 9.9e-10.
  const auto rare = json({"expect", at("theta.stan"), "--probability", "m > 6"});
  EXPECT_NEAR(rare.at("probability").number, 9.866e-10, 4.0 * rare.at("error").number);
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
}  // namespace credo::cli::expect_test
