// Integrals of normal distributions times functions, by closed forms, Gauss–Hermite and grids.
#include "numerics/gaussian_integrals.hpp"

#include <gtest/gtest.h>

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::numerics::gaussian_integrals_test {
namespace {

LogFactor factor_of(double (*log_f)(double), double (*slope)(double)) {
  return [log_f, slope](std::span<const double> s, std::span<double> values,
                        std::span<double> slopes) {
    for (std::size_t i = 0; i < s.size(); ++i) values[i] = log_f(s[i]), slopes[i] = slope(s[i]);
  };
}
const LogFactor kProbitFactor =
    factor_of([](double s) { return log_phi(1.7 * s - 0.4); },
              [](double s) { return 1.7 * inverse_mills(1.7 * s - 0.4); });
const LogFactor kLogisticFactor =
    factor_of([](double s) { return log_inv_logit(s); }, [](double s) { return inv_logit(-s); });
const LogFactor kPoissonFactor = factor_of([](double s) { return 3.0 * s - std::exp(s); },
                                           [](double s) { return 3.0 - std::exp(s); });

void expect_same(const TiltedNormal& a, const TiltedNormal& b, double digits) {
  EXPECT_NEAR(a.log_mass, b.log_mass, digits);
  EXPECT_NEAR(a.mean, b.mean, digits * std::sqrt(b.variance));
  EXPECT_NEAR(a.variance, b.variance, digits * b.variance);
}

// E z^(2k) = (2k - 1)!!, to the degree 63; the largest is 2e40.
TEST(hermite_rule, has_the_moments_of_the_normal_distribution) {
  const HermiteRule& rule = hermite_rule();
  double exact = 1.0;
  for (int k = 0; k <= 31; ++k) {
    if (k > 0) exact *= 2.0 * k - 1.0;
    double even = 0.0, odd = 0.0, size = 0.0;
    for (std::size_t i = 0; i < rule.points.size(); ++i) {
      const double term = rule.weights[i] * std::pow(rule.points[i], 2 * k);
      even += term, odd += term * rule.points[i], size += std::abs(term * rule.points[i]);
    }
    EXPECT_NEAR(even / exact, 1.0, 1e-12) << k;
    EXPECT_NEAR(odd / size, 0.0, 1e-12) << k;
  }
}

TEST(tilted_normals, of_closed_forms_are_sums_over_a_grid) {
  for (const auto& [mean, variance] :
       {std::pair(0.3, 0.8), std::pair(-4.0, 25.0), std::pair(2.0, 1e-3)}) {
    const TiltedPeak peak = tilted_peak(mean, variance, kProbitFactor, 1.0);
    ASSERT_TRUE(peak.found());
    const TiltedNormal by_grid = tilted_by_grid(mean, variance, kProbitFactor, 1.0, peak);
    expect_same(tilted_by_probit(mean, variance, 1.7, -0.4), by_grid, 1e-9);
  }
  const LogFactor parabola = factor_of([](double s) { return 2.0 * s - 3.0 * s * s; },
                                       [](double s) { return 2.0 - 6.0 * s; });
  expect_same(tilted_by_normal(1.0, 4.0, 2.0, 6.0),
              tilted_by_grid(1.0, 4.0, parabola, 1.0, tilted_peak(1.0, 4.0, parabola, 1.0)), 1e-11);
  EXPECT_TRUE(std::isnan(tilted_by_normal(0.0, 1.0, 0.0, -1.5).log_mass));  // no finite integral
}

TEST(tilted_normals, by_hermite_are_sums_over_a_grid_for_smooth_factors) {
  for (const LogFactor& factor : {kLogisticFactor, kPoissonFactor})
    for (const double power : {0.5, 1.0}) {
      const TiltedPeak peak = tilted_peak(0.5, 1.5, factor, power);
      expect_same(tilted_by_hermite(0.5, 1.5, factor, power, peak),
                  tilted_by_grid(0.5, 1.5, factor, power, peak), 1e-6);
    }
}

// The mass at a mode far away from a wide normal distribution: closed forms in units of 1e-3 of its width.
TEST(tilted_normals, of_sharp_factors_keep_their_mass) {
  const LogFactor sharp = factor_of([](double s) { return -0.5 * square((s - 70.0) / 0.05); },
                                    [](double s) { return -(s - 70.0) / square(0.05); });
  const double precision = 1.0 / square(0.05);
  TiltedNormal exact = tilted_by_normal(0.0, 2500.0, 70.0 * precision, precision);
  exact.log_mass -= 0.5 * 4900.0 * precision;
  const TiltedPeak peak = tilted_peak(0.0, 2500.0, sharp, 1.0);
  expect_same(tilted_by_hermite(0.0, 2500.0, sharp, 1.0, peak), exact, 1e-7);
  expect_same(tilted_by_grid(0.0, 2500.0, sharp, 1.0, peak), exact, 1e-7);
}

// Two modes: a mixture of two normal factors, each by closed form; Gauss–Hermite at one of them misses the other.
TEST(tilted_normals, of_two_modes_need_the_grid) {
  const auto part = [](double s, double at) { return -0.5 * square((s - at) / 0.3); };
  const LogFactor two = [part](std::span<const double> s, std::span<double> values,
                               std::span<double> slopes) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double low = part(s[i], -2.0), high = part(s[i], 2.5);
      values[i] = log_sum_exp(low, high);
      slopes[i] =
          (exp(low - values[i]) * (-2.0 - s[i]) + exp(high - values[i]) * (2.5 - s[i])) / 0.09;
    }
  };
  double mass = 0.0, mean = 0.0, second = 0.0;
  for (const double at : {-2.0, 2.5}) {
    const TiltedNormal one = tilted_by_normal(0.2, 3.0, at / 0.09, 1.0 / 0.09);
    const double share = exp(one.log_mass - 0.5 * at * at / 0.09);
    mass += share, mean += share * one.mean;
    second += share * (one.variance + one.mean * one.mean);
  }
  mean /= mass;
  const TiltedNormal exact{log(mass), mean, second / mass - mean * mean};
  const TiltedPeak peak = tilted_peak(0.2, 3.0, two, 1.0);
  expect_same(tilted_by_grid(0.2, 3.0, two, 1.0, peak), exact, 1e-9);
  EXPECT_GT(std::abs(tilted_by_hermite(0.2, 3.0, two, 1.0, peak).log_mass - exact.log_mass), 0.01);
}

// Bonnet: ∂ E f / ∂m = E f'; Price: ∂ E f / ∂v = ½ E f''. By central differences, whose error is about h². Planted: the curvature without
// its half.
TEST(gaussian_integrals, have_the_derivatives_of_their_expectations) {
  constexpr double kStep = 1e-4, kError = 1e-7;
  for (const LogFactor& factor : {kLogisticFactor, kPoissonFactor, kProbitFactor}) {
    const auto value = [&](double mean, double variance) {
      return expectations_by_hermite(mean, variance, factor).value;
    };
    const NormalExpectations at = expectations_by_hermite(0.4, 0.9, factor);
    const double by_mean = (value(0.4 + kStep, 0.9) - value(0.4 - kStep, 0.9)) / (2.0 * kStep),
                 by_variance = (value(0.4, 0.9 + kStep) - value(0.4, 0.9 - kStep)) / (2.0 * kStep);
    EXPECT_NEAR(at.slope, by_mean, kError);
    EXPECT_NEAR(0.5 * at.curvature, by_variance, kError);
    EXPECT_GT(std::abs(at.curvature - by_variance), 100.0 * kError);
    const NormalExpectations by_grid = expectations_by_grid(0.4, 0.9, factor);
    EXPECT_NEAR(at.value, by_grid.value, 1e-8);  // 32 points have 3e-9 of the probit factor
    EXPECT_NEAR(at.curvature, by_grid.curvature, 1e-6);
  }
}

}  // namespace
}  // namespace credo::numerics::gaussian_integrals_test
