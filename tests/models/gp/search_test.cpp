// The search for kernels finds the expression that made the data, and says it in words.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/gp/kernel_search.hpp"
#include "support/test_seed.hpp"
#include "table_problem.hpp"

namespace credo::models::gp_search_test {
namespace {
using gp_tables::NamedColumns;

KernelSearch search_text(const std::string& formula, const std::string& text,
                         KernelSearchOptions options = {}, double noise = -1.0) {
  const GpTextOf text_of = [&](const std::string&) -> const std::string& { return text; };
  GpRequest request{.formula = formula, .data = {}, .is_usable = {}, .noise = noise};
  request.is_usable = [](const std::string&) { return true; };
  request.data.files = {"d.csv"};
  request.data.missing = "drop";
  FormulaFaults faults;
  KernelSearch made = search_kernel(request, text_of, options, faults);
  EXPECT_TRUE(faults.empty()) << faults.text(formula);
  return made;
}
KernelSearch search(const std::string& formula, const NamedColumns& columns,
                    KernelSearchOptions options = {}, double noise = -1.0) {
  return search_text(formula, gp_tables::csv_of(columns), options, noise);
}
NamedColumns season(double trend, double growth, double noise, std::uint64_t seed) {
  NamedColumns made;
  Rng rng({.seed = testing::test_seed(seed)});
  for (Index i = 0; i < 96; ++i) {
    const double t = static_cast<double>(i) / 12.0;
    made["t"].push_back(t);
    made["y"].push_back(trend * t +
                        (1.0 + growth * t) * (std::sin(2.0 * std::numbers::pi * t) +
                                              0.5 * std::cos(4.0 * std::numbers::pi * t)) +
                        noise * rng.normal());
  }
  return made;
}

TEST(kernel_search, finds_a_trend_and_a_season) {
  const KernelSearch found = search("y ~ ?", season(1.5, 0.0, 0.2, 91), {.max_depth = 3});
  EXPECT_NE(found.formula.find("periodic(t)"), std::string::npos) << found.formula;
  EXPECT_NE(found.formula.find("linear(t"), std::string::npos) << found.formula;
  for (std::size_t k = 1; k < found.steps.size(); ++k)
    EXPECT_GT(found.steps[k].score, found.steps[k - 1].score);
}
TEST(kernel_search, says_that_a_season_grows) {
  const NamedColumns columns = season(0.0, 1.0, 0.2, 92);
  const KernelSearch found = search("y ~ ?", columns);
  const GpTable t = gp_tables::table_of(found.formula, columns);
  std::vector<double> theta = centre_of(t.problem.covariance);
  for (std::size_t k = 0; k < theta.size(); ++k)
    if (t.problem.covariance.parameters()[k].name == "period") theta[k] = 1.0;
  const std::string words = kernel_in_words(found.expression, t, theta);
  EXPECT_NE(words.find("a pattern of period 1 in t whose size grows"), std::string::npos) << words;
}
// BIC refuses a kernel for noise: 20 tables, of which more than 3 with a kernel have a probability of 1e-3 or less if one in forty has one.
TEST(kernel_search, leaves_noise_alone) {
  int num_found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    NamedColumns columns = season(0.0, 0.0, 1.0, 93);
    Rng rng({.seed = testing::test_seed(1000 + seed)});
    for (double& y : columns["y"]) y = rng.normal();
    if (!search("y ~ ?", columns, {.max_depth = 1}).formula.empty()) ++num_found;
  }
  EXPECT_LE(num_found, 3);
}
TEST(kernel_search, chooses_the_column_that_counts) {
  NamedColumns columns;
  Rng rng({.seed = testing::test_seed(94)});
  for (Index i = 0; i < 80; ++i) {
    columns["a"].push_back(rng.uniform(0.0, 5.0)), columns["b"].push_back(rng.uniform(0.0, 5.0));
    columns["y"].push_back(std::exp(-std::pow(columns["b"].back() - 2.0, 2)) + 0.05 * rng.normal());
  }
  const KernelSearch found = search("y ~ ?", columns, {.max_depth = 1});
  ASSERT_FALSE(found.formula.empty());
  EXPECT_EQ(found.formula.find("(a"), std::string::npos) << found.formula;
  EXPECT_NE(found.formula.find("(b"), std::string::npos) << found.formula;
  // named columns are the only ones
  const KernelSearch named = search("y ~ ?(a)", columns, {.max_depth = 1});
  EXPECT_EQ(named.formula.find("(b"), std::string::npos);
}
TEST(kernel_search, is_the_same_for_any_number_of_threads) {
  const NamedColumns columns = season(1.0, 0.0, 0.3, 95);
  const KernelSearch one = search("y ~ ?", columns, {.max_depth = 2, .num_threads = 1}),
                     two = search("y ~ ?", columns, {.max_depth = 2, .num_threads = 3});
  ASSERT_EQ(one.steps.size(), two.steps.size());
  for (std::size_t k = 0; k < one.steps.size(); ++k) {
    EXPECT_EQ(one.steps[k].formula, two.steps[k].formula);
    EXPECT_EQ(one.steps[k].score, two.steps[k].score);
  }
}
// The evidence of noise alone, with a flat level: by its formula with n - 1 degrees of freedom.
TEST(kernel_search, starts_at_noise_alone) {
  const NamedColumns columns = season(0.0, 0.0, 0.5, 96);
  const std::vector<double>& y = columns.at("y");
  const auto n = static_cast<double>(y.size());
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double square = 0.0;
  for (const double v : y) square += (v - mean) * (v - mean);
  const double variance = square / (n - 1.0);
  const double expected =
      -0.5 * (n - 1.0) * (std::log(2.0 * std::numbers::pi * variance) + 1.0) - 0.5 * std::log(n);
  EXPECT_NEAR(search("y ~ ?", columns, {.max_depth = 1}).steps[0].evidence, expected, 1e-8);
}
// A stated noise isn't estimated, and costs nothing.
TEST(kernel_search, takes_the_noise_that_is_stated) {
  const NamedColumns columns = season(0.0, 0.0, 0.5, 97);
  const std::vector<double>& y = columns.at("y");
  const auto n = static_cast<double>(y.size());
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / n, noise = 0.7;
  double square = 0.0;
  for (const double v : y) square += (v - mean) * (v - mean);
  const double expected = -0.5 * (n - 1.0) * std::log(2.0 * std::numbers::pi * noise * noise) -
                          0.5 * square / (noise * noise) - 0.5 * std::log(n);
  const KernelSearch found = search("y ~ ?", columns, {.max_depth = 1}, noise);
  EXPECT_NEAR(found.steps[0].evidence, expected, 1e-8);
  EXPECT_EQ(found.steps[0].score, found.steps[0].evidence);
}
// The outcome would explain itself.
TEST(kernel_search, leaves_the_columns_of_the_outcome_out) {
  NamedColumns columns = season(0.5, 0.0, 0.3, 98);
  for (double& y : columns["y"]) y = std::exp(0.3 * y);
  for (const char* formula : {"log(y) ~ ?", "  y ~ ?", "`y` ~ ?"}) {
    const KernelSearch found = search(formula, columns, {.max_depth = 1});
    ASSERT_FALSE(found.formula.empty()) << formula;
    EXPECT_EQ(found.formula.find("(y", found.formula.find('~')), std::string::npos)
        << found.formula;
  }
  EXPECT_THROW(search("log(y) ~ ?(t, y)", columns), Error);
}
TEST(kernel_search, stands_alone_in_the_place_of_the_kernels) {
  const NamedColumns columns = season(0.5, 0.0, 0.3, 99);
  for (const char* formula : {"y ~ se(t) + ?(t)", "y ~ ?(t) + noise", "y ~ (?)", "y ~ 2 * ?",
                              "y ~ ?(t = t)", "y ~ ?(t + 1)"})
    EXPECT_THROW(search(formula, columns), Error) << formula;
  EXPECT_TRUE(asks_for_kernel("y ~ 1 + `x?` | ?"));
  EXPECT_FALSE(asks_for_kernel("y ~ se(`more?`)"));
}
// Without the rows that lack b, the scores of kernels of a are the same. The climbs end at 1e-5.
TEST(kernel_search, scores_all_kernels_on_the_same_rows) {
  Rng rng({.seed = testing::test_seed(100)});
  std::ostringstream all, complete;
  all.precision(17), complete.precision(17);
  all << "a,b,y\n", complete << "a,b,y\n";
  for (Index i = 0; i < 90; ++i) {
    const double a = rng.uniform(0.0, 6.0), b = rng.uniform(0.0, 6.0),
                 y = std::sin(a) + 0.2 * rng.normal();
    if (i < 40) {
      all << a << ",NA," << y << "\n";
      continue;
    }
    for (std::ostringstream* text : {&all, &complete}) *text << a << "," << b << "," << y << "\n";
  }
  const KernelSearch found = search_text("y ~ ?", all.str(), {.max_depth = 1}),
                     expected = search_text("y ~ ?", complete.str(), {.max_depth = 1});
  EXPECT_EQ(found.num_rows, 50);
  ASSERT_EQ(found.formula, expected.formula);
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_NEAR(found.steps[1].evidence, expected.steps[1].evidence, 1e-3);
}

}  // namespace
}  // namespace credo::models::gp_search_test
