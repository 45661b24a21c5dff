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

namespace {
// Times of a local linear trend with a column [brodersen2015, eq. 2.2, 2.3]: 40 fitted ones and 6 behind them.
constexpr int kFitted = 40, kTimes = 46;
constexpr double kSigma = 0.8, kLevel = 0.4, kSlope = 0.15;

// Counterfactual means of y at the times behind the fit given the outcomes before, at known standard deviations: y = L g + noise for
// independent normal g (first level, first slope, their steps, the coefficient), so the conditional mean is K' S^-1 (y - m).
std::vector<double> dense_counterfactual(const std::vector<double>& y,
                                         const std::vector<double>& x) {
  double mean = 0.0, mean_x = 0.0, square = 0.0, square_x = 0.0;
  for (int t = 0; t < kFitted; ++t)
    mean += y[std::size_t(t)] / kFitted, mean_x += x[std::size_t(t)] / kFitted;
  for (int t = 0; t < kFitted; ++t)
    square += std::pow(y[std::size_t(t)] - mean, 2),
        square_x += std::pow(x[std::size_t(t)] - mean_x, 2);
  const double s = std::sqrt(square / (kFitted - 1)), s_x = std::sqrt(square_x / (kFitted - 1));
  const auto covariance = [&](int a, int b) {
    const int least = std::min(a, b);
    double sum = s * s + s * s * a * b;  // first level and first slope have the sd of the outcomes
    for (int k = 1; k <= least; ++k)     // steps of level and slope from time k - 1 to k
      sum += kLevel * kLevel + kSlope * kSlope * (a - k) * (b - k);
    return sum +
           std::pow(2.5 * s / s_x, 2) * (x[std::size_t(a)] - mean_x) * (x[std::size_t(b)] - mean_x);
  };
  std::vector<std::vector<double>>
      rows;  // of S, with y - m as the last column; by Gauss and Jordan
  for (int a = 0; a < kFitted; ++a) {
    rows.emplace_back();
    for (int b = 0; b < kFitted; ++b)
      rows.back().push_back(covariance(a, b) + (a == b ? kSigma * kSigma : 0.0));
    rows.back().push_back(y[std::size_t(a)] - y[0]);
  }
  for (std::size_t i = 0; i < kFitted; ++i)
    for (std::size_t j = 0; j < kFitted; ++j) {
      if (j == i) continue;
      const double factor = rows[j][i] / rows[i][i];
      for (std::size_t k = i; k <= kFitted; ++k) rows[j][k] -= factor * rows[i][k];
    }
  std::vector<double> means;
  for (int t = kFitted; t < kTimes; ++t) {
    double sum = y[0];
    for (int b = 0; b < kFitted; ++b)
      sum +=
          covariance(t, b) * rows[std::size_t(b)][kFitted] / rows[std::size_t(b)][std::size_t(b)];
    means.push_back(sum);
  }
  return means;
}

std::string trend_table(unsigned seed, double effect, std::vector<double>& y,
                        std::vector<double>& x) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  double level = 5.0, slope = 0.3;
  std::string table = "day,y,x\n";
  y.clear(), x.clear();
  for (int t = 0; t < kTimes; ++t) {
    x.push_back(normal(engine));
    y.push_back(level + 1.2 * x.back() + kSigma * normal(engine) + (t >= kFitted ? effect : 0.0));
    level += slope + kLevel * normal(engine), slope += kSlope * normal(engine);
    table += std::to_string(t + 1) + "," + std::to_string(y.back()) + "," +
             std::to_string(x.back()) + "\n";
  }
  return table;
}
}  // namespace

// Priors of width 0.001 hold the standard deviations at those of the dense formula. The means of 2,000 draws have standard errors of about
// sd / sqrt(1000); 4.5 of these are allowed. The mutant is a trend without a walk of its slope, whose forecasts are others.
TEST_F(ImpactRun, with_a_local_linear_trend_has_the_counterfactual_of_dense_algebra) {
  std::vector<double> y, x;
  write("s.csv", trend_table(4, 2.0, y, x));
  const std::vector<double> exact = dense_counterfactual(y, x);
  const auto expected = [&](const std::string& slope) {
    return json({"impact",      "y ~ trend + x",
                 "--data",      at("s.csv"),
                 "--from",      "41",
                 "--priors",    "default",
                 "--prior",     "sigma ~ normal(0.8, 0.001)",
                 "--prior",     "sd(level) ~ normal(0.4, 0.001)",
                 "--prior",     slope,
                 "--no-checks", "--chains",
                 "2",           "--draws",
                 "1000",        "--seed",
                 "5",           "--level",
                 "0.9"});
  };
  const auto found = expected("sd(slope) ~ normal(0.15, 0.001)");
  const auto mutant = expected("sd(slope) ~ normal(0.001, 0.0001)");
  ASSERT_EQ(found.at("times").items.size(), exact.size());
  double largest = 0.0, of_mutant = 0.0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const auto& time = found.at("times").items[k];
    const double sd = (time.at("expected_high").number - time.at("expected_low").number) / 3.29;
    const auto distance = [&](const testing::Json& time_of) {
      return std::abs(time_of.at("expected").number - exact[k]) / (sd / std::sqrt(1000.0));
    };
    largest = std::max(largest, distance(time));
    of_mutant = std::max(of_mutant, distance(mutant.at("times").items[k]));
  }
  EXPECT_LT(largest, 4.5);
  EXPECT_GT(of_mutant, 4.5);
}

// Forty series without an effect: intervals of 95 % exclude 0 in more than 7 with probability 7e-4. A mutant whose intervals are those of 50 %
// excludes 0 in 20 on average, and in at most 7 with probability 2e-5.
TEST_F(ImpactRun, with_a_local_linear_trend_excludes_0_as_often_as_stated) {
  int excluded = 0, mutant = 0;
  std::vector<double> y, x;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    write("s.csv", trend_table(seed, 0.0, y, x));
    const auto found = json({"impact",
                             "y ~ trend + x",
                             "--data",
                             at("s.csv"),
                             "--from",
                             "41",
                             "--priors",
                             "default",
                             "--prior",
                             "sd(slope) ~ exponential(6)",
                             "--prior",
                             "sd(level) ~ exponential(2)",
                             "--prior",
                             "sigma ~ exponential(1)",
                             "--no-checks",
                             "--chains",
                             "1",
                             "--warmup",
                             "200",
                             "--draws",
                             "300",
                             "--seed",
                             "7"});
    excluded += !found.at("contains_zero").truth;
    const double low = found.at("sum_low").number, high = found.at("sum_high").number;
    const double half = 0.5 * (high - low) * 0.6745 / 1.9600;
    mutant += std::abs(0.5 * (low + high)) > half;
  }
  EXPECT_LE(excluded, 7);
  EXPECT_GT(mutant, 7);
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

// Priors of counts are those of their link, without a word about them; a covariate isn't a count, and its checks have normal errors.
TEST_F(ImpactRun, takes_counts_with_its_own_choice_of_priors) {
  std::mt19937 engine(4);
  std::string table = "day,y,x\n";
  for (int t = 1; t <= 40; ++t) {
    const double x = std::sin(0.7 * t);
    table += std::to_string(t) + "," +
             std::to_string(std::poisson_distribution<int>(
                 std::exp(1.5 + 0.3 * x + (t > 32 ? 1.0 : 0.0)))(engine)) +
             "," + std::to_string(x) + "\n";
  }
  write("c.csv", table);
  const std::vector<std::string> words{
      "impact",   "y ~ x", "--data",   at("c.csv"), "--from",  "33",  "--family", "poisson",
      "--chains", "1",     "--warmup", "200",       "--draws", "200", "--seed",   "3"};
  const auto found = json(words);
  EXPECT_GT(found.at("effect").number, 0.0);
  int covariates = 0;
  for (const auto& check : found.at("checks").items) {
    if (check.at("kind").text != "covariate") continue;
    EXPECT_EQ(check.at("failure").text, "");
    ++covariates;
  }
  EXPECT_EQ(covariates, 1);
  std::vector<std::string> wrong = words;
  wrong.insert(wrong.end(), {"--priors", "bsts"});
  EXPECT_NE(run(wrong), 0);
}

TEST_F(ImpactRun, refuses_times_that_are_not_there) {
  write_series(1, 0.0);
  EXPECT_NE(run({"impact", "y ~ x", "--data", at("s.csv"), "--from", "99"}), 0);
  EXPECT_NE(said().find("is no time of the series"), std::string::npos);
  EXPECT_NE(run({"impact", "y ~ x", "--data", at("s.csv")}), 0);
}
}  // namespace
}  // namespace credo::cli::impact_test
