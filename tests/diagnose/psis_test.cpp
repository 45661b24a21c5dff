// Leave-one-out figures and weights of models against R's package loo (tools/make_loo_reference.R) and closed forms.
#include "diagnose/psis.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/rng.hpp"
#include "diagnose/stacking.hpp"

namespace credo::diagnose::psis_test {
namespace {

// Numbers of a file, line by line.
std::vector<std::vector<double>> table_of(const std::string& name, bool has_head) {
  std::ifstream file(std::string(CREDO_SOURCE_DIR) + "/tests/data/loo/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::vector<std::vector<double>> table;
  for (std::string line; std::getline(file, line);) {
    if (std::exchange(has_head, false)) continue;
    std::stringstream cells(line);
    auto& row = table.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  }
  return table;
}

constexpr Index kDraws = 100, kChains = 4;

// Both sum 400 terms in another order; k comes from a fit whose grid has some 50 points.
constexpr double kTolerance = 1e-11;

TEST(row_figures, are_those_of_the_package_loo) {
  const auto log_lik = table_of("log_lik.csv", false);
  for (const std::vector<double>& expected : table_of("expected.csv", true)) {
    const auto& values = log_lik[static_cast<std::size_t>(expected[0]) - 1];
    const RowFigures row = row_figures({values, kDraws, kChains}, expected[1]);
    SCOPED_TRACE(expected[0]);
    EXPECT_NEAR(row.elpd_loo, expected[2], kTolerance * std::abs(expected[2]));
    EXPECT_NEAR(row.p_loo(), expected[3], kTolerance * (1.0 + std::abs(expected[2])));
    EXPECT_NEAR(row.pareto_k, expected[4], 1e-10);
    EXPECT_NEAR(row.elpd_waic, expected[5], kTolerance * std::abs(expected[5]));
    EXPECT_NEAR(row.p_waic, expected[6], kTolerance * expected[6]);
  }
}

TEST(row_figures, would_be_rejected_without_smoothing) {
  const auto log_lik = table_of("log_lik.csv", false);
  const auto expected = table_of("expected.csv", true);
  const auto& values = log_lik[11];  // k = 1.06
  double sum = 0.0;
  for (const double x : values) sum += std::exp(-x);
  const double raw = std::log(static_cast<double>(values.size()) / sum);
  EXPECT_GT(std::abs(raw - expected[11][2]), 0.01);
}

// y_i ~ normal(mu, 1), mu flat: mu | y is normal(mean, 1 / n), and y_i given the others is normal(their mean,
// 1 + 1 / (n - 1)). Twelve reported errors' worth of independent rows: each within 4.5 of its own.
TEST(row_figures, find_the_predictive_density_of_a_normal) {
  const std::vector<double> y = {0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5};
  const auto n = static_cast<double>(y.size());
  const double mean_of_all = std::accumulate(y.begin(), y.end(), 0.0) / n;
  Rng rng({.seed = 5, .purpose = purpose::kTest});
  std::vector<double> mu;
  for (int s = 0; s < 8000; ++s) mu.push_back(mean_of_all + rng.normal() / std::sqrt(n));
  for (const double value : y) {
    std::vector<double> log_lik;
    for (const double m : mu)
      log_lik.push_back(-0.5 * std::log(2.0 * M_PI) - 0.5 * (value - m) * (value - m));
    const RowFigures row = row_figures({log_lik, 2000, 4});
    const double others = (n * mean_of_all - value) / (n - 1.0), variance = 1.0 + 1.0 / (n - 1.0);
    const double exact = -0.5 * std::log(2.0 * M_PI * variance) -
                         0.5 * (value - others) * (value - others) / variance;
    EXPECT_NEAR(row.elpd_loo, exact, 4.5 * row.mcse);
    EXPECT_LT(row.mcse, 0.01);
    EXPECT_LT(row.pareto_k, pareto_k_limit(8000));
    EXPECT_NEAR(row.r_eff, 1.0, 0.2);
  }
}

TEST(row_figures, are_not_defined_where_a_draw_excludes_the_row) {
  EXPECT_TRUE(std::isnan(row_figures({std::vector{0.0, -kInfinity, 0.0, 0.0}, 2, 2}).elpd_loo));
}

TEST(pareto_k_limit, is_seven_tenths_and_less_for_few_draws) {
  EXPECT_DOUBLE_EQ(pareto_k_limit(4000), 0.7);
  EXPECT_DOUBLE_EQ(pareto_k_limit(100), 0.5);
}

// ---- draws that have weights

TEST(row_figures, of_equal_weights_are_those_without) {
  const auto log_lik = table_of("log_lik.csv", false);
  const std::vector<double> equal(log_lik[0].size(), 3.0);
  for (const auto& values : log_lik) {
    const RowFigures plain = row_figures({values, kDraws, kChains}, 0.6),
                     weighted = row_figures({values, kDraws, kChains}, 0.6, equal);
    EXPECT_NEAR(weighted.elpd_loo, plain.elpd_loo, kTolerance * std::abs(plain.elpd_loo));
    EXPECT_NEAR(weighted.lpd, plain.lpd, kTolerance * std::abs(plain.lpd));
    EXPECT_NEAR(weighted.p_waic, plain.p_waic, kTolerance * plain.p_waic);
    EXPECT_NEAR(weighted.pareto_k, plain.pareto_k, 1e-10);
    EXPECT_NEAR(weighted.mcse, plain.mcse, 1e-10);
  }
}

// Draws of normal(0, 1) with the weights of normal(mean, 1 / n), the posterior of the test above: each row within 4.5 errors.
// The same draws without weights would be rejected.
TEST(row_figures, of_weighted_draws_find_the_predictive_density_of_a_normal) {
  const std::vector<double> y = {0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5};
  const auto n = static_cast<double>(y.size());
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
  Rng rng({.seed = 6, .purpose = purpose::kTest});
  std::vector<double> mu, log_weights;
  for (int s = 0; s < 20'000; ++s) {
    mu.push_back(rng.normal());
    log_weights.push_back(0.5 * mu.back() * mu.back() -
                          0.5 * n * (mu.back() - mean) * (mu.back() - mean));
  }
  Index num_wrong = 0;
  for (const double value : y) {
    std::vector<double> log_lik;
    for (const double m : mu)
      log_lik.push_back(-0.5 * std::log(2.0 * M_PI) - 0.5 * (value - m) * (value - m));
    const double others = (n * mean - value) / (n - 1.0), variance = 1.0 + 1.0 / (n - 1.0);
    const double exact = -0.5 * std::log(2.0 * M_PI * variance) -
                         0.5 * (value - others) * (value - others) / variance;
    const RowFigures row = row_figures({log_lik, 20'000, 1}, kNaN, log_weights);
    EXPECT_NEAR(row.elpd_loo, exact, 4.5 * row.mcse);
    EXPECT_LT(row.mcse, 0.03);
    EXPECT_EQ(row.r_eff, 1.0);
    const RowFigures without = row_figures({log_lik, 20'000, 1}, 1.0);
    num_wrong += std::abs(without.elpd_loo - exact) > 4.5 * without.mcse ? 1 : 0;
  }
  EXPECT_GE(num_wrong, 5);
}

// log mean exp(x) of x ~ normal(m, s²) is m + s² / 2.
TEST(log_mean, is_that_of_a_lognormal_within_its_error) {
  Rng rng({.seed = 7, .purpose = purpose::kTest});
  std::vector<double> values;
  for (int s = 0; s < 8000; ++s) values.push_back(-700.0 + 0.5 * rng.normal());
  const LogMean mean = log_mean({values, 2000, 4});
  EXPECT_NEAR(mean.value, -700.0 + 0.125, 4.5 * mean.mcse);
  // The error of a mean of lognormals, relative to it: sqrt((exp(s²) - 1) / n), of draws that are independent.
  EXPECT_NEAR(mean.mcse, std::sqrt(std::expm1(0.25) / 8000.0), 0.2 * mean.mcse);
  const std::vector<double> none(8000, -kInfinity);
  EXPECT_EQ(log_mean({none, 2000, 4}).value, -kInfinity);
}

// ---- several models

double mean_log_mixture(const std::vector<std::vector<double>>& elpd,
                        std::span<const double> weights) {
  double sum = 0.0;
  for (const auto& row : elpd) {
    double density = 0.0;
    for (std::size_t k = 0; k < row.size(); ++k) density += weights[k] * std::exp(row[k]);
    sum += std::log(density) / static_cast<double>(elpd.size());
  }
  return sum;
}

std::vector<double> flat(const std::vector<std::vector<double>>& table) {
  std::vector<double> values;
  for (const auto& row : table) values.insert(values.end(), row.begin(), row.end());
  return values;
}

// With reltol = 1e-15 the optimiser of loo ends 1e-10 from the top, found by Newton's steps in R's arithmetic.
TEST(stacking_weights, are_the_best_and_those_of_the_package_loo) {
  const auto elpd = table_of("elpd.csv", false);
  const auto expected = table_of("weights.csv", false);
  const std::vector<double> weights = stacking_weights(flat(elpd), 3);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-14);
  EXPECT_GE(mean_log_mixture(elpd, weights), mean_log_mixture(elpd, expected[0]) - 1e-14);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(weights[k], expected[0][k], 1e-8);
  // No step along an edge of the simplex is better.
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> other = weights;
    for (double& w : other) w *= 0.999;
    other[k] += 0.001;
    EXPECT_LT(mean_log_mixture(elpd, other), mean_log_mixture(elpd, weights) + 1e-10);
  }
}

// Where the top lies on an edge: the third model is worse than the first one in each row, so that it has no weight, and the
// other two have a top that the slopes tell: 1 for both.
TEST(stacking_weights, are_zero_for_a_model_that_is_worse_everywhere) {
  const auto elpd = table_of("elpd.csv", false);
  std::vector<double> values;
  for (const auto& row : elpd) values.insert(values.end(), {row[0], row[1], row[0] - 0.5, row[0]});
  const std::vector<double> weights = stacking_weights(values, 4);
  EXPECT_EQ(weights[2], 0.0);
  std::vector<double> slopes(
      2, 0.0);  // of the first model, which is there twice, and of the second one
  for (const auto& row : elpd) {
    const double mixture =
        (weights[0] + weights[3]) * std::exp(row[0]) + weights[1] * std::exp(row[1]);
    for (std::size_t k = 0; k < 2; ++k)
      slopes[k] += std::exp(row[k]) / mixture / static_cast<double>(elpd.size());
  }
  EXPECT_NEAR(slopes[0], 1.0, 1e-10);
  EXPECT_NEAR(slopes[1], 1.0, 1e-10);
}

TEST(pseudo_bma_weights, are_those_of_the_package_loo) {
  const std::vector<double> elpd = flat(table_of("elpd.csv", false));
  const auto expected = table_of("weights.csv", false);
  const std::vector<double> plain = pseudo_bma_weights(elpd, 3, 0);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(plain[k], expected[1][k], 1e-12);
  const std::vector<double> averaged = pseudo_bma_weights(elpd, 3, 20'000);
  // A weight's standard deviation over bootstraps is at most 1/2: four errors of 20,000, and of loo's 200,000.
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(averaged[k], expected[2][k], 4.0 * 0.5 / std::sqrt(20'000.0));
}

}  // namespace
}  // namespace credo::diagnose::psis_test
