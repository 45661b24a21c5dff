// credo select on published data, beside sums over all sets by R, and its projections beside credo loo.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::select_test {
namespace {
const std::string kCrimes = CREDO_SOURCE_DIR "/examples/regression/UScrime.csv";
const std::string kDesigns = CREDO_SOURCE_DIR "/tests/data/formula/";

class Select : public testing::CommandRun {
 protected:
  Select() : CommandRun("select") {}
  static std::map<std::string, double> inclusions(const testing::Json& answer) {
    std::map<std::string, double> all;
    for (const testing::Json& term : answer.at("terms").items)
      all[term.at("name").text] = term.at("inclusion").number;
    return all;
  }
};

// R 4.2: .lm.fit of all 32,768 sets, g = 47, every number of terms equally probable.
TEST_F(Select, of_crimes_has_the_probabilities_of_a_sum_by_r) {
  const testing::Json answer = json({"select", "y ~ .", "--data", kCrimes});
  const std::map<std::string, double> peer{
      {"M", 0.588780776137},    {"So", 0.131339337840},   {"Ed", 0.802743056798},
      {"Po1", 0.843971689863},  {"Po2", 0.270339806258},  {"LF", 0.127592699984},
      {"M.F", 0.293057296936},  {"Pop", 0.155468268277},  {"NW", 0.118470238988},
      {"U1", 0.165256669071},   {"U2", 0.338314835007},   {"GDP", 0.223656895304},
      {"Ineq", 0.969125731184}, {"Prob", 0.544752654128}, {"Time", 0.136007176905}};
  const auto own = inclusions(answer);
  for (const auto& [name, value] : peer) EXPECT_NEAR(own.at(name), value, 1e-9) << name;
  std::map<std::string, double> means;
  for (const testing::Json& one : answer.at("coefficients").items)
    means[one.at("column").text] = one.at("mean").number;
  for (const auto& [name, value] : std::map<std::string, double>{
           {"M", 5.244454179}, {"Po1", 10.54898200}, {"Prob", -2139.241632}})
    EXPECT_NEAR(means.at(name), value, 1e-8 * std::abs(value)) << name;
  const testing::Json& best = answer.at("sets").items[0];
  EXPECT_EQ(best.at("terms").text, "Ed + Po1 + Ineq");
  EXPECT_NEAR(best.at("probability").number, 0.052779075145134, 1e-10);
}

TEST_F(Select, by_a_walk_agrees_with_the_sum) {
  const auto exact = inclusions(json({"select", "y ~ .", "--data", kCrimes}));
  const testing::Json walk =
      json({"select", "y ~ .", "--data", kCrimes, "--search", "walk", "--sweeps", "2000"});
  for (const testing::Json& term : walk.at("terms").items)
    EXPECT_NEAR(term.at("inclusion").number, exact.at(term.at("name").text),
                4.0 * term.at("error").number)
        << term.at("name").text;
}

TEST_F(Select, takes_a_factor_as_one_term_and_keeps_terms) {
  const std::string table = kDesigns + "warpbreaks.csv";
  const testing::Json answer =
      json({"select", "breaks ~ wool * tension", "--data", table, "--keep", "wool"});
  const auto own = inclusions(answer);
  ASSERT_EQ(own.size(), 3u);
  EXPECT_EQ(own.at("wool"), 1.0);
  EXPECT_EQ(answer.at("coefficients").items.size(), 5u);
  EXPECT_EQ(answer.at("num_sets").number, 4.0);
}

TEST_F(Select, of_more_than_twenty_terms_walks_and_finds_what_matters) {
  std::string table = "y";
  for (int c = 1; c <= 60; ++c) table += ",x" + std::to_string(c);
  table += "\n";
  for (int n = 0; n < 40; ++n) {  // fewer rows than columns
    std::vector<double> x;
    for (int c = 1; c <= 60; ++c) x.push_back(std::sin(1.0 + n * (c + 1.37) + 0.5 * c * c));
    table += std::to_string(2.0 * x[4] - 3.0 * x[30] + 0.3 * std::cos(5.0 * n));
    for (const double v : x) table += "," + std::to_string(v);
    table += "\n";
  }
  write("wide.csv", table);
  for (const char* prior : {"g", "normal"}) {
    const auto own = inclusions(
        json({"select", "y ~ .", "--data", at("wide.csv"), "--prior", prior, "--sweeps", "300"}));
    EXPECT_GT(own.at("x5"), 0.8) << prior;
    EXPECT_GT(own.at("x31"), 0.99) << prior;
    EXPECT_LT(own.at("x2"), 0.5) << prior;
  }
  EXPECT_EQ(run({"select", "y ~ .", "--data", at("wide.csv"), "--search", "all"}), 2);
  EXPECT_NE(on_one_line(said()).find("60 terms have more than a million sets"), std::string::npos);
}

TEST_F(Select, by_a_penalty_prints_the_mode_and_no_probability) {
  ASSERT_EQ(run({"select", "y ~ .", "--data", kCrimes, "--prior", "l0", "--inclusion", "0.01"}), 0)
      << said();
  EXPECT_NE(printed().find("the mode: "), std::string::npos) << printed();
  EXPECT_EQ(printed().find("P(in)"), std::string::npos);
  EXPECT_EQ(run({"select", "y ~ .", "--data", kCrimes, "--prior", "l0"}), 2);
  EXPECT_NE(on_one_line(said()).find("the penalty of --prior l0 is log((1 - P) / P)"),
            std::string::npos);
}

TEST_F(Select, warns_of_a_uniform_prior_that_is_too_narrow) {
  ASSERT_EQ(
      run({"select", "y ~ Ed + Po1", "--data", kCrimes, "--prior", "uniform", "--width", "0.5"}),
      0);
  EXPECT_NE(on_one_line(printed()).find("cuts the posterior"), std::string::npos) << printed();
  ASSERT_EQ(
      run({"select", "y ~ Ed + Po1", "--data", kCrimes, "--prior", "uniform", "--width", "5"}), 0);
  EXPECT_EQ(on_one_line(printed()).find("cuts the posterior"), std::string::npos) << printed();
}

TEST_F(Select, shows_all_faults) {
  EXPECT_EQ(run({"select", "y ~ Edd + (1 | So) + Po", "--data", kCrimes}), 4);
  for (const char* message : {"did you mean Ed?", "effects of groups", "there is no column Po"})
    EXPECT_NE(on_one_line(said()).find(message), std::string::npos) << said();
  EXPECT_EQ(run({"select", "--data", kCrimes}), 2);
  EXPECT_EQ(run({"select", "y ~ ."}), 2);
}

TEST_F(Select, projects_a_fit_and_has_the_elpd_of_loo) {
  ASSERT_EQ(run({"regression", "mpg ~ wt + hp + qsec + drat", "--data", kDesigns + "mtcars.csv",
                 "--seed", "1", "--draws", "250", "--quiet", "-o", at("fit.nc")}),
            0)
      << said();
  const testing::Json answer = json({"select", "--project", at("fit.nc")});
  const double elpd = answer.at("elpd_reference").number;
  const testing::Json loo = json({"loo", at("fit.nc")});
  // The same draws, with other numbers of effective draws for the tails.
  EXPECT_NEAR(elpd, loo.at("elpd_loo").at("value").number, 0.3);
  const auto& steps = answer.at("steps").items;
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[1].at("term").text, "wt");
  EXPECT_NEAR(steps[4].at("divergence").number, 0.0, 1e-9);
  EXPECT_NEAR(steps[4].at("difference").number, 0.0, 1e-4);
  EXPECT_GE(answer.at("num_suggested").number, 1.0);
  EXPECT_LE(answer.at("num_suggested").number, 3.0);
  ASSERT_EQ(run({"select", "--project", at("fit.nc")}), 0);
  EXPECT_NE(printed().find("suffice"), std::string::npos) << printed();
  EXPECT_EQ(run({"select", "y ~ x", "--project", at("fit.nc")}), 2);
}
}  // namespace
}  // namespace credo::cli::select_test
