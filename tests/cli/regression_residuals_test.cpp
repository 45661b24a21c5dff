// Residuals of rows that depend on each other, and fields of regions: densities against R's nlme and dense covariances, predictions, faults.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "numerics/linear_algebra/matrix.hpp"
#include "support/command_run.hpp"
#include "support/regression_model.hpp"

namespace credo::cli::regression_residuals_test {
namespace {
using numerics::DenseMatrix;
using testing::regression_model;

constexpr const char* kTable =
    "y,x,t,g\n2.1,1,3,b\n1.4,2,1,a\n3.9,0,2,c\n0.7,3,2,a\n2.8,1,4,b\n1.9,5,1,c\n"
    "4.4,2,1,b\n0.2,4,4,a\n3.3,2,3,c\n2.6,0,3,a\n1.1,3,2,b\n2.0,1,4,c\n";
constexpr std::array<double, 12> kY{2.1, 1.4, 3.9, 0.7, 2.8, 1.9, 4.4, 0.2, 3.3, 2.6, 1.1, 2.0},
    kX{1, 2, 0, 3, 1, 5, 2, 4, 2, 0, 3, 1};
constexpr double kMeanX = 2.0;

double log_normal(double y, double mu, double sigma) {
  const double z = (y - mu) / sigma;
  return -0.5 * z * z - std::log(sigma) - 0.5 * std::log(2.0 * std::numbers::pi);
}

// The log density of a normal vector with mean 0.
double log_density_of(const std::vector<double>& u, const DenseMatrix& covariance) {
  const DenseMatrix s = cholesky_root(covariance);  // upper, S' S
  double sum = 0.0;
  std::vector<double> z(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto row = static_cast<Index>(i);
    double rest = u[i];
    for (std::size_t j = 0; j < i; ++j) rest -= s(static_cast<Index>(j), row) * z[j];
    z[i] = rest / s(row, row);
    sum += log_normal(z[i], 0.0, 1.0) - std::log(s(row, row));
  }
  return sum;
}

std::map<std::string, std::vector<double>> at(double a, double b, double sigma) {
  return {{"intercept", {a + b * kMeanX}}, {"b_x", {b}}, {"sigma", {std::log(sigma)}}};
}
double value(const testing::RegressionModel& made, double a, double b, double sigma,
             const std::map<std::string, std::vector<double>>& more) {
  auto all = at(a, b, sigma);
  all.insert(more.begin(), more.end());
  return made.log_density(all) - std::log(sigma);
}

// R 4.2, nlme: coef, sigma and logLik of gls(y ~ x, correlation = corAR1(0.6, ~ t | g, fixed = TRUE), method = "ML"). There the first
// residual of a series has the variance of the process, here that of the errors. logLik has 15 digits.
TEST(regression_residuals, of_autoregressions_have_the_density_of_nlme) {
  const auto made = regression_model("y ~ x + ar(1, time = t, gr = g)", {{"t.csv", kTable}});
  ASSERT_EQ(made.faults, "");
  constexpr double a = 3.2605804033092, b = -0.495100827300931, sd = 1.21613480751748,
                   peer = -17.3671021027634;
  const double errors = sd * std::sqrt(1.0 - 0.36);
  double first = 0.0;
  for (const std::size_t n : {1, 6, 5}) {
    const double mu = a + b * kX[n];
    first += log_normal(kY[n], mu, sd) - log_normal(kY[n], mu, errors);
  }
  EXPECT_NEAR(value(made, a, b, errors, {{"ar", {0.6}}}) + first, peer, 1e-11);
  EXPECT_GT(std::abs(value(made, a, b, errors, {{"ar", {0.5}}}) + first - peer), 1e-3);
  const auto in_table_order = regression_model("y ~ x + ar(1, gr = g)", {{"t.csv", kTable}});
  EXPECT_GT(std::abs(value(in_table_order, a, b, errors, {{"ar", {0.6}}}) + first - peer), 1e-3);
}

// B u = A e with the coefficients below the diagonals of B and A, in the order of time: the covariance of u is
// sigma^2 B^-1 A A' B^-T.
TEST(regression_residuals, of_series_have_the_density_of_their_covariance) {
  struct Case {
    std::string formula;
    std::vector<double> ar, ma;
  };
  const std::array<std::size_t, 12> order{1, 3, 9, 7, 6, 10, 0, 4, 5, 2, 8, 11};  // a, b, c by time
  for (const Case& one : {Case{"y ~ x + ar(2, time = t, gr = g)", {0.5, -0.3}, {}},
                          Case{"y ~ x + ma(1, time = t, gr = g)", {}, {0.7}},
                          Case{"y ~ x + ma(q = 3, time = t, gr = g)", {}, {0.7, 0.2, -0.4}},
                          Case{"y ~ x + arma(2, 1, time = t, gr = g)", {0.5, -0.3}, {0.7}}}) {
    SCOPED_TRACE(one.formula);
    const auto made = regression_model(one.formula, {{"t.csv", kTable}});
    ASSERT_EQ(made.faults, "");
    DenseMatrix b(12), a(12), root(12);
    for (Index n = 0; n < 12; ++n) {
      b(n, n) = a(n, n) = 1.0;
      for (Index i = 1; i <= n % 4; ++i) {
        if (i <= ssize(one.ar)) b(n, n - i) = -one.ar[static_cast<std::size_t>(i - 1)];
        if (i <= ssize(one.ma)) a(n, n - i) = one.ma[static_cast<std::size_t>(i - 1)];
      }
    }
    for (Index c = 0; c < 12; ++c)  // B root = A
      for (Index n = 0; n < 12; ++n) {
        root(n, c) = a(n, c);
        for (Index j = 0; j < n; ++j) root(n, c) -= b(n, j) * root(j, c);
      }
    const DenseMatrix covariance = (0.9 * 0.9) * (root * transposed(root));
    std::vector<double> u;
    for (const std::size_t n : order) u.push_back(kY[n] - (3.0 - 0.4 * kX[n]));
    std::map<std::string, std::vector<double>> more;
    if (!one.ar.empty()) more["ar"] = one.ar;
    if (!one.ma.empty()) more["ma"] = one.ma;
    EXPECT_NEAR(value(made, 3.0, -0.4, 0.9, more), log_density_of(u, covariance), 1e-11);
    more.begin()->second[0] += 0.1;
    EXPECT_GT(std::abs(value(made, 3.0, -0.4, 0.9, more) - log_density_of(u, covariance)), 1e-3);
  }
}

// R 4.2, nlme: gls with corCompSymm(0.35, ~ 1 | g), and with corSymm(c(.5, .3, .1, .4, .2, .6), ~ t | g), both fixed.
TEST(regression_residuals, of_groups_have_the_density_of_nlme) {
  const auto cosy = regression_model("y ~ x + cosy(gr = g)", {{"t.csv", kTable}});
  ASSERT_EQ(cosy.faults, "");
  const double logit = std::log(0.35 / 0.65);
  EXPECT_NEAR(
      value(cosy, 3.06216730038023, -0.431083650190114, 1.07385723927935, {{"cosy", {logit}}}) -
          std::log(0.35 * 0.65),
      -17.0205837209321, 1e-11);
  const auto any = regression_model("y ~ x + unstr(t, g)", {{"t.csv", kTable}});
  ASSERT_EQ(any.faults, "");
  // Partial correlations of the matrix, row by row, as Stan's cholesky_factor_corr has them; the Jacobian by differences of two
  // points would be that of the map, so that the values are compared at two sds instead.
  DenseMatrix c(4);
  const std::array<double, 6> r{0.5, 0.3, 0.1, 0.4, 0.2, 0.6};  // 12, 13, 14, 23, 24, 34
  std::size_t k = 0;
  for (Index i = 0; i < 4; ++i) {
    c(i, i) = 1.0;
    for (Index j = i + 1; j < 4; ++j) c(i, j) = c(j, i) = r[k++];
  }
  const DenseMatrix s = cholesky_root(c);
  std::vector<double> free;
  for (Index i = 1; i < 4; ++i) {
    double left = 1.0;
    for (Index j = 0; j < i; ++j) {
      free.push_back(std::atanh(s(j, i) / std::sqrt(left)));
      left -= s(j, i) * s(j, i);
    }
  }
  constexpr double a = 3.23419001725266, b = -0.510588715229086, sd = 1.1738976160633;
  const auto defined = [&](double sigma) {
    double sum = 0.0;
    const std::array<std::array<std::size_t, 4>, 3> groups{
        {{1, 3, 9, 7}, {6, 10, 0, 4}, {5, 2, 8, 11}}};
    for (const auto& rows : groups) {
      std::vector<double> u;
      for (const std::size_t n : rows) u.push_back(kY[n] - (a + b * kX[n]));
      sum += log_density_of(u, (sigma * sigma) * c);
    }
    return sum;
  };
  EXPECT_NEAR(defined(sd), -17.5480061689216, 1e-11);
  const double difference =
      value(any, a, b, sd, {{"L_t", free}}) - value(any, a, b, 0.8, {{"L_t", free}});
  EXPECT_NEAR(difference, defined(sd) - defined(0.8), 1e-11);
  EXPECT_EQ(table_names(any.regression)[2].second, "cor(t, 1, 2)");
  EXPECT_EQ(regression_model("y ~ x * t + unstr(t, g)", {{"t.csv", kTable}}).faults, "");
}

// ---- fields of regions

// Two sets: a square with a diagonal, and a pair; i has no neighbour.
constexpr const char* kPairs = "from,to\np,q\nq,r\nr,s\ns,p\np,r\nv,w\nw,v\n";
constexpr const char* kIslands = "from,to\np,q\nq,r\nr,s\ns,p\np,r\nv,w\ni,\n";
constexpr const char* kRegions =
    "y,x,region\n1.5,1,r\n2,2,p\n2.5,3,s\n4,4,q\n5,5,w\n3,6,r\n1,7,v\n";
constexpr const char* kMatrix =
    "x,p,q,r,s,v,w\np,0,1,1,1,0,0\nr,1,1,0,1,0,0\nq,1,0,1,0,0,0\ns,1,0,1,0,0,0\nv,0,0,0,0,0,1\nw,0,"
    "0,0,0,1,0\n";

// Precision D - alpha W of p, q, r, s, v, w.
DenseMatrix precision_of(double alpha) {
  DenseMatrix q(6);
  const std::array<std::pair<Index, Index>, 6> pairs{
      {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}, {4, 5}}};
  for (const auto& [a, b] : pairs) {
    q(a, b) = q(b, a) = -alpha;
    q(a, a) += 1.0, q(b, b) += 1.0;
  }
  return q;
}

TEST(regression_fields, have_the_exact_density_of_a_proper_field) {
  for (const char* file : {kPairs, kMatrix}) {
    const auto made = regression_model("y ~ x + car(\"W.csv\", gr = region, type = \"escar\")",
                                       {{"t.csv", kRegions}, {"W.csv", file}});
    ASSERT_EQ(made.faults, "");
    constexpr double alpha = 0.8, sd = 0.6, sigma = 1.1;
    const std::map<std::string, double> r{{"p", 0.3}, {"q", -0.4}, {"r", 0.9},
                                          {"s", 0.1}, {"v", -0.7}, {"w", 0.2}};
    std::vector<double> effects, in_order;
    const std::vector<std::string> order =
        file == kPairs ? std::vector<std::string>{"p", "q", "r", "s", "v", "w"}
                       : std::vector<std::string>{"p", "r", "q", "s", "v", "w"};
    for (const std::string& name : order) effects.push_back(r.at(name) / sd);
    for (const auto& [name, effect] : r) in_order.push_back(effect);
    const double found = made.log_density({{"intercept", {2.0}},
                                           {"b_x", {0.2}},
                                           {"sigma", {std::log(sigma)}},
                                           {"sd_car_region", {std::log(sd)}},
                                           {"alpha_region", {std::log(alpha / (1 - alpha))}},
                                           {"z_car_region", effects}}) -
                         std::log(sigma) - std::log(sd) - std::log(alpha * (1 - alpha));
    // The density by the inverse of the precision.
    const DenseMatrix s = cholesky_root((1.0 / (sd * sd)) * precision_of(alpha)),
                      inverse = numerics::inverse_of_upper(s);
    double defined = log_density_of(in_order, inverse * transposed(inverse)) + 6.0 * std::log(sd);
    const DenseMatrix other = numerics::inverse_of_upper(
        cholesky_root((1.0 / (sd * sd)) * precision_of(0.7)));
    const double wrong = log_density_of(in_order, other * transposed(other)) -
                         log_density_of(in_order, inverse * transposed(inverse));
    const std::array<std::pair<const char*, double>, 7> rows{
        {{"r", 1.5}, {"p", 2}, {"s", 2.5}, {"q", 4}, {"w", 5}, {"r", 3}, {"v", 1}}};
    for (std::size_t n = 0; n < rows.size(); ++n)
      defined += log_normal(
          rows[n].second, 2.0 + 0.2 * (static_cast<double>(n) - 3.0) + r.at(rows[n].first), sigma);
    EXPECT_NEAR(found, defined, 1e-11);
    EXPECT_GT(std::abs(found - defined - wrong), 1e-3);  // another alpha
  }
}

DenseMatrix precision_of_none(Index n) {
  DenseMatrix identity(n);
  for (Index i = 0; i < n; ++i) identity(i, i) = 1.0;
  return identity;
}

// The covariance of the effects: from the program's root by unit vectors in the place of standard normals.
DenseMatrix covariance_of(const testing::RegressionModel& made, const std::string& z) {
  const auto& all = made.model->continuous();
  const auto variable = *all.find_variable(z);
  const Index size = all.first(variable + 1) - all.first(variable);
  DenseMatrix root(7, size);
  for (Index k = 0; k < size; ++k) {
    std::vector<double> unit(static_cast<std::size_t>(size), 0.0);
    unit[static_cast<std::size_t>(k)] = 1.0;
    const auto row = testing::outputs_at(made, {{z, unit}});
    for (Index i = 0; i < 7; ++i)
      root(i, k) = row.contains(fmt::format("r_car_region.{}", i + 1))
                       ? row.at(fmt::format("r_car_region.{}", i + 1))
                       : 0.0;
  }
  return root * transposed(root);
}

// The covariance C of an intrinsic field is the generalised inverse of Q: Q C Q = Q, and its rows have the sum 0.
TEST(regression_fields, have_the_covariance_of_an_intrinsic_field) {
  const auto made = regression_model("y ~ x + car(\"W.csv\", gr = region, type = \"icar\")",
                                     {{"t.csv", kRegions}, {"W.csv", kIslands}});
  ASSERT_EQ(made.faults, "");
  EXPECT_NE(
      words_of(made.regression).find("1 region has no neighbour and an independent effect: i"),
      std::string::npos);
  const DenseMatrix c = covariance_of(made, "z_car_region");  // at sd = exp(0)
  const DenseMatrix q = precision_of(1.0), field = block(c, 0, 0, 6, 6), same = q * field * q;
  for (Index i = 0; i < 6; ++i) {
    double first = 0.0, second = 0.0;
    for (Index j = 0; j < 6; ++j) {
      EXPECT_NEAR(same(i, j), q(i, j), 1e-13);
      if (i == j) {
        EXPECT_GT(std::abs(1.1 * same(i, j) - q(i, j)), 0.05);  // another size
      }
      (j < 4 ? first : second) += field(i, j);
      EXPECT_NEAR(c(6, j), 0.0, 1e-13);
    }
    EXPECT_NEAR(first, 0.0, 1e-13);
    EXPECT_NEAR(second, 0.0, 1e-13);
  }
  EXPECT_NEAR(c(6, 6), 1.0, 1e-13);
}

// With rho = 1/2 both parts have half of the variance. Those of a set of regions have the geometric mean 1.
TEST(regression_fields, have_a_field_of_unit_size_and_independent_effects) {
  const auto made = regression_model("y ~ x + car(\"W.csv\", gr = region, type = \"bym2\")",
                                     {{"t.csv", kRegions}, {"W.csv", kIslands}});
  ASSERT_EQ(made.faults, "");
  const DenseMatrix c = covariance_of(made, "z_car_region"),
                    v = covariance_of(made, "v_car_region"), q = precision_of(1.0);
  double square = 0.0, pair = 0.0;
  for (Index i = 0; i < 6; ++i) (i < 4 ? square : pair) += std::log(2.0 * c(i, i));
  EXPECT_NEAR(square, 0.0, 1e-12);
  EXPECT_NEAR(pair, 0.0, 1e-12);
  EXPECT_NEAR(c(6, 6), 0.5, 1e-13);
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 7; ++j) EXPECT_NEAR(v(i, j), i == j ? 0.5 : 0.0, 1e-13);
  // Each set is the intrinsic field but for its size.
  const DenseMatrix first = block(c, 0, 0, 4, 4), own = block(q, 0, 0, 4, 4),
                    same = own * first * own;
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j)
      EXPECT_NEAR(same(i, j) / same(0, 0), own(i, j) / own(0, 0), 1e-12);
}

// u = rho W u + e: the precision of u is (I - rho W)' (I - rho W) / sigma^2, with rows of W that have the sum 1.
TEST(regression_residuals, of_neighbours_have_the_density_of_their_precision) {
  constexpr const char* kRows = "y,x,region\n1.5,1,r\n2,2,p\n2.5,3,s\n4,4,q\n5,5,w\n1,7,v\n3,6,i\n";
  const auto made = regression_model("y ~ 0 + x + sar(\"W.csv\", gr = region)",
                                     {{"t.csv", kRows}, {"W.csv", kIslands}});
  ASSERT_EQ(made.faults, "");
  constexpr double rho = 0.4, sigma = 0.9, b = 0.7;
  const std::array<std::pair<double, double>, 7> rows{
      // y and x of p, q, r, s, v, w, i
      {{2, 2}, {4, 4}, {1.5, 1}, {2.5, 3}, {1, 7}, {5, 5}, {3, 6}}};
  const DenseMatrix q = precision_of(1.0);
  DenseMatrix system(7);
  system(6, 6) = 1.0;
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) system(i, j) = i == j ? 1.0 : rho * q(i, j) / q(i, i);
  const DenseMatrix s = cholesky_root((1.0 / (sigma * sigma)) * (transposed(system) * system)),
                    inverse = numerics::inverse_of_upper(s);
  std::vector<double> u;
  for (const auto& [y, x] : rows) u.push_back(y - b * x);
  // The least eigenvalue bounds rho: its Jacobian is that of the bounds in the program.
  const std::string& text = made.regression.program;
  const std::size_t at_bound = text.find("real<lower=-") + 11;
  const double low = std::stod(text.substr(at_bound)), share = (rho - low) / (1.0 - low);
  const double found = made.log_density({{"b_x", {b}},
                                         {"sigma", {std::log(sigma)}},
                                         {"rho_sar_region", {std::log(share / (1.0 - share))}}}) -
                       std::log(sigma) - std::log((1.0 - low) * share * (1.0 - share));
  EXPECT_NEAR(found, log_density_of(u, inverse * transposed(inverse)), 1e-11);
  EXPECT_GT(std::abs(found - log_density_of(u, (sigma * sigma) * precision_of_none(7))), 0.01);
}

// y = rho W y + x b + e: normal with the mean (I - rho W)^-1 x b, by the dense inverse, and the precision of the errors' case.
TEST(regression_residuals, of_lagged_neighbours_have_the_dense_normal_density) {
  constexpr const char* kRows = "y,x,region\n1.5,1,r\n2,2,p\n2.5,3,s\n4,4,q\n5,5,w\n1,7,v\n3,6,i\n";
  const auto made = regression_model("y ~ 0 + x + sar(\"W.csv\", gr = region, type = \"lag\")",
                                     {{"t.csv", kRows}, {"W.csv", kIslands}});
  ASSERT_EQ(made.faults, "");
  constexpr double rho = 0.4, sigma = 0.9, b = 0.7;
  const std::array<std::pair<double, double>, 7> rows{
      // y and x of p, q, r, s, v, w, i
      {{2, 2}, {4, 4}, {1.5, 1}, {2.5, 3}, {1, 7}, {5, 5}, {3, 6}}};
  const DenseMatrix q = precision_of(1.0);
  DenseMatrix system(7);
  system(6, 6) = 1.0;
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) system(i, j) = i == j ? 1.0 : rho * q(i, j) / q(i, i);
  const DenseMatrix s = cholesky_root((1.0 / (sigma * sigma)) * (transposed(system) * system)),
                    inverse = numerics::inverse_of_upper(s),
                    covariance = inverse * transposed(inverse);
  // (I - rho W)^-1 = covariance (I - rho W)' / sigma^2.
  const DenseMatrix solve = (1.0 / (sigma * sigma)) * (covariance * transposed(system));
  std::vector<double> u, plain;
  for (Index i = 0; i < 7; ++i) {
    double mean = 0.0;
    for (Index j = 0; j < 7; ++j) mean += solve(i, j) * b * rows[static_cast<std::size_t>(j)].second;
    const auto& [y, x] = rows[static_cast<std::size_t>(i)];
    u.push_back(y - mean);
    plain.push_back(y - b * x);
  }
  const std::string& text = made.regression.program;
  const std::size_t at_bound = text.find("real<lower=-") + 11;
  const double low = std::stod(text.substr(at_bound)), share = (rho - low) / (1.0 - low);
  const double found = made.log_density({{"b_x", {b}},
                                         {"sigma", {std::log(sigma)}},
                                         {"rho_sar_region", {std::log(share / (1.0 - share))}}}) -
                       std::log(sigma) - std::log((1.0 - low) * share * (1.0 - share));
  EXPECT_NEAR(found, log_density_of(u, covariance), 1e-11);
  EXPECT_GT(std::abs(found - log_density_of(plain, covariance)), 0.01);  // that of lagged errors
}

TEST(regression_residuals, refuse_what_makes_no_sense) {
  const auto expect = [](const std::string& formula, const std::string& part,
                         const std::string& family = "auto", const std::string& file = kPairs) {
    const bool has_regions = formula.find("region") != formula.npos;
    const auto made =
        regression_model(formula, {{"t.csv", has_regions ? kRegions : kTable}, {"W.csv", file}},
                         {.formula = {}, .family = family, .preset = "flat"});
    EXPECT_NE(made.faults.find(part), made.faults.npos) << formula << "\n" << made.faults;
  };
  expect("y ~ ar(1, time = t)", "rows 2 and 6 have one time, t = 1\n  hint: gr = COLUMN");
  expect("y ~ ar(0)", "an order is a whole number from 1 to 50, and 0 isn't one");
  expect("y ~ ar(1, cov = TRUE)", "there is cov = FALSE alone");
  expect("y ~ ar(1) + ma(1)", "ar(1) is there, too");
  expect("y ~ ar(1)", "residuals are those of a normal outcome", "student");
  expect("y ~ x; sigma ~ ar(1)", "it is a parameter that has no rows of its own");
  expect("y | weights(x) ~ ar(1)", "rows with modifiers");
  expect("y ~ lag(x) + ar(1)", "rows with modifiers or with lag()");
  expect("y ~ cosy()", "cosy() needs a column that says which rows are one group");
  expect("y ~ unstr(x, g)", "each group has one row of a time");
  expect("y ~ sar(\"W.csv\", gr = region)", "t.csv:7: r has two rows");
  expect("y ~ sar(\"W.csv\", gr = region, type = \"both\")", "there is no type");
  expect("y ~ car(\"W.csv\")", "car() needs the column of the regions");
  expect("y ~ car(\"W.csv\", gr = region, type = \"bym\")", "there is no field bym");
  expect("y ~ car(\"W.csv\", gr = region)", "1 region has no neighbour, which the field escar",
         "auto", kIslands);
  expect("y ~ car(\"W.csv\", gr = region)", "W.csv has no row for 2 of the levels of region: v, w",
         "auto", "from,to\np,q\nq,r\nr,s\n");
  expect("y ~ car(\"W.csv\", gr = region)", "W.csv:3: q is its own neighbour", "auto",
         "from,to\np,q\nq,q\nr,s\n");
  expect("y ~ car(\"W.csv\", gr = region)", "the cell of q and p is 2", "auto",
         "x,p,q\np,0,2\nq,2,0\n");
}

class ResidualRuns : public testing::CommandRun {
 protected:
  ResidualRuns() : CommandRun("residual_runs") {}
  struct Figure {
    double mean, sd;
  };
  std::map<std::string, Figure> predicted(const std::vector<std::string>& more) {
    std::vector<std::string> words{"predict", at_("fit.nc"), "--seed", "3"};
    words.insert(words.end(), more.begin(), more.end());
    std::map<std::string, Figure> all;
    for (const testing::Json& row : json(words).items)
      all[row.at("name").text] = {row.at("mean").number, row.at("sd").number};
    return all;
  }
  std::string at_(const std::string& name) { return CommandRun::at(name); }
  void fit(const std::string& formula, const std::string& table) {
    write("t.csv", table);
    ASSERT_EQ(run({"regression", formula, "--data", at_("t.csv"), "--seed", "1", "--quiet", "-o",
                   at_("fit.nc")}) &
                  ~8,
              0)
        << said();
  }
};

// A stationary series of 400 rows with the coefficient 0.7 and errors of sd 1, from a linear congruential generator.
std::string series() {
  std::uint64_t state = 12345;
  const auto uniform = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (static_cast<double>(state >> 11) + 0.5) * 0x1.0p-53;
  };
  std::string text = "y,x,t\n";
  double u = 0.0;
  for (int n = 0; n < 400; ++n) {
    const double e =
        std::sqrt(-2.0 * std::log(uniform())) * std::cos(2.0 * std::numbers::pi * uniform());
    u = 0.7 * u + e;
    text += fmt::format("{},{},{}\n", 2.0 + 0.5 * (n % 5) + u, n % 5, n);
  }
  return text;
}

// Replicates of new series begin without residuals: the variance of row n is the sum of 0.7^(2 k) sigma^2, k < n.
TEST_F(ResidualRuns, draw_new_series) {
  fit("y ~ x + ar(1, time = t)", series());
  std::map<std::string, Figure> all;
  for (const testing::Json& row : json({"summary", at_("fit.nc")}).items)
    all[row.at("name").text] = {row.at("mean").number, row.at("sd").number};
  // The sd of the estimate is sqrt((1 - 0.49) / 400) = 0.036.
  EXPECT_NEAR(all.at("ar.1").mean, 0.7, 3 * 0.036);
  write("new.csv", "x,t\n0,3\n0,1\n0,2\n");
  const auto rows = predicted({"--data", at_("new.csv"), "--scale", "outcome"});
  const double phi = all.at("ar.1").mean, sigma = all.at("sigma").mean;
  // 4,000 draws: the sd of a standard deviation is 1.1 %, and parameters add less than 2 %.
  EXPECT_NEAR(rows.at("outcome.2").sd, sigma, 0.05 * sigma);
  const double third = sigma * std::sqrt(1.0 + phi * phi + std::pow(phi, 4));
  EXPECT_NEAR(rows.at("outcome.1").sd, third, 0.05 * third);
  EXPECT_NE(said().find("the rows are new series"), std::string::npos) << said();
}

TEST_F(ResidualRuns, predict_a_row_alone_as_within_the_table) {
  write("W.csv", kIslands);
  const std::string table(kRegions);
  const std::size_t header = table.find('\n') + 1;
  write("pairs.csv", kPairs);
  for (const std::string type : {"icar", "bym2", "escar"}) {
    fit("y ~ x + car(\"" + at_(type == "escar" ? "pairs.csv" : "W.csv") + "\", gr = region, type = \"" + type + "\")", table);
    const auto whole = predicted({"--scale", "linear"});
    std::size_t begin = header;
    for (int k = 1; k <= 7; ++k) {
      const std::size_t end = table.find('\n', begin) + 1;
      write("one.csv", table.substr(0, header) + table.substr(begin, end - begin));
      const double expected = whole.at("linear." + std::to_string(k)).mean;
      EXPECT_NEAR(predicted({"--data", at_("one.csv"), "--scale", "linear"}).at("linear.1").mean,
                  expected, 1e-12 * std::max(1.0, std::abs(expected)));
      begin = end;
    }
    write("one.csv", "x,region\n1,z\n");
    EXPECT_EQ(run({"predict", at_("fit.nc"), "--data", at_("one.csv")}), 4);
  }
}

// With lagged outcomes the means of all rows solve (I - rho W) mean = eta; with lagged errors they are eta.
TEST_F(ResidualRuns, have_means_of_lagged_outcomes) {
  write("W.csv", "a,b\np,q\nq,r\nr,s\n");
  std::string table = "y,x,region\n";
  for (int k = 0; k < 4; ++k)
    table += fmt::format("{},{},{}\n", std::array{1.0, 2.5, 2.0, 4.0}[static_cast<std::size_t>(k)], k,
                         "pqrs"[k]);
  for (const bool is_lag : {true, false}) {
    const std::string formula = "y ~ 1 + sar(\"" + at_("W.csv") + "\", gr = region" +
                                (is_lag ? ", type = \"lag\")" : ")");
    write("t.csv", table);
    ASSERT_EQ(run({"regression", formula, "--data", at_("t.csv"), "--seed", "1", "--chains", "1",
                   "--warmup", "300", "--draws", "1", "--quiet", "-o", at_("fit.nc")}) &
                  ~8,
              0)
        << said();
    std::map<std::string, double> draw;
    for (const testing::Json& row : json({"summary", at_("fit.nc")}).items)
      draw[row.at("name").text] = row.at("mean").number;
    const double rho = draw.at("rho_sar_region"), a = draw.at("intercept");
    const auto means = predicted({"--scale", "mean"});
    const auto m = [&](int k) { return means.at(fmt::format("mean_outcome.{}", k)).mean; };
    const double slope = is_lag ? rho : 0.0;
    EXPECT_NEAR(m(1) - slope * m(2), a, 1e-12 * (1.0 + std::abs(a)));
    EXPECT_NEAR(m(2) - slope * 0.5 * (m(1) + m(3)), a, 1e-12 * (1.0 + std::abs(a)));
    if (is_lag) {
      EXPECT_GT(std::abs(m(2) - a), 1e-6);
    }
  }
}
}  // namespace
}  // namespace credo::cli::regression_residuals_test
