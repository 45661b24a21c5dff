// credo summary --where, --of, --regions, --loss: questions to draws in the language of programs.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::questions_test {
namespace {

// x has the distribution of its name; y is a half-normal one.
constexpr const char* kProgram =
    "parameters { vector[2] x; real<lower=0> y; } model { x ~ normal([1, -1]', 1); y ~ normal(0, "
    "1); } generated "
    "quantities { int n = x[1] > 0 ? 3 : 7; }";

class Ask : public testing::CommandRun {
 protected:
  Ask() : CommandRun("questions") { write("model.stan", kProgram); }
  std::string fit(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sample",  at("model.stan"), "--seed", "2",         "--quiet",
                                      "--draws", "4000",           "-o",     at("fit.nc")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << said();
    return at("fit.nc");
  }
};

double cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST_F(Ask, probabilities_of_statements_have_their_errors) {
  const testing::Json told = json({"summary", fit(), "--where", "x[1] > x[2]", "--where",
                                   "y > 1 && n == 3", "--where", "y > -1"});
  const auto& where = told.at("where").items;
  const std::vector<double> exact = {cdf(std::sqrt(2.0)), 2.0 * cdf(-1.0) * cdf(1.0)};
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(where[k].at("probability").number, exact[k], 4.5 * where[k].at("error").number)
        << k;
    EXPECT_LT(where[k].at("error").number, 0.01) << k;
  }
  // An error of three hundredths would be seen.
  EXPECT_GT(std::abs(where[0].at("probability").number - exact[0] - 0.03),
            4.5 * where[0].at("error").number);
}

// (1 - p)^n = 0.05: n independent draws all miss an event of probability p in 5 % of cases.
TEST_F(Ask, a_statement_that_all_draws_bear_out_has_a_bound_instead_of_an_error) {
  const std::string file = fit();
  const testing::Json told = json({"summary", file, "--where", "y > -1", "--where", "y < -1"});
  const auto& where = told.at("where").items;
  for (const auto& one : where) {
    const double rest = one.at("rest_below").number;
    EXPECT_NEAR(std::pow(1.0 - rest, 16000.0), 0.05, 1e-10);
    EXPECT_TRUE(one.at("error").is_null());
  }
  EXPECT_EQ(where[0].at("probability").number, 1.0);
  EXPECT_EQ(where[1].at("probability").number, 0.0);
  ASSERT_EQ(run({"summary", file, "--where", "y > -1"}), 0);
  EXPECT_NE(printed().find("in all of 16000 draws"), std::string::npos) << printed();
}

TEST_F(Ask, expressions_are_summarised) {
  const testing::Json told = json({"summary", fit(), "--of", "sum(x)", "--of", "x' * x"});
  const auto& of = told.at("of").items;
  EXPECT_NEAR(of[0].at("mean").number, 0.0, 4.5 * of[0].at("mcse_mean").number);
  EXPECT_NEAR(of[0].at("sd").number, std::sqrt(2.0), 0.06);
  EXPECT_NEAR(of[1].at("mean").number, 4.0, 4.5 * of[1].at("mcse_mean").number);
}

TEST_F(Ask, chained_comparisons_are_refused) {
  const std::string file = fit();
  for (const char* chain : {"-1 < y < 2", "n == n == 1", "x[1] < x[2] != 0", "y >= 1 >= 0",
                            "1 == y < 2", "(y > 1) + (0 < y < 1)"}) {
    for (const char* option : {"--where", "--of"}) {
      EXPECT_EQ(run({"summary", file, option, chain}), 2) << chain;
      EXPECT_NE(on_one_line(said()).find("compares the outcome of a < b (0 or 1) with c"),
                std::string::npos)
          << said();
      EXPECT_NE(on_one_line(said()).find("write a < b && b < c"), std::string::npos) << said();
    }
  }
  EXPECT_EQ(run({"expect", at("model.stan"), "--probability", "-1 < y < 2"}), 2) << said();
  EXPECT_NE(on_one_line(said()).find("write a < b && b < c"), std::string::npos) << said();
  EXPECT_EQ(run({"expect", at("model.stan"), "--probability", "y > 1 && n > 3"}), 2) << said();
  EXPECT_NE(on_one_line(said()).find("more than one comparison"), std::string::npos) << said();
  for (const char* right : {"(-1 < y) < 2", "1 == (y < 2)", "-1 < y && y < 2"})
    EXPECT_EQ(run({"summary", file, "--where", right}), 0) << right << said();
}

TEST_F(Ask, quotients_of_whole_numbers_and_operators_of_other_languages_are_refused) {
  const std::string file = fit();
  const std::vector<std::array<std::string, 2>> cases = {
      {"1 / 2 * y", "make one of them real"}, {"y > 0 and n > 1", "and is written &&"},
      {"y > 0 or n > 1", "or is written ||"}, {"not y > 0", "not is written !"},
      {"y > 0 & n > 1", "and is written &&"}, {"y > 0 | n > 1", "or is written ||"},
      {"n = 1", "to compare, write =="},      {"y ** 2", "a power is written ^"},
  };
  for (const auto& [text, hint] : cases) {
    EXPECT_EQ(run({"summary", file, "--where", text}), 2) << text << printed();
    EXPECT_NE(on_one_line(said()).find(hint), std::string::npos) << text << ": " << said();
  }
  EXPECT_EQ(run({"summary", file, "--where", "(1 < y) < 2", "--where", "1 < y && y < 2"}), 0)
      << said();
}

TEST_F(Ask, weighted_draws_count_by_their_weights) {
  const std::string file = fit({"--sampler", "importance"});
  const testing::Json told = json({"summary", file, "--where", "x[1] > x[2]"});
  const auto& where = told.at("where").items[0];
  EXPECT_NEAR(where.at("probability").number, cdf(std::sqrt(2.0)), 4.5 * where.at("error").number);
}

TEST_F(Ask, regions_are_of_columns_and_expressions) {
  const testing::Json told =
      json({"summary", fit(), "--regions", "--mass", "0.8", "--columns", "y", "--of", "-y"});
  const auto& regions = told.at("regions").items;
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[1].at("name").text, "y");
  EXPECT_NEAR(regions[1].at("narrowest").items[1].number, 1.2816,
              0.08);  // of a half-normal distribution [0, 1.28]
  EXPECT_NEAR(regions[1].at("narrowest").items[0].number, 0.0, 0.03);
  EXPECT_NEAR(regions[0].at("narrowest").items[0].number, -1.2816, 0.08);
  EXPECT_EQ(run({"summary", at("fit.nc"), "--regions"}), 2);
}

// Squares: the mean; absolute values: the median; three times the price of being too low: the 75 % quantile.
TEST_F(Ask, the_action_with_the_least_expected_loss_is_found) {
  const std::string file = fit();
  const auto best = [&](const std::string& loss) {
    return json({"summary", file, "--loss", loss}).at("best_action").number;
  };
  EXPECT_NEAR(best("square(action - x[1])"), 1.0, 0.05);
  EXPECT_NEAR(best("abs(action - y)"), 0.6745, 0.05);
  EXPECT_NEAR(best("x[1] > action ? 3 * (x[1] - action) : action - x[1]"), 1.6745, 0.06);
  const testing::Json chosen = json({"summary", file, "--loss", "action == 1 ? 0.7 : x[1] > 0",
                                     "--action", "0", "--action", "1"});
  EXPECT_EQ(chosen.at("best_action").number, 1.0);  // P(x[1] > 0) is 0.84
  EXPECT_NEAR(chosen.at("actions").items[0].at("expected_loss").number, cdf(1.0), 0.02);
}

TEST_F(Ask, what_is_no_number_is_refused_with_the_reason) {
  const std::string file = fit();
  for (const char* wrong : {"z > 1", "x", "x[1] >", "x[1]; } parameters { real q; "}) {
    EXPECT_EQ(run({"summary", file, "--where", wrong}), 2) << wrong;
    EXPECT_NE(said().find("isn't an expression of one number"), std::string::npos) << said();
  }
  EXPECT_EQ(run({"summary", file, "--action", "1"}), 2);
  EXPECT_EQ(run({"summary", file, "--where", "x[3] > 1"}), 5) << said();
}

}  // namespace
}  // namespace credo::cli::questions_test
