// Tail shapes of distributions that have a known one. Stored figures: convergence_test.cpp.
#include "diagnose/tail_index.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace credo::diagnose::tail_index_test {
namespace {
ChainsCopy draws(Index num_draws, std::uint64_t seed, const std::function<double(Rng&)>& draw) {
  ChainsCopy result{{}, num_draws, 4};
  for (std::uint32_t c = 0; c < 4; ++c) {
    Rng rng({.seed = seed, .purpose = purpose::kTest, .chain = c});
    for (Index s = 0; s < num_draws; ++s) result.values.push_back(draw(rng));
  }
  return result;
}

// A Cauchy distribution has k = 1, an exponential one 0, a uniform one -1. With 600 draws in a tail the
// estimate has standard deviation (1 + k) / sqrt(600), at least 0.02 [zhang2009], and 10 / 610 of
// the way to 1/2; seven of them.
TEST(tail_index, is_that_of_distributions_with_a_power_an_exponential_and_an_end) {
  const auto cauchy =
      tail_index(draws(10'000, 3, [](Rng& rng) { return rng.normal() / rng.normal(); }));
  EXPECT_NEAR(cauchy.lower, 1.0, 0.56);
  EXPECT_NEAR(cauchy.upper, 1.0, 0.56);
  const auto exponential =
      tail_index(draws(10'000, 4, [](Rng& rng) { return -std::log(rng.uniform()); }));
  EXPECT_NEAR(exponential.upper, 0.0, 0.28);
  EXPECT_NEAR(exponential.lower, -1.0, 0.28);
  EXPECT_EQ(exponential.largest(), exponential.upper);
}

// For positive draws from an exact Pareto distribution no threshold needs to be high.
TEST(pareto_shape, is_unbiased_to_its_prior_over_seeds) {
  for (double k : {-0.5, 0.2, 0.7}) {
    double sum = 0.0;
    constexpr int kSeeds = 40;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      ChainsCopy x =
          draws(250, seed, [&](Rng& rng) { return (std::pow(rng.uniform(), -k) - 1.0) / k; });
      std::sort(x.values.begin(), x.values.end());
      sum += pareto_shape(x.values);
    }
    const double expected = (1000.0 * k + 5.0) / 1010.0;
    // standard error (1 + k) / sqrt(1000 · 40), four of them and a bias of order 1 / 1000
    EXPECT_NEAR(sum / kSeeds, expected, 4.0 * (1.0 + k) / 200.0 + 0.005) << k;
  }
}

TEST(tail_index, is_not_defined_without_a_tail) {
  EXPECT_TRUE(std::isnan(tail_index(draws(5, 1, [](Rng& rng) { return rng.normal(); })).upper));
  EXPECT_TRUE(std::isnan(tail_index(draws(50, 1, [](Rng&) { return 2.0; })).largest()));
  const auto capped = tail_index(
      draws(100, 1, [](Rng& rng) { return std::min(std::max(rng.normal(), -5.0), 0.0); }));
  EXPECT_TRUE(std::isnan(capped.upper));
  EXPECT_FALSE(std::isnan(capped.lower));
}

TEST(tail_index, takes_more_draws_of_chains_that_move_slowly) {
  const ChainsCopy fast = draws(1000, 2, [](Rng& rng) { return rng.normal(); });
  double x = 0.0;
  const ChainsCopy slow = draws(1000, 2, [&](Rng& rng) { return x = 0.8 * x + rng.normal(); });
  EXPECT_GT(tail_size(slow), tail_size(fast));
  EXPECT_LE(tail_size(slow), 2000);
}

}  // namespace
}  // namespace credo::diagnose::tail_index_test
