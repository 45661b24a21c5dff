// credo impact: intervals without an effect exclude 0 as often as stated, an effect is found, checks.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "cli/tables/impact_report.hpp"

#include "support/command_run.hpp"

namespace credo::cli::impact_test {
namespace {

class ImpactRun : public testing::CommandRun {
 protected:
  ImpactRun() : CommandRun("impact") {}
  // 60 days and 15 behind them: a level that walks, a covariate, noise of sd 1, and an effect.
  void write_series(unsigned seed, double effect, bool affects_covariate = false) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    std::string table = "day,y,x\n";
    double level = 10.0, x = 0.0;
    for (int t = 1; t <= 75; ++t) {
      level += 0.1 * normal(engine);
      x = 0.7 * x + normal(engine);
      const double added = t > 60 ? effect : 0.0, shown = x + (affects_covariate ? added : 0.0);
      table += std::to_string(t) + "," + std::to_string(level + 1.5 * x + normal(engine) + added) +
               "," + std::to_string(shown) + "\n";
    }
    write("s.csv", table);
  }
  testing::Json impact(const std::string& level, std::vector<std::string> more = {"--no-checks"}) {
    std::vector<std::string> words{"impact",   "y ~ x",    "--data",  at("s.csv"), "--from",
                                   "61",       "--level",  level,     "--chains",  "1",
                                   "--warmup", "200",      "--draws", "300",       "--seed",
                                   "7",        "--priors", "default"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
};

// Intervals of 95 % exclude 0 in 5 of 100 series on average; more than 12 or fewer than 1 have probabilities 0.0015 and 0.006. A mutant, whose
// intervals are those of 70 %, excludes 0 in 30: at most 12 have probability 2e-5.
TEST_F(ImpactRun, excludes_0_as_often_as_stated_without_an_effect) {
  int excluded = 0, mutant = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    write_series(seed, 0.0);
    const auto found = impact("0.95");
    excluded += !found.at("contains_zero").truth;
    const double low = found.at("sum_low").number, high = found.at("sum_high").number,
                 middle = 0.5 * (low + high);
    const double half = 0.5 * (high - low) * 1.0364 / 1.9600;
    mutant += middle - half > 0.0 || middle + half < 0.0;
  }
  EXPECT_LE(excluded, 12);
  EXPECT_GE(excluded, 1);
  EXPECT_GT(mutant, 12);
}

// An effect of 3 sds of the noise, at each of 15 times.
TEST_F(ImpactRun, finds_an_effect) {
  int found = 0, covered = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    write_series(seed, 3.0);
    const auto answer = impact("0.95");
    found += !answer.at("contains_zero").truth && answer.at("positive").number > 0.99;
    covered += answer.at("effect_low").number < 3.0 && answer.at("effect_high").number > 3.0;
  }
  EXPECT_EQ(found, 10);
  EXPECT_GE(covered, 7);  // 10 times 0.95: fewer than 7 have probability 1e-3
}

// Pointwise effects add up to the cumulative one, and that of the last time is the sum.
TEST_F(ImpactRun, adds_effects_up) {
  write_series(3, 2.0);
  const auto found = impact("0.9");
  double sum = 0.0;
  for (const auto& time : found.at("times").items) {
    sum += time.at("effect").number;
    EXPECT_NEAR(time.at("cumulative").number, sum, 1e-9);
    EXPECT_NEAR(time.at("outcome").number - time.at("expected").number, time.at("effect").number,
                1e-9);
  }
  EXPECT_NEAR(found.at("sum").number, sum, 1e-9);
  EXPECT_NEAR(found.at("effect").number, sum / 15.0, 1e-9);
}

TEST_F(ImpactRun, checks_placebos_and_covariates) {
  write_series(5, 4.0, true);
  const auto found = impact("0.95", {});
  std::map<std::string, int> passed, all;
  for (const auto& check : found.at("checks").items) {
    ++all[check.at("kind").text];
    passed[check.at("kind").text] += check.at("passed").truth;
  }
  EXPECT_EQ(all["backcast"], 1);
  EXPECT_EQ(all["placebo"], 3);
  EXPECT_EQ(all["covariate"], 1);
  EXPECT_EQ(passed["covariate"], 0);  // it was affected itself
  EXPECT_GE(passed["placebo"], 2);
}

// Weekends have no row, neither within the fit nor behind it. Differences of log(y) are no shares.
TEST_F(ImpactRun, reads_working_days_and_leaves_percents_of_a_function_out) {
  std::string table = "day,y,x\n";
  for (int t = 0; t < 56; ++t) {
    if (t % 7 > 4) continue;
    const std::chrono::year_month_day day{std::chrono::sys_days{std::chrono::days{19'723 + t}}};
    const int date = 100 * static_cast<int>(static_cast<unsigned>(day.month())) +
                     static_cast<int>(static_cast<unsigned>(day.day()));
    table += "2024-0" + std::to_string(date / 100) + (date % 100 < 10 ? "-0" : "-") +
             std::to_string(date % 100) + "," + std::to_string(20.0 + (t * 37) % 11 * 0.3) + "," +
             std::to_string((t * 17) % 13) + "\n";
  }
  write("w.csv", table);
  const auto found =
      json({"impact", "log(y) ~ x", "--data", at("w.csv"), "--from", "2024-02-12", "--no-checks",
            "--chains", "1", "--warmup", "200", "--draws", "200", "--seed", "3"});
  EXPECT_EQ(found.at("times").items.size(), 10U);  // two weeks of five days
  EXPECT_NE(found.at("no_relative").text.find("no effect in percent"), std::string::npos);
  EXPECT_EQ(found.at("sentence").text.find(" % ("), std::string::npos) << found.at("sentence").text;
}

TEST(ImpactReport, counts_checks_that_could_not_be_computed_apart) {
  models::Series made;
  made.axis = models::row_times(5), made.num_times = 6;
  models::Impact impact;
  impact.times = {{.place = 5, .outcome = 1.0, .expected = {}, .effect = {}, .cumulative = {}}};
  const std::vector<ImpactCheck> checks{
      {.kind = "placebo", .name = "from 2", .failure = "too short"}};
  const std::string text = ImpactReport{made, impact, checks, 0.95}.text();
  EXPECT_NE(text.find("1 of 1 checks couldn't be computed"), std::string::npos) << text;
  EXPECT_EQ(text.find("didn't pass"), std::string::npos) << text;
  EXPECT_EQ(text.find("All intervals"), std::string::npos) << text;
}

TEST_F(ImpactRun, refuses_times_that_are_not_there) {
  write_series(1, 0.0);
  EXPECT_NE(run({"impact", "y ~ x", "--data", at("s.csv"), "--from", "99"}), 0);
  EXPECT_NE(said().find("is no time of the series"), std::string::npos);
  EXPECT_NE(run({"impact", "y ~ x", "--data", at("s.csv")}), 0);
}
}  // namespace
}  // namespace credo::cli::impact_test
