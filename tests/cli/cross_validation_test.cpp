// credo loo with fits without rows, folds and times; credo ppc --loo-pit and own statistics; credo sbc --posterior.
#include <gtest/gtest.h>

#include "io/file.hpp"
#include "support/command_run.hpp"

namespace credo::cli::cross_validation_test {
namespace {

const std::vector<double> kY = {0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 9.0};
constexpr const char* kData =
    R"({"N": 10, "y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 9.0],
  "g": [1, 1, 2, 2, 3, 3, 1, 2, 3, 3], "x": [0.5]})";
constexpr const char* kProgram =
    "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 2); y ~ "
    "normal(mu, "
    "1); } generated quantities { real T_obs = max(y) - mu; vector[N] y_rep; for (n in 1:N) "
    "y_rep[n] "
    "= normal_rng(mu, 1); real T_rep = max(y_rep) - mu; }";

double log_normal(double y, double mean, double variance) {
  return -0.5 * std::log(2.0 * M_PI * variance) - 0.5 * (y - mean) * (y - mean) / variance;
}

class CrossValidation : public testing::CommandRun {
 protected:
  CrossValidation() : CommandRun("cross_validation") {
    write("model.stan", kProgram);
    write("data.json", kData);
    EXPECT_EQ(run({"sample", at("model.stan"), "--data", at("data.json"), "--seed", "1", "--quiet",
                   "--draws", "500", "-o", at("fit.nc")}),
              0)
        << said();
  }
  std::string fit() const { return at("fit.nc"); }

  // Of row i given those that aren't in `without`.
  static double exact(std::size_t i, const std::vector<std::size_t>& without) {
    double precision = 0.25, weighted = 0.0;
    for (std::size_t j = 0; j < kY.size(); ++j)
      if (std::find(without.begin(), without.end(), j) == without.end())
        precision += 1.0, weighted += kY[j];
    return log_normal(kY[i], weighted / precision, 1.0 / precision + 1.0);
  }
};

TEST_F(CrossValidation, fits_without_rows_that_weights_do_not_reach) {
  ASSERT_EQ(run({"loo", fit()}), 0);
  EXPECT_NE(printed().find("--refit bad"), std::string::npos) << printed();
  const testing::Json loo = json({"loo", fit(), "--refit", "bad"});
  EXPECT_EQ(loo.at("num_unreliable").number, 0.0);
  ASSERT_EQ(loo.at("fits").items.size(), 1u);
  EXPECT_EQ(loo.at("fits").items[0].at("row").number, 10.0);
  const testing::Json& row = loo.at("rows").items[9];
  EXPECT_EQ(row.at("by").text, "fit without the row");
  EXPECT_NEAR(row.at("elpd_loo").number, exact(9, {9}), 4.5 * row.at("mcse").number);
  EXPECT_EQ(loo.at("rows").items[0].at("by").text, "importance sampling");
}

TEST_F(CrossValidation, matches_moments_before_it_fits) {
  const testing::Json loo = json({"loo", fit(), "--moment-match", "--refit", "bad"});
  EXPECT_EQ(loo.at("fits").items.size(), 0u);
  const testing::Json& row = loo.at("rows").items[9];
  EXPECT_EQ(row.at("by").text, "moment matching");
  EXPECT_NEAR(row.at("elpd_loo").number, exact(9, {9}), 4.5 * row.at("mcse").number);
}

TEST_F(CrossValidation, compares_models_by_moved_draws) {
  write("wider.stan",
        "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 2); y ~ "
        "normal(mu, "
        "3); }");
  ASSERT_EQ(run({"sample", at("wider.stan"), "--data", at("data.json"), "--seed", "1", "--quiet",
                 "-o", at("wider.nc")}),
            0)
      << said();
  const testing::Json plain = json({"compare", fit(), at("wider.nc")}),
                      matched = json({"compare", fit(), at("wider.nc"), "--moment-match"});
  EXPECT_EQ(plain.at("models").items[1].at("file").text, fit());
  EXPECT_EQ(plain.at("models").items[1].at("num_unreliable").number, 1.0);
  EXPECT_EQ(matched.at("models").items[1].at("num_unreliable").number, 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < kY.size(); ++i) total += exact(i, {i});
  // Monte Carlo errors of the rows (credo loo --json) are 0.08 together: 4.5 of them. Weights alone are further off.
  const auto distance = [&](const testing::Json& told) {
    return std::abs(told.at("models").items[1].at("elpd_loo").number - total);
  };
  EXPECT_LT(distance(matched), 4.5 * 0.08);
  EXPECT_LT(distance(matched), distance(plain));
}

TEST_F(CrossValidation, takes_all_rows_from_fits_and_says_so) {
  ASSERT_EQ(run({"loo", fit(), "--refit", "all", "--chains", "2", "--warmup", "100", "--draws",
                 "200", "--quiet"}),
            0)
      << said();
  EXPECT_NE(printed().find("10 rows by fit without the row"), std::string::npos) << printed();
  EXPECT_NE(printed().find("Each row is predicted as if it hadn't been seen."), std::string::npos);
}

TEST_F(CrossValidation, predicts_folds_from_the_others) {
  const testing::Json folds = json({"loo", fit(), "--folds", "5", "--seed", "3"});
  std::vector<std::vector<std::size_t>> members(5);
  for (std::size_t i = 0; i < kY.size(); ++i)
    members.at(static_cast<std::size_t>(folds.at("rows").items[i].at("fold").number) - 1)
        .push_back(i);
  double total = 0.0;
  for (std::size_t i = 0; i < kY.size(); ++i) {
    const testing::Json& row = folds.at("rows").items[i];
    const auto fold = static_cast<std::size_t>(row.at("fold").number) - 1;
    EXPECT_EQ(members[fold].size(), 2u);
    EXPECT_NEAR(row.at("elpd").number, exact(i, members[fold]), 4.5 * row.at("mcse").number);
    total += row.at("elpd").number;
  }
  EXPECT_NEAR(folds.at("elpd_kfold").at("value").number, total, 1e-10);
}

TEST_F(CrossValidation, leaves_groups_out) {
  const testing::Json folds =
      json({"loo", fit(), "--fold-by", "g", "--chains", "2", "--draws", "1000"});
  ASSERT_EQ(folds.at("folds").items.size(), 3u);
  EXPECT_EQ(folds.at("folds").items[2].at("num_rows").number, 4.0);
  const testing::Json& row = folds.at("rows").items[6];
  EXPECT_EQ(row.at("fold").number, 1.0);
  EXPECT_NEAR(row.at("elpd").number, exact(6, {0, 1, 6}), 4.5 * row.at("mcse").number);
  ASSERT_EQ(
      run({"loo", fit(), "--folds", "2", "--stratify", "g", "--warmup", "50", "--draws", "50"}), 0)
      << said();
  EXPECT_NE(printed().find("elpd_kfold"), std::string::npos) << printed();
}

TEST_F(CrossValidation, predicts_the_future) {
  const testing::Json future = json({"loo", fit(), "--future", "2", "--from", "4"});
  ASSERT_EQ(future.at("steps").items.size(), 5u);
  for (const testing::Json& step : future.at("steps").items) {
    const auto time = static_cast<std::size_t>(step.at("time").number) - 1;
    std::vector<std::size_t> future_rows, later;
    for (std::size_t i = time; i < kY.size(); ++i) future_rows.push_back(i);
    for (std::size_t i = time + 1; i < kY.size(); ++i) later.push_back(i);
    EXPECT_NEAR(step.at("elpd").number, exact(time, future_rows) + exact(time + 1, later),
                4.5 * step.at("mcse").number)
        << time;
  }
  EXPECT_GE(future.at("num_fits").number, 1.0);
  ASSERT_EQ(run({"loo", fit(), "--future", "1", "--from", "8"}), 0);
  EXPECT_NE(printed().find("2 predictions of 1 time ahead, from time 9 on"), std::string::npos)
      << printed();
}

TEST_F(CrossValidation, goes_on_with_fits_that_are_done) {
  const std::vector<std::string> words = {"loo", fit(), "--folds", "5", "-o", at("folds.json")};
  ASSERT_EQ(run(words), 0) << said();
  const std::string whole = io::read_file(at("folds.json"));
  EXPECT_EQ(testing::parse_json(whole).at("folds").items.size(), 5u);
  EXPECT_THROW(io::read_file(at("folds.json.run")), Error);
  EXPECT_NE(said().find("5 of 5 fits"), std::string::npos) << said();
}

TEST_F(CrossValidation, refuses_what_does_not_go_together) {
  EXPECT_EQ(run({"loo", fit(), "--folds", "5", "--fold-by", "g"}), 2);
  EXPECT_EQ(run({"loo", fit(), "--folds", "5", "--future", "1"}), 2);
  EXPECT_EQ(run({"loo", fit(), "--folds", "5", "--refit", "bad"}), 2);
  EXPECT_EQ(run({"loo", fit(), "--stratify", "g"}), 2);
  EXPECT_EQ(run({"loo", fit(), "--from", "3"}), 2);
  EXPECT_EQ(run({"loo", fit(), "--folds", "11"}), 2);
  EXPECT_EQ(run({"loo", fit(), "--future", "1", "--from", "10"}), 2);
  EXPECT_EQ(run({"loo", fit(), "--fold-by", "nothing"}), 4);
  EXPECT_NE(said().find("nothing"), std::string::npos) << said();
  EXPECT_EQ(run({"loo", fit(), "--fold-by", "y"}), 4);
  EXPECT_EQ(run({"loo", fit(), "--fold-by", "N"}), 4);
  EXPECT_NE(said().find("1 values"), std::string::npos) << said();
}

TEST_F(CrossValidation, tells_where_values_lie_given_the_others) {
  const testing::Json checks = json({"ppc", fit(), "--loo-pit", "--replicates", "2000"});
  const testing::Json& pit = checks.at("variables").items[0].at("loo_pit");
  EXPECT_EQ(pit.at("num_unmatched").number, 0.0);
  ASSERT_EQ(pit.at("places").items.size(), 10u);
  EXPECT_GT(pit.at("places").items[9].number, 0.99);  // the outlier
  ASSERT_EQ(run({"ppc", fit(), "--loo-pit"}), 0);
  EXPECT_NE(printed().find("LOO-PIT of y: p-value"), std::string::npos) << printed();
  EXPECT_EQ(run({"ppc", fit(), "--loo-pit", "--prior"}), 2);
}

TEST_F(CrossValidation, compares_statistics_of_the_program) {
  const testing::Json checks = json({"ppc", fit(), "--pair-statistic", "T_rep=T_obs"});
  const testing::Json& statistic = checks.at("variables").items[0].at("statistics").items[0];
  EXPECT_EQ(statistic.at("name").text, "T_rep");
  // max(y) - mu of about 9 - 1.2; that of ten normal numbers about 1.5.
  EXPECT_NEAR(statistic.at("observed").number, 7.8, 0.3);
  EXPECT_NEAR(statistic.at("mean").number, 1.54, 0.15);
  EXPECT_LT(statistic.at("tail").number, 0.01);
  EXPECT_TRUE(statistic.at("extreme").truth);
  const testing::Json same = json({"ppc", fit(), "--pair-statistic", "T_obs=T_obs"});
  EXPECT_EQ(same.at("variables").items[0].at("statistics").items[0].at("tail").number, 0.5);
  EXPECT_EQ(run({"ppc", fit(), "--pair-statistic", "T_rep"}), 2);
  EXPECT_EQ(run({"ppc", fit(), "--pair-statistic", "T_rep=nothing"}), 2);
  EXPECT_EQ(run({"ppc", fit(), "--pair-statistic", "T_rep=y_rep"}), 2);
}

TEST_F(CrossValidation, calibrates_at_the_posterior) {
  const testing::Json sbc =
      json({"sbc", at("model.stan"), "--data", at("data.json"), "--posterior", fit(),
            "--replicates", "60", "--warmup", "200", "--draws", "200"});
  EXPECT_NE(sbc.at("sentence").text.find("No fault found"), std::string::npos)
      << sbc.at("sentence").text;
  EXPECT_EQ(sbc.at("quantities").items.size(), 2u);
  EXPECT_EQ(run({"sbc", at("model.stan"), "--data", at("data.json"), "--posterior", fit(),
                 "--generator", at("model.stan")}),
            2);
  EXPECT_NE(said().find("leave one of them out"), std::string::npos) << said();
  EXPECT_EQ(run({"sbc", at("model.stan"), "--data", at("data.json"), "--posterior", fit(),
                 "--replicates", "100000"}),
            2);
}

}  // namespace
}  // namespace credo::cli::cross_validation_test
