// Groupings with options, gr() and mm(): densities against their definitions, predictions of a row alone, faults of tables and files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/regression_model.hpp"

namespace credo::cli::regression_groupings_test {
namespace {
using testing::regression_model;

constexpr const char* kTable =
    "y,x,g,h,b,w,v\n"
    "1.5,1,p,q,A,1,3\n"
    "2.0,2,q,r,B,2,2\n"
    "2.5,3,r,p,A,0.5,0.5\n"
    "4.5,4,p,r,A,1,0\n"
    "5.0,5,q,q,B,3,1\n"
    "3.0,6,r,s,A,2,6\n";
constexpr std::array<double, 6> kY{1.5, 2.0, 2.5, 4.5, 5.0, 3.0}, kX{1, 2, 3, 4, 5, 6};
constexpr std::array<int, 6> kG{0, 1, 2, 0, 1, 2}, kH{1, 2, 0, 2, 1, 3};
constexpr std::array<double, 6> kW{1, 2, 0.5, 1, 3, 2}, kV{3, 2, 0.5, 0, 1, 6};

double log_normal(double y, double mu, double sigma) {
  const double z = (y - mu) / sigma;
  return -0.5 * z * z - std::log(sigma) - 0.5 * std::log(2.0 * std::numbers::pi);
}
double sum_of_rows(const std::function<double(std::size_t)>& mu, double sigma) {
  double sum = 0.0;
  for (std::size_t n = 0; n < kY.size(); ++n) sum += log_normal(kY[n], mu(n), sigma);
  return sum;
}
double sum_of_standard(const std::vector<double>& z) {
  double sum = 0.0;
  for (const double v : z) sum += log_normal(v, 0.0, 1.0);
  return sum;
}

// Rounding of some 30 terms of size 10.
constexpr double kRounding = 1e-12;

TEST(regression_groupings, have_an_sd_for_each_level_of_another_column) {
  const auto made = regression_model("y ~ 1 + (1 | gr(g, by = b))", {{"t.csv", kTable}});
  ASSERT_EQ(made.faults, "");
  const std::vector<double> z{0.7, -1.1, 0.4};
  const std::array<double, 3> sd{0.5, 1.7, 0.5};  // levels p and r are in A, q is not
  const double found = made.log_density({{"intercept", {2.0}},
                                         {"sigma", {std::log(1.3)}},
                                         {"sd_g", {std::log(0.5), std::log(1.7)}},
                                         {"z_g", z}});
  const double jacobian = std::log(1.3) + std::log(0.5) + std::log(1.7);
  const auto mu = [&](std::size_t n) {
    const auto g = static_cast<std::size_t>(kG[n]);
    return 2.0 + sd[g] * z[g];
  };
  EXPECT_NEAR(found, sum_of_rows(mu, 1.3) + sum_of_standard(z) + jacobian, kRounding);
  const auto one_sd = [&](std::size_t n) { return 2.0 + 0.5 * z[static_cast<std::size_t>(kG[n])]; };
  EXPECT_GT(std::abs(found - sum_of_rows(one_sd, 1.3) - sum_of_standard(z) - jacobian), 0.1);
  const auto names = table_names(made.regression);
  EXPECT_EQ(names[2], (std::pair<std::string, std::string>("sd_g.2", "sd(g, intercept:bB)")));
}

TEST(regression_groupings, have_correlations_for_each_level_of_another_column) {
  const auto made = regression_model("y ~ 1 + (x | gr(g, by = b))", {{"t.csv", kTable}});
  ASSERT_EQ(made.faults, "");
  // Columns of z are groups; a root with the correlation tanh(c) for each level.
  const std::vector<double> z{0.7, -1.1, 0.4, 0.3, -0.2, 0.9};
  const std::array<std::array<double, 2>, 2> sd{{{0.5, 0.2}, {1.7, 0.9}}};  // by level, then column
  const std::array<double, 2> c{0.4, -0.6};
  const double found =
      made.log_density({{"intercept", {2.0}},
                        {"sigma", {std::log(1.3)}},
                        {"sd_g", {std::log(0.5), std::log(0.2), std::log(1.7), std::log(0.9)}},
                        {"L_g", {c[0], c[1]}},
                        {"z_g", z}});
  double jacobian = std::log(1.3) + std::log(0.5 * 0.2 * 1.7 * 0.9);
  for (const double one : c) jacobian += std::log1p(-std::tanh(one) * std::tanh(one));
  const auto mu = [&](std::size_t n) {
    const auto g = static_cast<std::size_t>(kG[n]);
    const std::size_t level = g == 1 ? 1 : 0;
    const double r = std::tanh(c[level]), first = z[2 * g], second = z[2 * g + 1];
    return 2.0 + sd[level][0] * first +
           sd[level][1] * (r * first + std::sqrt(1.0 - r * r) * second) * kX[n];
  };
  EXPECT_NEAR(found, sum_of_rows(mu, 1.3) + sum_of_standard(z) + jacobian, kRounding);
}

TEST(regression_groupings, have_effects_of_a_student_distribution) {
  const auto made =
      regression_model("y ~ 1 + (1 | gr(g, dist = \"student\"))", {{"t.csv", kTable}});
  ASSERT_EQ(made.faults, "");
  const std::vector<double> z{0.7, -1.1, 0.4};
  constexpr double kDf = 4.0;
  const std::array<double, 3> mix{0.3, 0.1, 0.6};
  const double found =
      made.log_density({{"intercept", {2.0}},
                        {"sigma", {std::log(1.3)}},
                        {"sd_g", {std::log(0.5)}},
                        {"df_g", {std::log(kDf - 1.0)}},
                        {"mix_g", {std::log(mix[0]), std::log(mix[1]), std::log(mix[2])}},
                        {"z_g", z}});
  double rest = std::log(1.3) + std::log(0.5) + std::log(kDf - 1.0) + sum_of_standard(z);
  for (const double m : mix)  // inverse chi-squared, and the Jacobian
    rest += -0.5 * kDf * std::log(2.0) - std::lgamma(0.5 * kDf) - (0.5 * kDf + 1.0) * std::log(m) -
            0.5 / m + std::log(m);
  const auto mu = [&](std::size_t n) {
    const auto g = static_cast<std::size_t>(kG[n]);
    return 2.0 + 0.5 * std::sqrt(kDf * mix[g]) * z[g];
  };
  EXPECT_NEAR(found, sum_of_rows(mu, 1.3) + rest, kRounding);
}

// Names of the matrix stand in another order than the levels of the table, and columns in another one than rows.
constexpr const char* kCovariance =
    ",q,p,r,other\nr,0.3,0.1,1.5,0\nq,2.0,0.5,0.3,0\np,0.5,1.0,0.1,0\nother,0,0,0,1\n";

TEST(regression_groupings, have_a_covariance_between_levels_that_are_found_by_name) {
  const testing::Files files{{"t.csv", kTable}, {"A.csv", kCovariance}};
  const auto made = regression_model("y ~ 1 + (1 | gr(g, cov = \"A.csv\"))", files);
  ASSERT_EQ(made.faults, "");
  const std::vector<double> z{0.7, -1.1, 0.4};
  // The lower root of [1 0.5 0.1; 0.5 2 0.3; 0.1 0.3 1.5], levels p, q, r.
  const double l22 = std::sqrt(2.0 - 0.25), l32 = (0.3 - 0.05) / l22,
               l33 = std::sqrt(1.5 - 0.01 - l32 * l32);
  const std::array<double, 3> r{z[0], 0.5 * z[0] + l22 * z[1],
                                0.1 * z[0] + l32 * z[1] + l33 * z[2]};
  const double found = made.log_density(
      {{"intercept", {2.0}}, {"sigma", {std::log(1.3)}}, {"sd_g", {std::log(0.5)}}, {"z_g", z}});
  const auto mu = [&](std::size_t n) { return 2.0 + 0.5 * r[static_cast<std::size_t>(kG[n])]; };
  const double rest = sum_of_standard(z) + std::log(1.3) + std::log(0.5);
  EXPECT_NEAR(found, sum_of_rows(mu, 1.3) + rest, kRounding);
  const std::array<std::size_t, 3> by_position{2, 1, 0};
  const auto shifted = [&](std::size_t n) {
    return 2.0 + 0.5 * r[by_position[static_cast<std::size_t>(kG[n])]];
  };
  EXPECT_GT(std::abs(found - sum_of_rows(shifted, 1.3) - rest), 0.01);
}

TEST(regression_groupings, have_a_matrix_of_effects_between_levels) {
  const testing::Files files{{"t.csv", kTable}, {"A.csv", kCovariance}};
  const auto made = regression_model("y ~ 1 + (x || gr(g, cov = \"A.csv\"))", files);
  ASSERT_EQ(made.faults, "");
  const std::vector<double> z{0.7, -1.1, 0.4, 0.3, -0.2, 0.9};
  const double l22 = std::sqrt(2.0 - 0.25), l32 = (0.3 - 0.05) / l22,
               l33 = std::sqrt(1.5 - 0.01 - l32 * l32);
  const auto effect = [&](std::size_t column, std::size_t g) {
    const double a = z[column], b = z[2 + column], c = z[4 + column];
    return g == 0 ? a : g == 1 ? 0.5 * a + l22 * b : 0.1 * a + l32 * b + l33 * c;
  };
  const double found = made.log_density({{"intercept", {2.0}},
                                         {"sigma", {std::log(1.3)}},
                                         {"sd_g", {std::log(0.5), std::log(0.2)}},
                                         {"z_g", z}});
  const auto mu = [&](std::size_t n) {
    const auto g = static_cast<std::size_t>(kG[n]);
    return 2.0 + 0.5 * effect(0, g) + 0.2 * effect(1, g) * kX[n];
  };
  EXPECT_NEAR(found,
              sum_of_rows(mu, 1.3) + sum_of_standard(z) + std::log(1.3) + std::log(0.5 * 0.2),
              kRounding);
}

// The groups are p, q, r and s, of which no row of g has the last one.
TEST(regression_groupings, have_members_of_several_groups) {
  const std::vector<double> z{0.7, -1.1, 0.4, 0.2};
  struct Case {
    std::string formula;
    std::function<double(std::size_t)> first, second;
  };
  const std::vector<Case> cases{
      {"y ~ 1 + (1 | mm(g, h))", [](std::size_t) { return 0.5; }, [](std::size_t) { return 0.5; }},
      {"y ~ 1 + (1 | mm(g, h, weights = c(w, v)))",
       [](std::size_t n) { return kW[n] / (kW[n] + kV[n]); },
       [](std::size_t n) { return kV[n] / (kW[n] + kV[n]); }},
      {"y ~ 1 + (1 | mm(g, h, weights = cbind(w, 2 * v), scale = FALSE))",
       [](std::size_t n) { return kW[n]; }, [](std::size_t n) { return 2.0 * kV[n]; }}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.formula);
    const auto made = regression_model(one.formula, {{"t.csv", kTable}});
    ASSERT_EQ(made.faults, "");
    const double found = made.log_density({{"intercept", {2.0}},
                                           {"sigma", {std::log(1.3)}},
                                           {"sd_g_h", {std::log(0.5)}},
                                           {"z_g_h", z}});
    const auto mu = [&](std::size_t n) {
      return 2.0 + 0.5 * (one.first(n) * z[static_cast<std::size_t>(kG[n])] +
                          one.second(n) * z[static_cast<std::size_t>(kH[n])]);
    };
    const double rest = sum_of_standard(z) + std::log(1.3) + std::log(0.5);
    EXPECT_NEAR(found, sum_of_rows(mu, 1.3) + rest, kRounding);
    const auto of_first = [&](std::size_t n) {
      return 2.0 + 0.5 * z[static_cast<std::size_t>(kG[n])];
    };
    EXPECT_GT(std::abs(found - sum_of_rows(of_first, 1.3) - rest), 1e-3);
  }
  const auto slopes = regression_model("y ~ 1 + (x || mm(g, h))", {{"t.csv", kTable}});
  EXPECT_EQ(slopes.faults, "");
}

// Parameters by which the sds of rstanarm's prior are computed are declared.
TEST(regression_groupings, have_programs_with_the_prior_of_rstanarm) {
  for (const char* formula : {"y ~ x + (x | g)", "y ~ x + (1 | g)", "y ~ x + (1 | mm(g, h))"})
    EXPECT_EQ(regression_model(formula, {{"t.csv", kTable}}, {.formula = {}, .preset = "rstanarm"})
                  .faults,
              "");
}

TEST(regression_groupings, refuse_what_makes_no_sense) {
  const auto expect = [](const std::string& formula, const std::string& part,
                         const std::string& file = kCovariance) {
    const auto made = regression_model(formula, {{"t.csv", kTable}, {"A.csv", file}});
    EXPECT_NE(made.faults.find(part), made.faults.npos) << formula << "\n" << made.faults;
  };
  expect("y ~ (1 | gr(g, by = h))", "g p has h = r in row 4, and q in a row before");
  expect("y ~ (1 | gr(g, dist = \"cauchy\"))", "there are no effects of the distribution cauchy");
  expect("y ~ (1 | gr(g, to = b))", "gr() has no option to");
  expect("y ~ (1 | gr(g, h))", "gr() is of one group");
  expect("y ~ (1 | gr(g/h))", "g/h has several groups");
  expect("y ~ (1 | mm(g))", "mm() is of two or more columns");
  expect("y ~ (1 | mm(g, h, weights = w))", "mm() has a weight for each of its columns");
  expect("y ~ (1 | mm(g, h, weights = c(w, -1)))", "the weight -1 is -1 in row 1");
  expect("y ~ (1 | gr(h, cov = \"A.csv\"))", "A.csv has no row for 1 of the levels of h: s");
  expect("y ~ (1 | gr(g, cov = A))", "A isn't the name of a file, which stands in quotes");
  expect("y ~ (1 | gr(g, cov = \"A.csv\"))", "the matrix isn't symmetric: 0.5 for",
         ",p,q,r\np,1,0.4,0\nq,0.5,1,0\nr,0,0,1\n");
  expect("y ~ (1 | gr(g, cov = \"A.csv\"))", "it isn't positive definite",
         ",p,q,r\np,1,1,0\nq,1,1,0\nr,0,0,1\n");
  expect("y ~ (1 | gr(g, cov = \"A.csv\"))", "A.csv:3: 'b' in the column p is no number",
         ",p,q,r\np,1,0,0\nq,b,1,0\nr,0,0,1\n");
  expect("y ~ (1 | gr(g, cov = \"A.csv\"))", "A.csv has 2 rows of numbers and 3 columns",
         ",p,q,r\np,1,0,0\nq,0,1,0\n");
  expect("y ~ (1 | gr(g, cov = \"A.csv\"))", "the row 'r' has no column of this name",
         ",p,q,s\np,1,0,0\nq,0,1,0\nr,0,0,1\n");
  const auto centred = regression_model("y ~ (1 | gr(g, by = b))", {{"t.csv", kTable}},
                                        {.formula = {}, .preset = "flat", .centred = true});
  EXPECT_NE(centred.faults.find("leave --centred out"), centred.faults.npos) << centred.faults;
}

class GroupingRuns : public testing::CommandRun {
 protected:
  GroupingRuns() : CommandRun("grouping_runs") {}
  std::map<std::string, double> means(const std::vector<std::string>& more) {
    std::vector<std::string> words{"predict", at("fit.nc"), "--seed", "3", "--scale", "linear"};
    words.insert(words.end(), more.begin(), more.end());
    std::map<std::string, double> all;
    for (const testing::Json& row : json(words).items)
      all[row.at("name").text] = row.at("mean").number;
    return all;
  }
};

// 60 rows of 12 children in four schools, some of which change.
std::string pupils() {
  std::string text = "y,x,child,first,second,area,w1,w2\n";
  for (int n = 0; n < 60; ++n) {
    const int child = n % 12;
    text += fmt::format("{},{},c{},s{},s{},{},{},{}\n",
                        2.0 + std::sin(1.3 * n) + 0.7 * std::cos(2.1 * child), n % 7, child,
                        1 + child % 3, 1 + (child * 7 + n / 12) % 4,
                        child % 2 == 0 ? "north" : "south", 1 + n % 2, 1 + n % 3);
  }
  return text;
}

TEST_F(GroupingRuns, predict_a_row_alone_as_within_the_table) {
  write("t.csv", pupils());
  std::string matrix = "child";
  for (int k = 0; k < 12; ++k) matrix += fmt::format(",c{}", k);
  for (int k = 11; k >= 0; --k) {
    matrix += fmt::format("\nc{}", k);
    for (int j = 0; j < 12; ++j) matrix += fmt::format(",{}", std::pow(0.5, std::abs(k - j)));
  }
  write("A.csv", matrix + "\n");
  const std::string table = pupils();
  const std::size_t header = table.find('\n') + 1;
  for (const std::string& formula :
       {std::string(
            "y ~ x + (x | gr(child, by = area)) + (1 | mm(first, second, weights = c(w1, w2)))"),
        "y ~ (1 | gr(child, cov = \"" + at("A.csv") +
            "\")) + (1 | gr(first:area, dist = \"student\"))",
        std::string("y ~ (1 | gr(child, by = area, dist = \"student\"))")}) {
    SCOPED_TRACE(formula);
    ASSERT_EQ(run({"regression", formula, "--data", at("t.csv"), "--seed", "1", "--chains", "2",
                   "--warmup", "100", "--draws", "50", "--quiet", "-o", at("fit.nc")}) &
                  ~8,
              0)
        << said();
    const auto whole = means({});
    ASSERT_EQ(whole.size(), 60u);
    std::size_t begin = header;
    for (int k = 1; k <= 60; ++k) {
      const std::size_t end = table.find('\n', begin) + 1;
      if (k % 13 == 1) {
        write("one.csv", table.substr(0, header) + table.substr(begin, end - begin));
        const double expected = whole.at("linear." + std::to_string(k));
        EXPECT_NEAR(means({"--data", at("one.csv")}).at("linear.1"), expected,
                    1e-12 * std::max(1.0, std::abs(expected)))
            << k;
      }
      begin = end;
    }
  }
}

// Weights of a new table are checked as those of the fit are.
TEST_F(GroupingRuns, refuse_weights_of_a_new_table_that_make_no_sense) {
  write("t.csv", pupils());
  const auto fit = [&](const std::string& formula) {
    ASSERT_EQ(run({"regression", formula, "--data", at("t.csv"), "--seed", "1", "--chains", "1",
                   "--warmup", "100", "--draws", "20", "--quiet", "-o", at("fit.nc")}) &
                  ~8,
              0)
        << said();
  };
  const auto refused = [&](const std::string& rows) {
    write("new.csv", "first,second,w1,w2\n" + rows);
    return run({"predict", at("fit.nc"), "--data", at("new.csv")}) == 4 ? said() : std::string();
  };
  fit("y ~ 1 + (1 | mm(first, second, weights = c(w1, 2 * w2)))");
  EXPECT_NE(refused("s1,s2,1,2\ns1,s2,1,-2\n").find("the weight 2 * w2 is -4 in row 2"),
            std::string::npos)
      << said();
  EXPECT_NE(refused("s1,s2,0,0\n").find("all weights are 0 in row 1"), std::string::npos) << said();
  EXPECT_NE(refused("s1,s2,1,\n").find("w2 has no value in row 1"), std::string::npos) << said();
  EXPECT_EQ(refused("s1,s2,0,1\n"), "");
  fit("y ~ 1 + (1 | mm(first, second, weights = c(w1, w2), scale = FALSE))");
  EXPECT_EQ(refused("s1,s2,0,0\n"), "");
}

// The sds of new levels are those of their strata; a new level's effect is one in all columns.
TEST_F(GroupingRuns, draw_effects_of_new_levels) {
  write("t.csv", pupils());
  const auto fit = [&](const std::string& formula) {
    ASSERT_EQ(run({"regression", formula, "--data", at("t.csv"), "--seed", "1", "--quiet", "-o",
                   at("fit.nc")}) &
                  ~8,
              0)
        << said();
  };
  fit("y ~ 1 + (1 | mm(first, second))");
  write("new.csv", "first,second\ns9,s9\ns1,s9\ns9,s1\n");
  const auto members = means({"--data", at("new.csv")});
  EXPECT_EQ(members.at("linear.2"), members.at("linear.3"));
  EXPECT_NE(members.at("linear.1"), members.at("linear.2"));
  fit("y ~ 1 + (1 | gr(child, by = area))");
  write("new.csv", "child,area\nc0,south\n");
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("new.csv")}), 4);
  EXPECT_NE(said().find("child c0 has area = south in row 1, and north in the fit"),
            std::string::npos)
      << said();
  write("new.csv", "child,area\nnew,south\nnew,south\nc0,north\n");
  const auto drawn = means({"--data", at("new.csv")});
  EXPECT_EQ(drawn.at("linear.1"), drawn.at("linear.2"));
}
}  // namespace
}  // namespace credo::cli::regression_groupings_test
