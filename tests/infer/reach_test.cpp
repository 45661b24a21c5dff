// Mass beyond the reach of draws: in closed form for Student's t, and none of normal distributions.
#include "infer/variational/certificate/reach.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "infer/known_posteriors.hpp"

namespace credo::infer::reach_test {
namespace {
using namespace credo::testing;

// t with ν degrees of freedom in each of D coordinates; ν = 0: normal.
std::unique_ptr<density::LogDensity> independent_t(Index dimension, double nu) {
  return density::make_density(dimension, [nu](Values x, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      sum += nu == 0.0 ? -0.5 * x[d] * x[d] : -0.5 * (nu + 1.0) * std::log1p(x[d] * x[d] / nu);
      if (!gradient.empty())
        gradient[d] = nu == 0.0 ? -x[d] : -(nu + 1.0) * x[d] / (nu + x[d] * x[d]);
    }
    return sum;
  });
}

std::vector<std::vector<double>> normal_points(std::size_t dimension, double sd,
                                               std::uint32_t seed) {
  Rng rng({.seed = test_seed(1), .purpose = purpose::kTest, .chain = seed, .iteration = 0});
  std::vector<std::vector<double>> points(128, std::vector<double>(dimension));
  for (auto& point : points)
    for (double& x : point) x = sd * rng.normal();
  return points;
}

// Standard deviations of the points are those of the weighted draws of the best normal distributions.
TEST(unreached_mass, is_seen_of_heavy_tails_and_of_no_normal_distribution) {
  constexpr Index kDraws = 4000;
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    for (const Index dimension : {1, 3, 10}) {
      const auto n = static_cast<std::size_t>(dimension);
      const auto none =
          unreached_mass(*independent_t(dimension, 0.0), normal_points(n, 1.0, seed), kDraws);
      ASSERT_TRUE(none);
      EXPECT_FALSE(none->is_much()) << none->share << ' ' << dimension;
      EXPECT_LT(none->share, 0.005) << dimension;
    }
    EXPECT_TRUE(
        unreached_mass(*independent_t(1, 2.0), normal_points(1, 1.5, seed), kDraws)->is_much());
    EXPECT_TRUE(
        unreached_mass(*independent_t(3, 3.0), normal_points(3, 1.4, seed), kDraws)->is_much());
  }
}

TEST(unreached_mass, takes_ten_points_for_each_dimension) {
  EXPECT_FALSE(unreached_mass(*independent_t(13, 0.0), normal_points(13, 1.0, 1), 4000));
  EXPECT_FALSE(unreached_mass(*independent_t(1, 0.0), {}, 4000));
  const std::vector<std::vector<double>> same(100, {0.0});
  EXPECT_FALSE(unreached_mass(*independent_t(1, 0.0), same, 4000));
}

// P(|t| > r) of two degrees of freedom is 1 - r / √(2 + r²), at r = 3.66 of these points.
TEST(unreached_mass, of_t_is_its_closed_form) {
  std::vector<std::vector<double>> points;
  for (int k = 0; k < 100; ++k) points.push_back({k % 2 == 0 ? 0.995 : -0.995});  // variance 1
  const double reach = 3.6623;  // P(|z| > r) = 1 / 4000
  const auto found = unreached_mass(*independent_t(1, 2.0), points, 4000);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 1.0 - reach / std::sqrt(2.0 + reach * reach), 4.0 * found->error);
  EXPECT_LT(found->error, 0.01);
}

// The logarithm u of an inverse gamma value with shape a and scale 1: log p = -a u - e^-u. The normal distribution of its evidence bound
// has the variance 1 / a and the mean log(1 / a) + 1 / (2 a).
std::unique_ptr<density::LogDensity> log_inverse_gamma(double shape) {
  return density::make_density(1, [shape](Values x, std::span<double> gradient) {
    const double e = std::exp(-x[0]);
    if (!gradient.empty()) gradient[0] = -shape + e;
    return -shape * x[0] - e;
  });
}
std::vector<std::vector<double>> exponentials(std::span<const std::vector<double>> points) {
  std::vector<std::vector<double>> rows;
  for (const std::vector<double>& point : points) rows.push_back({std::exp(point[0])});
  return rows;
}

// For an inverse gamma value with shape 3 less than a hundredth of the mass is beyond the draws, and a third of the variance. With shape 20, and
// of a lognormal value, whose variance is far out by itself, nothing is missing.
TEST(unreached_mass, has_the_variance_of_a_tail_that_the_normal_lacks) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    const auto points_about = [&](double mean, double sd) {
      auto points = normal_points(1, sd, seed);
      for (auto& point : points) point[0] += mean;
      return points;
    };
    const auto heavy = unreached_mass(
        *log_inverse_gamma(3.0),
        points_about(std::log(1.0 / 3.0) + 1.0 / 6.0, std::sqrt(1.0 / 3.0)), 4000, exponentials);
    ASSERT_TRUE(heavy);
    EXPECT_TRUE(heavy->has_spread()) << heavy->spread << " +- " << heavy->spread_error;
    EXPECT_FALSE(heavy->is_much()) << heavy->share;
    const auto light = unreached_mass(
        *log_inverse_gamma(20.0),
        points_about(std::log(1.0 / 20.0) + 1.0 / 40.0, std::sqrt(1.0 / 20.0)), 4000, exponentials);
    EXPECT_FALSE(light->has_spread()) << light->spread << " +- " << light->spread_error;
    for (const double sd : {0.5, 1.0, 2.0}) {
      const auto lognormal = density::make_density(1, [sd](Values x, std::span<double> gradient) {
        if (!gradient.empty()) gradient[0] = -x[0] / (sd * sd);
        return -0.5 * x[0] * x[0] / (sd * sd);
      });
      const auto none = unreached_mass(*lognormal, points_about(0.0, sd), 4000, exponentials);
      EXPECT_FALSE(none->has_spread())
          << sd << ": " << none->spread << " +- " << none->spread_error;
    }
  }
}

}  // namespace
}  // namespace credo::infer::reach_test
