// Columns that are made of other rows, measured with errors or have missing cells: densities against their definitions, predictions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/regression_model.hpp"

namespace credo::cli::regression_columns_test {
namespace {
using testing::regression_model;

constexpr const char* kTable =
    "y,x,t,g,s,n\n2.1,1,3,b,0.5,3\n1.4,2,1,a,0.3,1\n3.9,0,2,b,0.2,0\n0.7,3,2,a,0.7,4\n2.8,1,1,b,0."
    "5,2\n"
    "1.9,5,3,a,0.4,2\n";
constexpr std::array<double, 6> kY{2.1, 1.4, 3.9, 0.7, 2.8, 1.9}, kX{1, 2, 0, 3, 1, 5},
    kS{0.5, 0.3, 0.2, 0.7, 0.5, 0.4};
constexpr double kRounding = 1e-12;  // some 30 terms of size 10

double log_normal(double y, double mu, double sigma) {
  const double z = (y - mu) / sigma;
  return -0.5 * z * z - std::log(sigma) - 0.5 * std::log(2.0 * std::numbers::pi);
}

// The column of a lag at each row, and which rows have one.
struct LagCase {
  std::string formula;
  std::array<int, 6> before;  // -1: none
  bool is_difference = false;
};

// A row without an earlier one has its own value in the mean of the column, and no part in the likelihood.
TEST(regression_lags, take_the_rows_that_are_before) {
  for (const LagCase& one :
       {LagCase{"y ~ lag(x)", {-1, 0, 1, 2, 3, 4}}, LagCase{"y ~ lag(x, 2)", {-1, -1, 0, 1, 2, 3}},
        LagCase{"y ~ lag(x, k = 1, gr = g)", {-1, -1, 0, 1, 2, 3}},
        LagCase{"y ~ lag(x, time = t, gr = g)", {2, -1, 4, 1, -1, 3}},
        LagCase{"y ~ lag(x, 2, time = t, gr = g)", {4, -1, -1, -1, -1, 1}},
        LagCase{"y ~ diff(x, time = t, gr = g)", {2, -1, 4, 1, -1, 3}, true}}) {
    SCOPED_TRACE(one.formula);
    const auto made = regression_model(one.formula, {{"t.csv", kTable}});
    ASSERT_EQ(made.faults, "");
    std::array<double, 6> column{};
    double mean = 0.0;
    for (std::size_t n = 0; n < 6; ++n) {
      const double earlier =
          one.before[n] < 0 ? kX[n] : kX[static_cast<std::size_t>(one.before[n])];
      column[n] = one.is_difference ? kX[n] - earlier : earlier;
      mean += column[n] / 6.0;
    }
    double defined = std::log(1.3), shifted = defined;
    for (std::size_t n = 0; n < 6; ++n)
      if (one.before[n] >= 0) {
        defined += log_normal(kY[n], 2.0 + 0.4 * (column[n] - mean), 1.3);
        shifted += log_normal(kY[n], 2.0 + 0.4 * (kX[n] - mean), 1.3);  // the row's own value
      }
    const std::string b = table_names(made.regression)[1].first;
    const double found =
        made.log_density({{"intercept", {2.0}}, {b, {0.4}}, {"sigma", {std::log(1.3)}}});
    EXPECT_NEAR(found, defined, kRounding) << made.regression.program;
    EXPECT_GT(std::abs(found - shifted), 1e-3);
    EXPECT_EQ(made.regression.num_without_earlier, std::ranges::count(one.before, -1));
    EXPECT_NE(words_of(made.regression).find("without an earlier row"), std::string::npos);
  }
}

TEST(regression_lags, of_the_outcome_and_of_counts_have_their_densities) {
  const auto own = regression_model("y ~ 0 + lag(y) + lag(log(y), 2)", {{"t.csv", kTable}});
  ASSERT_EQ(own.faults, "");
  double defined = std::log(1.3);
  for (std::size_t n = 2; n < 6; ++n)
    defined += log_normal(kY[n], 0.4 * kY[n - 1] - 0.2 * std::log(kY[n - 2]), 1.3);
  const auto names = table_names(own.regression);
  EXPECT_NEAR(own.log_density(
                  {{names[0].first, {0.4}}, {names[1].first, {-0.2}}, {"sigma", {std::log(1.3)}}}),
              defined, kRounding);
  const auto counts = regression_model("n | weights(s) ~ 0 + lag(x)", {{"t.csv", kTable}},
                                       {.formula = {}, .family = "poisson", .preset = "flat"});
  ASSERT_EQ(counts.faults, "");
  constexpr std::array<int, 6> kN{3, 1, 0, 4, 2, 2};
  double sum = 0.0;
  for (std::size_t n = 1; n < 6; ++n) {
    const double eta = 0.3 * kX[n - 1];
    sum += kS[n] * (kN[n] * eta - std::exp(eta) - std::lgamma(kN[n] + 1.0));
  }
  EXPECT_NEAR(counts.log_density({{table_names(counts.regression)[0].first, {0.3}}}), sum,
              kRounding);
}

TEST(regression_lags, refuse_what_makes_no_sense) {
  const auto expect = [](const std::string& formula, const std::string& part,
                         const std::string& table = kTable, const std::string& missing = "") {
    models::RegressionRequest request{.formula = {}, .preset = "flat"};
    request.data.missing = missing;
    const auto made = regression_model(formula, {{"t.csv", table}}, request);
    EXPECT_NE(made.faults.find(part), made.faults.npos) << formula << "\n" << made.faults;
  };
  expect("y ~ lag(x, 0)", "lag() has other arguments");
  expect("y ~ lag(x, 9)", "no row has all the earlier rows");
  expect("y ~ lag(x, time = t)", "rows 2 and 5 have one time, t = 1");
  expect("y ~ lag(g)", "g has texts");
  expect("y ~ lag(x)", "1 row was left out, so that lag() and diff() would step over it",
         "y,x\n1,2\n2,\n3,4\n4,4\n", "drop");
  expect("y ~ cosine(lag(x))", "there is no function cosine()");
}

// ---- measured columns
TEST(regression_measurements, have_the_density_of_their_true_values) {
  const auto made = regression_model("y ~ me(x, s)", {{"t.csv", kTable}});
  ASSERT_EQ(made.faults, "");
  const std::vector<double> z{0.1, -0.4, 0.8, 1.2, -0.9, 0.3};
  constexpr double mean = 1.8, sd = 1.4, b = 0.6;
  double defined = std::log(1.3) + std::log(sd), without = defined;
  for (std::size_t n = 0; n < 6; ++n) {
    const double latent = mean + sd * z[n],
                 own = log_normal(z[n], 0.0, 1.0) + log_normal(kX[n], latent, kS[n]);
    defined += own + log_normal(kY[n], 2.0 + b * latent, 1.3);
    without += own + log_normal(kY[n], 2.0 + b * kX[n], 1.3);  // the outcome by the measurement
  }
  const double found = made.log_density({{"intercept", {2.0}},
                                         {"sigma", {std::log(1.3)}},
                                         {"b_me_x", {b}},
                                         {"mean_me_x", {mean}},
                                         {"sd_me_x", {std::log(sd)}},
                                         {"z_me_x", z}});
  EXPECT_NEAR(found, defined, kRounding);
  EXPECT_GT(std::abs(found - without), 1e-2);
  const auto faults = [](const std::string& formula, const std::string& table = kTable) {
    return regression_model(formula, {{"t.csv", table}}).faults;
  };
  EXPECT_NE(faults("y ~ me(x)").find("me() is of a column and of the column"), std::string::npos);
  EXPECT_NE(faults("y ~ me(s, x)").find("t.csv:4: x is 0 in row 3"), std::string::npos)
      << faults("y ~ me(s, x)");
}

// ---- missing cells
constexpr const char* kGaps =
    "y,x,z,w\n2.1,1,3,1\n1.4,,1,2\n3.9,0,2,\n0.7,3,2,0\n2.8,,1,5\n1.9,5,3,2\n";

TEST(regression_missing, are_parameters_with_the_density_of_their_part) {
  const auto made = regression_model("y ~ mi(x); x | mi() ~ z", {{"t.csv", kGaps}});
  ASSERT_EQ(made.faults, "");
  constexpr std::array<double, 6> kZ{3, 1, 2, 2, 1, 3};
  const std::array<double, 6> x{1, 0.7, 0, 3, -0.6, 5};
  double defined = std::log(1.3) + std::log(0.8), seen = defined;
  for (std::size_t n = 0; n < 6; ++n) {
    const double own = log_normal(x[n], 1.1 + 0.4 * (kZ[n] - 2.0), 0.8);
    defined += log_normal(kY[n], 2.0 + 0.6 * x[n], 1.3) + own;
    seen += log_normal(kY[n], 2.0 + 0.6 * x[n], 1.3) + (n == 1 || n == 4 ? 0.0 : own);
  }
  const std::map<std::string, std::vector<double>> at{
      {"intercept", {2.0}},    {"sigma", {std::log(1.3)}}, {"b_mi_x", {0.6}},
      {"intercept_x", {1.1}},  {"b_x_z", {0.4}},           {"sigma_x", {std::log(0.8)}},
      {"value_x", {0.7, -0.6}}};
  EXPECT_NEAR(made.log_density(at), defined, kRounding) << made.regression.program;
  EXPECT_GT(std::abs(made.log_density(at) - seen), 1e-2);  // the part of seen cells alone
  EXPECT_NE(words_of(made.regression).find("mi(x): 2 of 6 cells are missing and parameters"),
            std::string::npos);
  // --missing drop leaves out rows for other columns, and keeps those of x.
  models::RegressionRequest request{.formula = {}, .preset = "flat"};
  request.data.missing = "drop";
  const auto fewer = regression_model("y ~ mi(x) + w; x | mi() ~ z", {{"t.csv", kGaps}}, request);
  ASSERT_EQ(fewer.faults, "");
  EXPECT_EQ(fewer.regression.num_rows, 5);
  EXPECT_EQ(fewer.regression.missing[0].number, 2);
  EXPECT_EQ(fewer.regression.num_dropped, 1);
  const auto both =
      regression_model("y ~ mi(x) + mi(w); x | mi() ~ mi(w); w | mi() ~ 1", {{"t.csv", kGaps}});
  EXPECT_EQ(both.faults, "");
}

TEST(regression_missing, refuse_what_makes_no_sense) {
  const auto expect = [](const std::string& formula, const std::string& part) {
    const auto made = regression_model(formula, {{"t.csv", kGaps}});
    EXPECT_NE(made.faults.find(part), made.faults.npos) << formula << "\n" << made.faults;
  };
  expect("y ~ mi(x)", "nothing says how x varies where it is missing");
  expect("y ~ mi(x) + z; x | mi() ~ w", "1 of 6 rows have no value in w (1)");
  expect("y ~ mi(x); w | mi() ~ mi(x); x | mi() ~ mi(w)", "w stands in a part behind its own");
  expect("y ~ mi(x); x | mi() ~ 1; x | mi() ~ z", "x has two formulas");
  expect("y ~ mi(x) + x; x | mi() ~ z", "2 of 6 rows have no value in x (2)");
}

class ColumnRuns : public testing::CommandRun {
 protected:
  ColumnRuns() : CommandRun("column_runs") {}
  struct Figure {
    double mean = kNaN, sd = kNaN;
  };
  static std::map<std::string, Figure> figures(const testing::Json& rows) {
    std::map<std::string, Figure> all;
    for (const testing::Json& row : rows.items)
      all[row.at("name").text] = {row.at("mean").value(), row.at("sd").value()};
    return all;
  }
  std::map<std::string, Figure> predicted(std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", at("fit.nc"), "--seed", "3"});
    return figures(json(more));
  }
  void fit(const std::string& formula, const std::string& table) {
    write("t.csv", table);
    ASSERT_EQ(run({"regression", formula, "--data", at("t.csv"), "--seed", "1", "--quiet", "-o",
                   at("fit.nc")}) &
                  ~8,
              0)
        << said();
  }
};

// 60 rows of three series, whose times fall from row to row.
std::string row_of(int n) {
  return fmt::format("{},{},s{},{}\n", std::cos(2.3 * n), 100 - n, n % 3, 0.2 + 0.1 * (n % 4));
}
std::string long_table() {
  std::string text = "y,x,t,g,s\n";
  for (int n = 0; n < 60; ++n)
    text += fmt::format("{},", 2.0 + std::sin(1.7 * n) + 0.1 * n) + row_of(n);
  return text;
}

// A row with the rows before it has the prediction that it has within the table; rows that have none before them have none.
TEST_F(ColumnRuns, predict_rows_with_the_rows_before_them) {
  fit("y ~ lag(x, time = t, gr = g) + diff(x, 2, gr = g)", long_table());
  const auto whole = predicted({"--scale", "linear"});
  std::string rows = "x,t,g,s\n";
  for (int n = 48; n < 60; ++n) rows += row_of(n);
  write("part.csv", rows);
  const auto part = predicted({"--data", at("part.csv"), "--scale", "linear"});
  EXPECT_NE(said().find("9 rows have no earlier row in this table"), std::string::npos) << said();
  for (int n = 48; n < 60;
       ++n) {  // the one before in time is row n + 3, two before in the table is n - 6
    const double found = part.at(fmt::format("linear.{}", n - 47)).mean;
    if (n < 54 || n > 56) {
      EXPECT_TRUE(std::isnan(found)) << n;
      continue;
    }
    const double expected = whole.at(fmt::format("linear.{}", n + 1)).mean;
    EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected));
  }
}

// Given the fit's parameters, true values of a row are normal with the mean m + k (x - m) and the sd s sqrt(1 - k), k = s^2 / (s^2 + e^2).
TEST_F(ColumnRuns, draw_true_values_of_measured_rows) {
  fit("y ~ me(x, s)", long_table());
  write("new.csv", "x,s\n0.3,0.0001\n0.3,100\n");
  const auto rows = predicted({"--data", at("new.csv"), "--scale", "linear"});
  const auto all = figures(json({"summary", at("fit.nc")}));
  // A measurement without errors is the true value; one with large errors says nothing.
  const double a = all.at("intercept").mean, b = all.at("b_me_x").mean;
  const double error = 4.0 * std::hypot(all.at("intercept").sd, all.at("b_me_x").sd) / 20.0;
  EXPECT_NEAR(rows.at("linear.1").mean, a + 0.3 * b, error);
  EXPECT_GT(rows.at("linear.2").sd, rows.at("linear.1").sd);
}

// Rows whose x is missing at random are as good as those that have it for the coefficient of w; the draws of the missing cells have the
// distribution that the part of x and the outcome give them.
TEST_F(ColumnRuns, fill_missing_cells) {
  std::string table = "y,x,z\n";
  std::vector<double> truth;
  for (int n = 0; n < 80; ++n) {
    const double z = std::sin(1.7 * n), x = 1.0 + 0.8 * z + 0.3 * std::cos(2.9 * n);
    truth.push_back(x);
    table += fmt::format("{},{},{}\n", 2.0 + 1.5 * x + 0.05 * std::sin(5.1 * n),
                         n % 4 == 1 ? std::string() : fmt::format("{}", x), z);
  }
  fit("y ~ mi(x); x | mi() ~ z", table);
  const auto all = figures(json({"summary", at("fit.nc")}));
  int k = 0;
  for (int n = 1; n < 80; n += 4) {
    const Figure& value = all.at(fmt::format("value_x.{}", ++k));
    EXPECT_NEAR(value.mean, truth[static_cast<std::size_t>(n)], 5.0 * value.sd) << n;
    EXPECT_LT(value.sd,
              0.06);  // the outcome's sd of 0.036 over the slope 1.5, and the slope's own error
  }
  write("new.csv", "x,z\n1.5,0\n,0\n,1\n");
  const auto rows = predicted({"--data", at("new.csv"), "--scale", "linear"});
  // Monte Carlo errors of 4,000 draws, whose sd is 0.3 or less for a drawn cell.
  EXPECT_NEAR(rows.at("linear.1").mean, 2.0 + 1.5 * 1.5, 0.03);
  EXPECT_NEAR(rows.at("linear.2").mean,
              all.at("intercept").mean + all.at("b_mi_x").mean * all.at("intercept_x_at_zero").mean,
              0.03);
  EXPECT_NEAR(rows.at("linear.3").mean - rows.at("linear.2").mean,
              all.at("b_mi_x").mean * all.at("b_x_z").mean, 0.04);
  EXPECT_NE(said().find("x is missing in 2 rows"), std::string::npos) << said();
}
}  // namespace
}  // namespace credo::cli::regression_columns_test
