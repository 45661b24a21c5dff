// Two estimates of one expectation: the p-value is Welch's, and is uniform where both are right.
#include "diagnose/agreement.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "diagnose/convergence.hpp"

namespace credo::diagnose::agreement_test {
namespace {
Rng stream(std::uint32_t repetition) {
  return Rng({.seed = 11, .purpose = purpose::kTest, .chain = 0, .iteration = repetition});
}

// Batches whose true standard deviations differ.
std::array<Estimate, 2> two_estimates(std::uint32_t repetition, std::size_t count) {
  Rng rng = stream(repetition);
  std::vector<double> a, b;
  for (std::size_t k = 0; k < count; ++k)
    a.push_back(rng.normal()), b.push_back(3.0 * rng.normal());
  return {estimate_of_batches(a), estimate_of_batches(b)};
}

// A data set on sleep under two drugs; R 4.2: t.test(extra ~ group, data = sleep) says t = -1.8608,
// df = 17.776, p = 0.07939.
TEST(agreement, is_welchs_test_of_two_batches) {
  const std::vector<double> one = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
                            other = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  const Estimate a = estimate_of_batches(one), b = estimate_of_batches(other);
  EXPECT_NEAR(combined_errors(a, b), 1.8608, 5e-5);
  EXPECT_NEAR(disagreement_p_value(a, b), 0.07939, 5e-6);
}

TEST(agreement, of_exact_estimates_is_normal) {
  const Estimate a{.value = 1.0, .error = 0.3}, b{.value = 1.0 + 1.96 * 0.5, .error = 0.4};
  EXPECT_NEAR(disagreement_p_value(a, b), std::erfc(1.96 / std::sqrt(2.0)), 1e-6);
}

TEST(agreement, needs_errors_that_are_known) {
  EXPECT_TRUE(std::isnan(estimate_of_batches(std::array{1.0}).error));
  EXPECT_TRUE(std::isnan(disagreement_p_value({}, {.value = 0.0, .error = 1.0})));
  EXPECT_EQ(disagreement_p_value({.value = 1.0, .error = 0.0}, {.value = 1.0, .error = 0.0}), 1.0);
  EXPECT_EQ(disagreement_p_value({.value = 1.0, .error = 0.0}, {.value = 2.0, .error = 0.0}), 0.0);
}

TEST(agreement, of_chains_has_the_error_of_effective_draws) {
  constexpr Index kDraws = 500, kChains = 4;
  Rng rng = stream(0);
  std::vector<double> values(kDraws * kChains);
  double last = 0.0;
  for (double& x : values) x = last = 0.7 * last + rng.normal();
  const Chains chains{values, kDraws, kChains};
  const Estimate found = estimate_of_chains(chains);
  EXPECT_DOUBLE_EQ(found.value, mean(values));
  EXPECT_DOUBLE_EQ(found.error, mcse_mean(chains));
  EXPECT_DOUBLE_EQ(found.freedom, ess_mean(chains) - 1.0);
  values[7] = kNaN;
  EXPECT_TRUE(std::isnan(estimate_of_chains(chains).value));
}

// Of 4000 repetitions 5 % are below 0.05, with a binomial standard error of 0.0034; four of them.
// A mutant that takes the spread of batches for the error of their mean, and one that forgets half of it, are
// both rejected.
TEST(agreement, rejects_at_its_level) {
  constexpr std::uint32_t kRepetitions = 4000;
  constexpr double kTolerance = 4 * 0.0034;
  const auto rejected = [&](double factor) {
    Index count = 0;
    for (std::uint32_t r = 0; r < kRepetitions; ++r) {
      auto [a, b] = two_estimates(r, 16);
      a.error *= factor, b.error *= factor;
      count += disagreement_p_value(a, b) < 0.05 ? 1 : 0;
    }
    return static_cast<double>(count) / kRepetitions;
  };
  EXPECT_NEAR(rejected(1.0), 0.05, kTolerance);
  EXPECT_GT(std::abs(rejected(4.0) - 0.05), kTolerance);
  EXPECT_GT(std::abs(rejected(0.5) - 0.05), kTolerance);
}
}  // namespace
}  // namespace credo::diagnose::agreement_test
