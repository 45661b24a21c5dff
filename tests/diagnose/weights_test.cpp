#include "diagnose/weights.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace credo::diagnose {
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

}  // namespace
}  // namespace credo::diagnose
