// Uniformity by the empirical distribution function at several points at once: small cases counted out, its level under
// uniform numbers, and what it sees.
#include "diagnose/ecdf_band.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "support/test_seed.hpp"

namespace credo::diagnose::ecdf_band_test {
namespace {

std::vector<double> uniform_numbers(Index n, std::uint32_t number) {
  std::vector<double> values(static_cast<std::size_t>(n));
  fill_uniform(
      {.seed = testing::test_seed(7), .purpose = purpose::kTest, .chain = 3, .iteration = number},
      0, values);
  return values;
}

// Two numbers and thirds: (2, 0, 0) counts in cells have 1/9, (1, 1, 0) 2/9. Both numbers in one outer third leave a tail of
// 1/9 at one point; so do none at or below 2/3. All others have larger ones.
TEST(ecdf_p_value, counts_out_two_numbers_in_thirds) {
  EXPECT_NEAR(ecdf_p_value(std::vector{0.1, 0.2}, 3), 2.0 / 9.0, 1e-12);
  EXPECT_NEAR(ecdf_p_value(std::vector{0.8, 0.9}, 3), 2.0 / 9.0, 1e-12);
  EXPECT_NEAR(ecdf_p_value(std::vector{0.1, 0.9}, 3), 1.0, 1e-12);
}

// P(p <= level) is at most the level, and near it where there are many numbers: the distribution of p is that of a
// discrete statistic. Of 2000 tries 100 are expected, with a standard deviation of 9.7.
TEST(ecdf_p_value, has_its_level_under_uniform_numbers) {
  Index rejected = 0;
  for (std::uint32_t k = 0; k < 2000; ++k)
    rejected += ecdf_p_value(uniform_numbers(200, k), 20) <= 0.05 ? 1 : 0;
  EXPECT_LE(rejected, 100 + 44);
  EXPECT_GE(rejected,
            100 - 44 - 20);  // steps of the distribution: some 20 less were seen with other seeds
}

TEST(ecdf_p_value, sees_shifts_and_widths) {
  std::vector<double> shifted = uniform_numbers(1000, 1), narrow = shifted;
  for (double& u : shifted) u = std::pow(u, 1.3);
  for (double& u : narrow) u = 0.5 + 0.85 * (u - 0.5);
  EXPECT_LT(ecdf_p_value(shifted, 100), 1e-4);
  EXPECT_LT(ecdf_p_value(narrow, 100), 1e-4);
  EXPECT_GT(ecdf_p_value(uniform_numbers(1000, 1), 100), 1e-3);
}

// The share of sets that are within everywhere: 0.95 at least; with the band of one point taken for all it is far less,
// so that such a fault would be seen.
TEST(ecdf_band, holds_uniform_numbers_at_all_points_at_once) {
  const Index n = 100, points = 20, tries = 2000;
  const auto share_within = [&](const EcdfBand& band) {
    Index within = 0;
    for (std::uint32_t k = 0; k < tries; ++k) {
      const std::vector<Index> counts = ecdf_counts(uniform_numbers(n, 10000 + k), points);
      bool is_within = true;
      for (std::size_t j = 0; j < counts.size(); ++j)
        is_within &= counts[j] >= band.lower[j] && counts[j] <= band.upper[j];
      within += is_within ? 1 : 0;
    }
    return static_cast<double>(within) / static_cast<double>(tries);
  };
  const EcdfBand band = ecdf_band(n, points, 0.95);
  const double error = std::sqrt(0.95 * 0.05 / static_cast<double>(tries));
  EXPECT_GT(share_within(band), 0.95 - 4.5 * error);
  EXPECT_LT(share_within(band), 0.975);  // and no wider than it must be, but for whole numbers
  EcdfBand pointwise = band;             // mean plus and minus 1.96 standard deviations
  for (std::size_t j = 0; j < band.lower.size(); ++j) {
    const double p = static_cast<double>(j + 1) / static_cast<double>(points),
                 sd = std::sqrt(double(n) * p * (1.0 - p));
    pointwise.lower[j] = static_cast<Index>(std::ceil(double(n) * p - 1.96 * sd));
    pointwise.upper[j] = static_cast<Index>(std::floor(double(n) * p + 1.96 * sd));
  }
  EXPECT_LT(share_within(pointwise), 0.9);
}

}  // namespace
}  // namespace credo::diagnose::ecdf_band_test
