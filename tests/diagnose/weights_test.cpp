#include "diagnose/weights.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace credo::diagnose::weights_test {
namespace {

TEST(weight_ess, counts_equal_weights_that_are_not_zero) {
  for (const double log_weight : {0.0, -2000.0, 2000.0}) {
    std::vector<double> weights(7, log_weight);
    EXPECT_DOUBLE_EQ(weight_ess(weights), 7.0);
    weights.resize(20, -kInfinity);
    EXPECT_DOUBLE_EQ(weight_ess(weights), 7.0);
  }
}

TEST(weight_ess, of_two_weights_is_the_closed_form) {
  const std::vector<double> weights = {std::log(1.0), std::log(3.0)};
  EXPECT_NEAR(weight_ess(weights), 16.0 / 10.0, 1e-14);
}

TEST(weight_ess, is_nan_where_weights_say_nothing) {
  EXPECT_TRUE(std::isnan(weight_ess({})));
  EXPECT_TRUE(std::isnan(weight_ess(std::vector<double>(3, -kInfinity))));
  EXPECT_TRUE(std::isnan(weight_ess(std::vector<double>{0.0, kNaN})));
  EXPECT_TRUE(std::isnan(weight_ess(std::vector<double>{0.0, kInfinity})));
}

// Proposals N(0, 1) for a target N(m, 1): log w = m x - m² / 2 and ESS / N → exp(-m²). The error of
// the ratio comes from that of the mean of w², whose relative variance is about exp(4 m²) / N.
TEST(weight_ess, of_a_shifted_normal_tends_to_its_closed_form) {
  constexpr double m = 0.5;
  constexpr int n = 100'000;
  Rng rng(StreamKey{.seed = 5, .purpose = purpose::kTest});
  std::vector<double> weights;
  for (int i = 0; i < n; ++i) weights.push_back(m * rng.normal() - 0.5 * m * m);
  const double expected = std::exp(-m * m);
  const double error = expected * std::sqrt(std::exp(4.0 * m * m) / n);
  EXPECT_NEAR(weight_ess(weights) / n, expected, 4.0 * error);
  // The planted fault: what the largest weight alone says.
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0.0;
  for (const double w : weights) sum += std::exp(w - largest);
  EXPECT_GT(std::abs(sum / n - expected), 4.0 * error);
}

// ---- figures of weighted draws

TEST(weighted_summary, of_whole_weights_is_that_of_copies) {
  const std::vector<double> values = {3.0, -1.0, 7.0, 0.5, 100.0};
  const std::vector<double> counts = {2.0, 1.0, 3.0, 4.0, 0.0};
  std::vector<double> weights, copies;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weights.push_back(std::log(counts[i]) - 700.0);
    copies.insert(copies.end(), static_cast<std::size_t>(counts[i]), values[i]);
  }
  std::sort(copies.begin(), copies.end());
  double mean = 0.0, variance = 0.0, error = 0.0;
  for (const double x : copies) mean += x / 10.0;
  for (const double x : copies) variance += (x - mean) * (x - mean) / 10.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    error += std::pow(counts[i] / 10.0 * (values[i] - mean), 2);
  const Summary s = weighted_summary(values, weights);
  EXPECT_NEAR(s.mean, mean, 1e-13);
  EXPECT_NEAR(s.sd, std::sqrt(variance), 1e-13);
  EXPECT_NEAR(s.mcse_mean, std::sqrt(error), 1e-13);
  EXPECT_NEAR(s.ess_bulk, variance / error, 1e-12);
  EXPECT_EQ(s.q5, -1.0);
  EXPECT_EQ(s.median, 0.5);
  EXPECT_EQ(s.q95, 7.0);
  EXPECT_TRUE(std::isnan(s.r_hat));
}

TEST(weighted_summary, of_a_constant_has_no_errors) {
  const Summary s = weighted_summary(std::vector(3, 0.1), std::vector{0.0, -1.0, -2.0});
  EXPECT_EQ(s.mean, 0.1);
  EXPECT_EQ(s.sd, 0.0);
  EXPECT_EQ(s.q95, 0.1);
  EXPECT_TRUE(std::isnan(s.mcse_mean));
  EXPECT_TRUE(std::isnan(s.ess_bulk));
}

TEST(weighted_summary, is_nan_where_a_value_that_counts_is_missing) {
  const std::vector<double> values = {1.0, kNaN, 2.0}, none = {0.0, -kInfinity, 0.0},
                            some = {0.0, -9.0, 0.0};
  EXPECT_EQ(weighted_summary(values, none).mean, 1.5);
  EXPECT_TRUE(std::isnan(weighted_summary(values, some).mean));
  EXPECT_TRUE(std::isnan(weighted_summary(values, std::vector(3, -kInfinity)).mean));
}

// Draws from N(0, 1) weighted to N(1/2, 1): the reported errors are standard errors. Over 400 runs the mean
// square of scores is within 1 ± 5 sqrt(2 / 400); errors of unweighted draws (mutant) are rejected.
TEST(weighted_summary, has_errors_that_are_standard_errors) {
  constexpr double kShift = 0.5, kSlack = 5.0 * 0.0708;
  constexpr int kRuns = 400, kDraws = 500;
  std::array<double, 4> squares{};
  double plain = 0.0;
  for (int run = 0; run < kRuns; ++run) {
    Rng rng(
        StreamKey{.seed = 11, .purpose = purpose::kTest, .chain = static_cast<std::uint32_t>(run)});
    std::vector<double> x, weights;
    for (int i = 0; i < kDraws; ++i) {
      x.push_back(rng.normal());
      weights.push_back(kShift * x.back());
    }
    const Summary s = weighted_summary(x, weights);
    const double z = (s.mean - kShift) / s.mcse_mean;
    squares[0] += z * z / kRuns;
    squares[1] += std::pow((s.sd - 1.0) / s.mcse_sd, 2) / kRuns;
    squares[2] += std::pow((s.median - kShift) / s.mcse_median, 2) / kRuns;
    squares[3] += std::pow((s.q95 - kShift - 1.6448536269514722) / s.mcse_q95, 2) / kRuns;
    plain += std::pow((s.mean - kShift) / (s.sd / std::sqrt(kDraws)), 2) / kRuns;
  }
  // Standard deviations and quantiles have errors of first order, and of quantiles noisy ones.
  EXPECT_NEAR(squares[0], 1.0, kSlack);
  EXPECT_NEAR(squares[1], 1.0, 1.5 * kSlack);
  EXPECT_NEAR(squares[2], 1.0, 1.5 * kSlack);
  EXPECT_NEAR(squares[3], 1.0, 3.0 * kSlack);
  EXPECT_GT(plain, 1.0 + 0.7 * kSlack);
}

// Of weights u^-k, u uniform, the shape is k. The estimate from 300 of 10,000 has a standard deviation near
// (1 + k) / sqrt(300) = 0.1, and is drawn towards 1/2 by a thirtieth.
TEST(weight_pareto_k, of_pareto_weights_is_their_shape) {
  for (const double k : {0.2, 0.7, 1.2}) {
    Rng rng(StreamKey{.seed = 3, .purpose = purpose::kTest});
    std::vector<double> weights;
    for (int i = 0; i < 10'000; ++i) weights.push_back(-k * std::log(rng.uniform()));
    EXPECT_NEAR(weight_pareto_k(weights), k, 0.35) << k;
  }
  EXPECT_TRUE(std::isnan(weight_pareto_k(std::vector(100, 1.0))));
  EXPECT_TRUE(std::isnan(weight_pareto_k(std::vector(24, 1.0))));
}

}  // namespace
}  // namespace credo::diagnose::weights_test
