// Drift of draws that NUTS moves: none of draws of the density, a clear one of others.
#include "infer/variational/certificate/drift.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "support/targets.hpp"

namespace credo::infer::drift_test {
namespace {
using namespace credo::testing;

// `count` independent points m + s z of D values.
std::vector<std::vector<double>> points_of(std::size_t dimension, double mean, double sd,
                                           std::uint32_t number, std::size_t count = 200) {
  Rng rng({.seed = 71, .purpose = purpose::kTest, .chain = number});
  std::vector<std::vector<double>> points(count, std::vector<double>(dimension));
  for (auto& point : points)
    for (double& x : point) x = mean + sd * rng.normal();
  return points;
}

TEST(clearness, is_one_where_a_drift_is_as_far_and_as_clear_as_it_must_be) {
  EXPECT_DOUBLE_EQ(clearness(0.2, 0.01), 1.0);
  EXPECT_DOUBLE_EQ(clearness(-0.4, 0.1), 1.0);  // four errors
  EXPECT_DOUBLE_EQ(clearness(0.1, 1e-6), 0.5);  // clear and near
  EXPECT_DOUBLE_EQ(clearness(1.0, 1.0), 0.25);  // far and unclear
  EXPECT_EQ(clearness(1.0, 0.0), 0.0);
}

TEST(clearest_drift, is_not_seen_of_draws_of_the_density) {
  const Target target = invariance::standard_normal(5);
  for (std::uint32_t k = 0; k < 10; ++k) {
    const Drift drift = clearest_drift(*target.density, points_of(5, 0.0, 1.0, k));
    EXPECT_GE(drift.coordinate, 0);
    EXPECT_LT(drift.clear(), 1.0) << drift.drift << " +- " << drift.error;
  }
}

// Planted: another mean, and half and twice the spread. Pareto k of narrow draws is low where they see no tail.
TEST(clearest_drift, is_seen_of_draws_with_another_mean_or_spread) {
  const Target target = invariance::standard_normal(5);
  const Drift mean = clearest_drift(*target.density, points_of(5, 2.0, 1.0, 11)),
              narrow = clearest_drift(*target.density, points_of(5, 0.0, 0.3, 12)),
              wide = clearest_drift(*target.density, points_of(5, 0.0, 3.0, 13));
  EXPECT_GT(mean.clear(), 1.0);
  EXPECT_LT(mean.drift, 0.0);
  EXPECT_FALSE(mean.of_spread);
  EXPECT_GT(narrow.clear(), 1.0);
  EXPECT_GT(narrow.drift, 0.0);
  EXPECT_GT(wide.clear(), 1.0);
  EXPECT_LT(wide.drift, 0.0);
}

}  // namespace
}  // namespace credo::infer::drift_test
