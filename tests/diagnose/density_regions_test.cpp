// Densities, modes, intervals and regions of highest density against distributions in closed form.
#include "diagnose/density_regions.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace credo::diagnose::density_regions_test {
namespace {

std::vector<double> normal_draws(std::size_t count) {
  std::vector<double> z(count);
  fill_normal({.seed = 11, .purpose = purpose::kTest, .chain = 2, .iteration = 0}, 0, z);
  return z;
}

double phi(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI); }

// The kernel widens a normal distribution of 20000 draws by some 1.5 % (bandwidth 0.12 or so); noise at the top is 2 %.
TEST(kernel_density, is_near_the_density) {
  const KernelDensity density = kernel_density(normal_draws(20000));
  for (const double x : {-2.0, -1.0, 0.0, 0.7, 1.5}) EXPECT_NEAR(density.at(x), phi(x), 0.015) << x;
  EXPECT_NEAR(density.mode(), 0.0, 0.2);  // a flat top
  double total = 0.0;
  for (const double v : density.values) total += v * density.step;
  EXPECT_NEAR(total, 1.0, 1e-12);
}

// The mode of an exponential distribution is at the bound, which a kernel without reflection halves.
TEST(kernel_density, does_not_fall_at_a_bound) {
  std::vector<double> draws;
  Rng rng({.seed = 4, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  for (int k = 0; k < 20000; ++k) draws.push_back(rng.exponential());
  EXPECT_NEAR(kernel_density(draws).at(0.01), 1.0, 0.1);
  const auto region = highest_density_region(draws, 0.9);
  ASSERT_EQ(region.size(), 1u);
  EXPECT_NEAR(region[0].lower, 0.0, 1e-3);
  EXPECT_NEAR(region[0].upper, std::log(10.0), 0.1);  // standard error 0.02, and the kernel's width
  const Interval narrowest = narrowest_interval(draws, 0.9);
  EXPECT_NEAR(narrowest.lower, 0.0, 0.02);
  EXPECT_NEAR(narrowest.upper, std::log(10.0), 0.1);
  const Interval tails = equal_tailed_interval(draws, 0.9);
  EXPECT_NEAR(tails.lower, -std::log(0.95), 0.01);  // standard errors 0.0016 and 0.031
  EXPECT_NEAR(tails.upper, -std::log(0.05), 0.14);
}

// Draws on the places of the grid: a normal kernel at each, reflected half a step beyond the ends. The reflected kernels of
// the other end, and those reflected twice, are 1e-30 here. Heights are scaled to add up to 1, as these do to 1e-12.
TEST(kernel_density, is_the_sum_of_its_kernels) {
  std::vector<double> draws = {0.0, 1023.0};
  for (const double z : normal_draws(3000)) draws.push_back(std::round(500.0 + 120.0 * z));
  std::erase_if(draws, [](double x) { return x < 0.0 || x > 1023.0; });
  const KernelDensity density = kernel_density(draws);
  const double h = density.bandwidth;
  ASSERT_EQ(density.values.size(), 1024u);
  ASSERT_EQ(density.step, 1.0);
  for (const int k : {0, 1, 17, 300, 512, 700, 1022, 1023}) {
    double sum = 0.0;
    for (const double v : draws)
      for (const double at : {v, -1.0 - v, 2047.0 - v}) sum += phi((k - at) / h) / h;
    EXPECT_NEAR(density.values[static_cast<std::size_t>(k)],
                sum / static_cast<double>(draws.size()), 1e-12)
        << k;
  }
}

// Chains of the same length have, on the same grid with the same bandwidth, densities whose mean is that of all draws.
// Three chains (an odd number: two are transformed at once) that differ, weighted or not: each is the sum of its own kernels,
// by the bandwidth of all; to what reflected kernels of the other end leave and the grid's sum, as above.
TEST(chain_densities, are_sums_of_the_kernels_of_each_chain) {
  const std::vector<double> z = normal_draws(3000);
  std::vector<double> draws, weights;
  double total = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double centre = 400.0 + 100.0 * static_cast<double>(i / 1000);
    draws.push_back(std::clamp(std::round(centre + 60.0 * z[i]), 0.0, 1023.0));
    weights.push_back(1.0 + static_cast<double>(i % 7));
    total += weights.back();
  }
  draws[0] = 0.0, draws[1] = 1023.0;  // the grid's ends
  for (double& w : weights) w /= total;
  for (const std::vector<double>& used : {std::vector<double>(), weights}) {
    const std::vector<KernelDensity> all = chain_densities({draws, 1000, 3}, used);
    ASSERT_EQ(all.size(), 4u);
    for (std::size_t c = 0; c < 3; ++c) {
      const double h = all[c + 1].bandwidth;
      EXPECT_EQ(h, all[0].bandwidth);
      double mass = 0.0;
      for (std::size_t i = 0; i < 1000; ++i) mass += used.empty() ? 1.0 : used[c * 1000 + i];
      for (const int k : {0, 17, 300, 430, 512, 650, 1023}) {
        double sum = 0.0;
        for (std::size_t i = 0; i < 1000; ++i)
          for (const double v :
               {draws[c * 1000 + i], -1.0 - draws[c * 1000 + i], 2047.0 - draws[c * 1000 + i]})
            sum += (used.empty() ? 1.0 : used[c * 1000 + i]) / mass * phi((k - v) / h) / h;
        EXPECT_NEAR(all[c + 1].values[static_cast<std::size_t>(k)], sum, 1e-12) << c << " " << k;
      }
    }
  }
}

TEST(chain_densities, have_the_density_of_all_draws_as_their_mean) {
  std::vector<double> draws = normal_draws(3000);
  for (std::size_t k = 2000; k < 3000; ++k) draws[k] += 2.0;
  const std::vector<KernelDensity> all = chain_densities({draws, 1000, 3});
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t k = 0; k < all[0].values.size(); ++k)
    EXPECT_NEAR((all[1].values[k] + all[2].values[k] + all[3].values[k]) / 3.0, all[0].values[k],
                1e-12);
  EXPECT_GT(all[3].mode(), all[1].mode() + 1.0);  // a density is of its own chain
  EXPECT_TRUE(chain_densities({std::vector<double>(30, 1.0), 10, 3}).empty());
}

// Two normal distributions 20 apart, shares 0.3 and 0.7, scales 1 and 2: the level cuts both at 1.5 % or so of the top.
TEST(highest_density_region, has_an_interval_for_each_mode) {
  std::vector<double> draws = normal_draws(20000);
  for (std::size_t k = 0; k < draws.size(); ++k)
    draws[k] = k % 10 < 3 ? draws[k] : 20.0 + 2.0 * draws[k];
  const auto region = highest_density_region(draws, 0.9);
  ASSERT_EQ(region.size(), 2u);
  // Level c: 0.3 phi(a) = 0.35 phi(b) = c and 0.3 (2 Phi(a) - 1) + 0.7 (2 Phi(b) - 1) = 0.9.
  const auto mass = [](double c) {
    const auto half = [&](double top) { return std::sqrt(2.0 * std::log(top / c)); };
    const double a = half(0.3 * phi(0.0)), b = half(0.35 * phi(0.0));
    return 0.3 * std::erf(a / std::sqrt(2.0)) + 0.7 * std::erf(b / std::sqrt(2.0));
  };
  double low = 1e-6, high = 0.11;
  for (int k = 0; k < 100; ++k) (mass(0.5 * (low + high)) > 0.9 ? low : high) = 0.5 * (low + high);
  const double a = std::sqrt(2.0 * std::log(0.3 * phi(0.0) / low)),
               b = 2.0 * std::sqrt(2.0 * std::log(0.35 * phi(0.0) / low));
  // Standard errors of the ends are 0.03 and 0.05; the kernel adds as much.
  EXPECT_NEAR(region[0].lower, -a, 0.2);
  EXPECT_NEAR(region[0].upper, a, 0.2);
  EXPECT_NEAR(region[1].lower, 20.0 - b, 0.3);
  EXPECT_NEAR(region[1].upper, 20.0 + b, 0.3);
  EXPECT_LT(equal_tailed_interval(draws, 0.9).lower, 1.0);  // which covers the gap: another thing
}

TEST(highest_density_region, of_whole_numbers_holds_the_most_frequent) {
  const std::vector<double> draws = {1, 1, 1, 1, 2, 2, 2, 5, 5, 9};
  const auto region = highest_density_region(draws, 0.9);
  ASSERT_EQ(region.size(), 2u);
  EXPECT_EQ(region[0].lower, 1.0);
  EXPECT_EQ(region[0].upper, 2.0);
  EXPECT_EQ(region[1].lower, 5.0);
  EXPECT_EQ(region[1].upper, 5.0);
  EXPECT_EQ(mode_of(draws), 1.0);
}

TEST(intervals, take_weights) {
  const std::vector<double> draws = {0.0, 1.0, 2.0, 3.0, 10.0},
                            weights = {0.05, 0.4, 0.4, 0.1, 0.05};
  const Interval narrowest = narrowest_interval(draws, 0.8, weights);
  EXPECT_EQ(narrowest.lower, 1.0);
  EXPECT_EQ(narrowest.upper, 2.0);
  EXPECT_EQ(equal_tailed_interval(draws, 0.85, weights).lower, 1.0);
  EXPECT_EQ(equal_tailed_interval(draws, 0.85, weights).upper, 3.0);
  EXPECT_EQ(mode_of(draws, weights), 1.0);
}

}  // namespace
}  // namespace credo::diagnose::density_regions_test
