// Checks of a table: separation, levels that look like one, families that weren't stated, and names of other packages.
#include "models/regression/table_checks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "made_regression.hpp"

namespace credo::models::table_checks_test {
namespace {
using testing::has;
using testing::made;

std::string notes(const Regression& regression) {
  std::string all;
  for (const std::string& note : regression.notes) all += note + "\n";
  return all;
}

TEST(TableChecks, separation_is_found_on_either_side_and_only_where_it_is) {
  const std::vector<double> outcome{0, 0, 0, 1, 1};
  const auto by = [&](std::vector<double> column) { return separation_by(column, outcome); };
  ASSERT_TRUE(by({1, 2, 3, 4, 5}).has_value());
  EXPECT_TRUE(by({1, 2, 3, 4, 5})->is_above);
  EXPECT_TRUE(by({1, 2, 3, 4, 5})->is_complete);
  EXPECT_EQ(by({1, 2, 3, 4, 5})->border, 4.0);
  EXPECT_FALSE(by({5, 4, 3, 2, 1})->is_above);
  EXPECT_FALSE(by({1, 2, 3, 3, 5})->is_complete);
  EXPECT_TRUE(by({0, 0, 0, 1, 0}).has_value());   // all rows with 1 are 1
  EXPECT_FALSE(by({0, 1, 0, 1, 0}).has_value());  // both kinds on both sides
  EXPECT_FALSE(by({1, 2, 6, 4, 5}).has_value());
  EXPECT_FALSE(by({2, 2, 2, 2, 2}).has_value());
  const std::vector<double> ones{1, 1, 1};
  EXPECT_FALSE(separation_by(std::vector<double>{1, 2, 3}, ones).has_value());
}

// The border of a separated column is where a maximum-likelihood slope would run away: the log likelihood rises with every longer slope.
TEST(TableChecks, a_separated_likelihood_rises_without_end) {
  const std::vector<double> outcome{0, 1, 0, 1, 1}, column{1, 3, 3, 4, 5},
      overlapping{1, 2, 3, 4, 5};
  const auto log_likelihood = [&](const std::vector<double>& x, double slope) {
    double sum = 0.0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      const double eta = slope * (x[n] - 3.0);
      sum -= std::log1p(std::exp(outcome[n] > 0.5 ? -eta : eta));
    }
    return sum;
  };
  EXPECT_TRUE(separation_by(column, outcome).has_value());
  EXPECT_GT(log_likelihood(column, 100.0), log_likelihood(column, 10.0));
  EXPECT_FALSE(separation_by(overlapping, outcome).has_value());
  EXPECT_LT(log_likelihood(overlapping, 100.0), log_likelihood(overlapping, 1.0));
}

TEST(TableChecks, separation_is_a_note_with_priors_and_a_fault_without) {
  const std::string table = "y,x,z\n0,1,3\n0,2,1\n1,3,2\n1,4,1\n0,2,2\n1,5,3\n";
  const auto with_priors = made("y ~ x + z", {.formula = {}, .family = "bernoulli"}, table);
  EXPECT_EQ(with_priors.faults, "");
  EXPECT_TRUE(has(notes(with_priors.regression),
                  "x separates the outcomes: all rows with x from 3 on have 1"));
  EXPECT_FALSE(has(notes(with_priors.regression), "z separates"));
  const auto flat =
      made("y ~ x + z", {.formula = {}, .family = "bernoulli", .preset = "flat"}, table);
  EXPECT_TRUE(has(flat.faults, "x separates the outcomes")) << flat.faults;
  // Flat slopes beside a prior of the intercept: bounded, where the border isn't at the mean.
  const auto brms =
      made("y ~ x + z", {.formula = {}, .family = "bernoulli", .preset = "brms"}, table);
  EXPECT_EQ(brms.faults, "");
  EXPECT_TRUE(has(notes(brms.regression), "only the intercept's prior"));
  const auto own =
      made("y ~ x + z",
           {.formula = {}, .family = "bernoulli", .preset = "flat", .priors = {"x ~ normal(0, 2)"}},
           table);
  EXPECT_EQ(own.faults, "");
  const auto level =
      made("y ~ f", {.formula = {}, .family = "bernoulli"}, "y,f\n0,a\n1,a\n0,b\n1,b\n1,c\n1,c\n");
  EXPECT_TRUE(
      has(notes(level.regression), "fc separates the outcomes: all rows with fc = 1 have 1"))
      << notes(level.regression);
}

std::string similar(std::vector<std::string> levels, std::vector<Index> counts) {
  std::string all;
  for (const SimilarLevels& pair : similar_levels(levels, counts))
    all += fmt::format("{}={};", levels[pair.frequent], levels[pair.rare]);
  return all;
}
TEST(TableChecks, levels_that_look_like_one_are_named_and_codes_are_not) {
  EXPECT_EQ(similar({"North", "north", "South"}, {40, 3, 30}), "North=north;");
  EXPECT_EQ(similar({"North", "North ", "South"}, {1, 3, 30}), "North =North;");
  EXPECT_EQ(similar({"control", "contorl", "treated"}, {40, 1, 30}), "control=contorl;");
  EXPECT_EQ(similar({"control", "controls"}, {40, 30}), "");  // both are frequent
  EXPECT_EQ(similar({"site A", "site B"}, {40, 1}), "");
  EXPECT_EQ(similar({"plot12", "plot13", "plot1 2"}, {40, 1, 1}), "plot12=plot1 2;");
  EXPECT_EQ(similar({"male", "female", "1", "2", "1.0"}, {40, 2, 30, 1, 1}), "");
  EXPECT_EQ(similar({"abc", "abd"}, {40, 1}), "");  // too short to tell
}

TEST(TableChecks, a_family_that_was_not_stated_is_named_where_another_one_fits) {
  const std::string binary = "y,x\n0,1\n1,2\n0,3\n1,1\n", counts = "y,x\n0,1\n3,2\n1,3\n7,1\n",
                    rating = "y,x\n1,1\n3,2\n2,3\n5,1\n", real = "y,x\n0,1\n0.5,2\n1,3\n";
  EXPECT_TRUE(has(notes(made("y ~ x", {}, binary).regression), "--family bernoulli"));
  EXPECT_TRUE(has(notes(made("y ~ x", {}, counts).regression), "--family poisson"));
  EXPECT_EQ(notes(made("y ~ x", {}, rating).regression), "");
  EXPECT_EQ(notes(made("y ~ x", {}, real).regression), "");
  EXPECT_EQ(notes(made("y ~ x", {.formula = {}, .family = "normal"}, binary).regression), "");
}

TEST(TableChecks, families_of_other_packages_have_their_name_here) {
  for (const auto& [other, own] :
       std::map<std::string, std::string>{{"gaussian", "normal"},
                                          {"Gamma", "gamma"},
                                          {"negative.binomial", "negbinomial"},
                                          {"nbinom2", "negbinomial"},
                                          {"nbinom1", "negbinomial1"},
                                          {"zip", "zero_inflated_poisson"}}) {
    EXPECT_NE(find_family(own), nullptr);
    const auto found = made("y ~ x", {.formula = {}, .family = other});
    EXPECT_TRUE(has(found.faults, "--family " + own + "\n") || has(found.faults, "--family " + own))
        << found.faults;
  }
  EXPECT_EQ(family_elsewhere("normal"), "");
  EXPECT_FALSE(has(made("y ~ x", {.formula = {}, .family = "nonsense"}).faults, "Credo's name"));
}

TEST(TableChecks, the_outcome_is_no_term_of_itself) {
  for (const char* formula : {"y ~ x + y", "log(y) ~ x * y", "y ~ s(y)", "y ~ x + (y | g)"})
    EXPECT_TRUE(has(made(formula).faults, "y is the outcome")) << formula;
  EXPECT_FALSE(has(made("y ~ . - f - g - h - rating - flag").faults, "is the outcome"));
  EXPECT_FALSE(has(made("y ~ x").faults, "is the outcome"));
  EXPECT_FALSE(has(made("y ~ . - y - f - g - h - rating - flag").faults, "is the outcome"));
  EXPECT_FALSE(has(made("y ~ x + (1 | y | g)").faults, "is the outcome"));
}

}  // namespace
}  // namespace credo::models::table_checks_test
