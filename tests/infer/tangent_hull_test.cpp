// The hull of tangents by itself: it bounds, and what is drawn under it has its distribution, for slopes that are
// equal, nearly equal, 0 and steep, with and without ends.
#include "infer/mcmc/rejection/tangent_hull.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::tangent_hull_test {
namespace {
using credo::testing::test_seed;

// Kolmogorov's distance times sqrt(n); above 2.28 with probability 6e-5 where the cdf is right.
constexpr double kKolmogorovLimit = 2.28;

struct HullCase {
  std::string name;
  double lower, upper;
  std::vector<TangentPoint> points;
};

std::vector<HullCase> hull_cases() {
  constexpr double kInf = kInfinity;
  return {
      {"normal", -kInf, kInf, {{-1.3, -0.845, 1.3}, {0.2, -0.02, -0.2}, {1.1, -0.605, -1.1}}},
      {"one tangent of an exponential distribution", 0.0, kInf, {{0.7, -0.7, -1.0}}},
      {"equal slopes", 0.0, kInf, {{0.5, -0.5, -1.0}, {2.0, -2.0, -1.0}, {2.5, -2.5, -1.0}}},
      {"slopes equal but for rounding",
       0.0,
       kInf,
       {{0.5, -0.5, -1.0}, {2.0, -2.0, -1.0 - 2e-16}, {2.5, -2.5, -1.0 - 4e-16}}},
      {"flat", -1.0, 3.0, {{0.0, 5.0, 0.0}, {2.0, 5.0, 0.0}}},
      {"nearly flat", -1.0, 3.0, {{0.0, 5.0, 1e-13}, {2.0, 5.0, -1e-13}}},
      {"denormal slopes", -1.0, 3.0, {{0.0, 5.0, 1e-310}, {2.0, 5.0, 0.0}}},
      {"flat between steep sides",
       -kInf,
       kInf,
       {{-1.0, 0.0, 50.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, -50.0}}},
      {"values far from 0", -kInf, kInf, {{-1.0, -9e8, 1.0}, {1.0, -9e8, -1.0}}},
      {"points next to each other",
       -kInf,
       kInf,
       {{1.0, 0.0, 1.0}, {std::nextafter(1.0, 2.0), 0.0, -1.0}}},
      {"rising to a bound", -kInf, 2.0, {{0.0, 0.0, 0.5}}},
      {"a tangent that overflows", -kInf, kInf, {{0.0, 0.0, 0.5}, {230.0, -1e99, -1e99}}},
      {"a wide range", 0.0, 1e300, {{1.0, -1.0, -1.0}, {5.0, -6.0, -2.0}}},
  };
}

TangentHull hull_of(const HullCase& of) {
  TangentHull hull(16);
  hull.clear(of.lower, of.upper);
  for (const TangentPoint& point : of.points) hull.add(point);
  return hull;
}

// The least tangent: what the hull is where tangents meet in order.
double least_tangent(const HullCase& of, double x) {
  double least = kInfinity;
  for (const TangentPoint& p : of.points) least = std::min(least, p.value + p.slope * (x - p.x));
  return least;
}

// The cdf of e^u at sorted places by Simpson's rule between each two of them, less a constant.
std::vector<double> integrals(const HullCase& of, std::span<const double> places) {
  double most = -kInfinity;
  for (const double x : places) most = std::max(most, least_tangent(of, x));
  const auto density = [&](double x) { return std::exp(least_tangent(of, x) - most); };
  std::vector<double> sums(places.size(), 0.0);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double a = places[i - 1], b = places[i];
    sums[i] =
        sums[i - 1] + (b - a) / 6.0 * (density(a) + 4.0 * density(0.5 * (a + b)) + density(b));
  }
  return sums;
}

// Draws against the integral of e^u over 20,000 cells of the range that they lie in; beyond it less than e^-30.
double distance_of(const HullCase& of, std::vector<double> draws) {
  std::sort(draws.begin(), draws.end());
  const double spread = draws.back() - draws.front();
  const double lo = std::max(of.lower, draws.front() - 3.0 * spread),
               hi = std::min(of.upper, draws.back() + 3.0 * spread);
  std::vector<double> places;
  for (int k = 0; k <= 20'000; ++k) places.push_back(lo + (hi - lo) * k / 20'000.0);
  const std::vector<double> sums = integrals(of, places);
  const auto cdf = [&](double x) {
    const double at = (x - lo) / (hi - lo) * 20'000.0;
    const auto k = std::min<std::size_t>(static_cast<std::size_t>(std::max(at, 0.0)), 19'999);
    return (sums[k] + (sums[k + 1] - sums[k]) * (at - static_cast<double>(k))) / sums.back();
  };
  const double n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = cdf(draws[i]), rank = static_cast<double>(i);
    distance = std::max({distance, p - rank / n, (rank + 1.0) / n - p});
  }
  return distance * std::sqrt(n);
}

std::vector<double> draws_of(const TangentHull& hull, std::uint64_t seed) {
  Rng rng({.seed = test_seed(seed), .purpose = purpose::kTest});
  std::vector<double> draws(20'000);
  for (double& x : draws) x = hull.draw(rng.uniform(), rng.uniform()).x;
  return draws;
}

// Two numbers beside each other have no cells between them: their distribution is told by its sides below.
bool has_cells(const HullCase& of) { return of.name != "a wide range"; }

TEST(tangent_hull, draws_from_its_own_distribution_whatever_the_slopes) {
  for (const HullCase& of : hull_cases())
    if (has_cells(of)) {
      EXPECT_LT(distance_of(of, draws_of(hull_of(of), 3)), kKolmogorovLimit) << of.name;
    }
}

// The same with a tangent that is turned, which is another distribution.
TEST(tangent_hull, draws_of_another_slope_are_rejected) {
  HullCase of = hull_cases()[0];
  const std::vector<double> draws = draws_of(hull_of(of), 4);
  of.points[2].slope *= 1.3;
  EXPECT_GT(distance_of(of, draws), kKolmogorovLimit);
}

TEST(tangent_hull, says_the_bound_under_which_it_drew_and_stays_within_its_ends) {
  for (const HullCase& of : hull_cases()) {
    const TangentHull hull = hull_of(of);
    Rng rng({.seed = test_seed(5), .purpose = purpose::kTest});
    for (int k = 0; k < 2000; ++k) {
      const TangentHull::Drawn drawn = hull.draw(rng.uniform(), rng.uniform());
      ASSERT_TRUE(std::isfinite(drawn.x) && std::isfinite(drawn.bound)) << of.name;
      ASSERT_GE(drawn.x, of.lower) << of.name;
      ASSERT_LE(drawn.x, of.upper) << of.name;
      // rounding of a tangent, and of where two meet
      ASSERT_NEAR(drawn.bound, hull.bound(drawn.x), 1e-9 * std::max(1.0, std::fabs(drawn.bound)))
          << of.name;
    }
  }
}

// Exponential of mean 1 at 1 and with slope -2 beyond the place where both meet: 5 - 6 + 2·5 ... by the formula.
TEST(tangent_hull, has_the_masses_of_its_pieces_where_the_range_is_wide) {
  const HullCase of = hull_cases().back();
  const TangentHull hull = hull_of(of);
  const double meet = 4.0;  // -x = -6 - 2 (x - 5)
  const double left = 1.0 - std::exp(-meet), right = 0.5 * std::exp(-meet);
  double beyond = 0.0;
  for (const double x : draws_of(hull, 6)) beyond += x > meet ? 1.0 : 0.0;
  const double p = right / (left + right), n = 20'000.0;
  EXPECT_NEAR(beyond / n, p, 4.0 * std::sqrt(p * (1.0 - p) / n));
}

// log of a density of a normal: hull and chords at random places.
TEST(tangent_hull, lies_above_a_concave_function_and_its_chords_below) {
  TangentHull hull(16);
  hull.clear(-kInfinity, kInfinity);
  const auto at = [](double x) { return TangentPoint{x, -0.5 * x * x, -x}; };
  Rng rng({.seed = test_seed(7), .purpose = purpose::kTest});
  for (int k = 0; k < 8; ++k) {
    hull.add(at(3.0 * rng.normal()));
    for (int j = 0; j < 200; ++j) {
      const double x = 4.0 * rng.normal(), h = at(x).value;
      ASSERT_GE(hull.bound(x), h - 1e-12);
      ASSERT_LE(hull.chord(x), h + 1e-12);
    }
  }
  for (const TangentPoint& p : hull.points()) {
    EXPECT_NEAR(hull.bound(p.x), p.value, 1e-12);
    EXPECT_NEAR(hull.chord(p.x), p.value, 1e-12);
  }
}

TEST(tangent_hull, finds_what_is_off_a_concave_function) {
  TangentHull hull(16);
  hull.clear(-kInfinity, kInfinity);
  hull.add({-1.0, 0.0, 1.0});
  hull.add({1.0, 0.0, -1.0});
  EXPECT_LE(hull.excess({0.0, 0.5, 0.0}).value, 0.0);             // between chord and hull
  EXPECT_NEAR(hull.excess({0.0, 1.25, 0.0}).value, 0.25, 1e-10);  // above the hull
  EXPECT_NEAR(hull.excess({0.0, -0.5, 0.0}).value, 0.5, 1e-10);   // below the chord
  EXPECT_NEAR(hull.excess({0.0, 0.5, 0.75}).value, 0.25, 1e-10);  // a slope that misses a neighbour
  EXPECT_EQ(hull.excess({3.0, 0.0, 0.0}).beside.x, 1.0);
}

TEST(tangent_hull, ends_where_it_was_cut_and_is_full_at_its_capacity) {
  TangentHull hull(2);
  hull.clear(-kInfinity, kInfinity);
  hull.add({0.0, 0.0, 1.0});
  EXPECT_TRUE(hull.falls_left());
  EXPECT_FALSE(hull.falls_right());
  hull.cut(4.0);
  EXPECT_TRUE(hull.falls_right());
  EXPECT_EQ(hull.bound(4.5), -kInfinity);
  hull.add({1.0, 0.5, 0.0});
  hull.add({2.0, 0.0, -1.0});
  EXPECT_EQ(hull.points().size(), 2u);
  Rng rng({.seed = test_seed(8), .purpose = purpose::kTest});
  for (int k = 0; k < 1000; ++k) EXPECT_LE(hull.draw(rng.uniform(), rng.uniform()).x, 4.0);
}

}  // namespace
}  // namespace credo::infer::tangent_hull_test
