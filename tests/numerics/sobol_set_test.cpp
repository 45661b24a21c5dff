// Scrambled points of Sobol, made all at once: each elementary box has its point, each point is uniform, and digits behind those that
// tell the points apart are random.
#include "numerics/points/sobol_set.hpp"

#include <gtest/gtest.h>

namespace credo::numerics::sobol_set_test {
namespace {

std::vector<double> points(Index dimension, Index count, std::uint32_t replicate) {
  return scrambled_sobol(
      dimension, count, {.seed = 5, .purpose = purpose::kTest, .chain = 0, .iteration = replicate});
}

// Of the first two coordinates, every box of 2^-a by 2^-b has one of 2^(a + b) points.
TEST(sobol_set, has_a_point_in_every_elementary_box) {
  constexpr int kDigits = 6;
  const std::vector<double> all = points(2, 1 << kDigits, 0);
  for (int a = 0; a <= kDigits; ++a) {
    std::set<std::pair<int, int>> boxes;
    for (std::size_t i = 0; i < all.size(); i += 2)
      boxes.insert({static_cast<int>(std::ldexp(all[i], a)),
                    static_cast<int>(std::ldexp(all[i + 1], kDigits - a))});
    EXPECT_EQ(boxes.size(), 1u << kDigits) << a;
  }
}

// The mean of x, of 1 where 2^k x is odd, and of the product of two coordinates, of one point over replicates: within 4 standard errors
// of those of uniform numbers.
TEST(sobol_set, has_uniform_points) {
  constexpr int kReplicates = 4000;
  for (const std::size_t point : {0u, 5u, 36u}) {
    double mean = 0.0, product = 0.0;
    std::vector<double> odd(20, 0.0);
    for (std::uint32_t r = 0; r < kReplicates; ++r) {
      const std::vector<double> all = points(3, 37, r);
      const double x = all[3 * point + 2];
      ASSERT_TRUE(x > 0.0 && x < 1.0);
      mean += x / kReplicates;
      product += x * all[3 * point] / kReplicates;
      for (int k = 0; k < 20; ++k)
        odd[static_cast<std::size_t>(k)] +=
            static_cast<double>(static_cast<long>(std::ldexp(x, k + 1)) % 2) / kReplicates;
    }
    const double root = std::sqrt(static_cast<double>(kReplicates));
    EXPECT_NEAR(mean, 0.5, 4.0 * std::sqrt(1.0 / 12.0) / root);
    EXPECT_NEAR(product, 0.25, 4.0 * std::sqrt(1.0 / 9.0 - 1.0 / 16.0) / root);
    for (const double share : odd) EXPECT_NEAR(share, 0.5, 4.5 * 0.5 / root);
  }
}

// Of two points that differ in their first digit alone, all digits of a coordinate behind it are independent: their covariance is that of
// being in different halves, -1/16.
TEST(sobol_set, keeps_apart_points_of_different_halves) {
  constexpr int kReplicates = 4000;
  double covariance = 0.0;
  for (std::uint32_t r = 0; r < kReplicates; ++r) {
    const std::vector<double> two = points(1, 2, r);
    covariance += (two[0] - 0.5) * (two[1] - 0.5) / kReplicates;
  }
  EXPECT_NEAR(covariance, -1.0 / 16.0, 0.005);
}

}  // namespace
}  // namespace credo::numerics::sobol_set_test
