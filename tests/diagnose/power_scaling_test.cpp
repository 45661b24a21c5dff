// Power-scaling against its closed form: a normal mean with a normal prior, whose posterior at any powers is normal.
#include "diagnose/power_scaling.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "diagnose/chains.hpp"

namespace credo::diagnose::power_scaling_test {
namespace {

// Prior normal(0, 1), likelihood normal(ybar | theta, 1 / sqrt(n)).
constexpr double kMean = 1.5, kPrecision = 4.0;

struct Normal {
  double mean, sd;
};
Normal posterior(double prior_power, double likelihood_power) {
  const double precision = prior_power + likelihood_power * kPrecision;
  return {likelihood_power * kPrecision * kMean / precision, 1.0 / std::sqrt(precision)};
}

std::vector<double> draws_of(const Normal& distribution, std::size_t count) {
  std::vector<double> z(count);
  fill_normal({.seed = 5, .purpose = purpose::kTest, .chain = 9, .iteration = 0}, 0, z);
  // Standardised, so that only the shape of the sample is left to chance.
  const double mean = diagnose::mean(z), sd = std::sqrt(variance(z));
  for (double& x : z) x = distribution.mean + distribution.sd * (x - mean) / sd;
  return z;
}

double cdf(const Normal& distribution, double x) {
  return 0.5 * std::erfc(-(x - distribution.mean) / distribution.sd / std::sqrt(2.0));
}

// Distance of two distributions by the integral itself, over the range of a sample: the distance depends on where that ends.
double exact_distance(const Normal& a, const Normal& b, double from, double to) {
  const auto part = [](double x, double m) { return x > 0.0 ? x * std::log2(x / m) : 0.0; };
  double below = 0.0, above = 0.0, below_bound = 0.0, above_bound = 0.0;
  const double width = 1e-4;
  for (double x = from; x < to; x += width) {
    const double p = cdf(a, x), q = cdf(b, x), m = 0.5 * (p + q);
    below += width * (part(p, m) + part(q, m)), below_bound += width * (p + q);
    above += width * (part(1 - p, 1 - m) + part(1 - q, 1 - m)), above_bound += width * (2 - p - q);
  }
  return std::max(std::sqrt(below / below_bound), std::sqrt(above / above_bound));
}

struct Case {
  const char* name;
  bool of_prior;
};

class Powers : public ::testing::TestWithParam<Case> {};

TEST_P(Powers, move_the_posterior_as_the_closed_form_says) {
  const bool of_prior = GetParam().of_prior;
  const Normal base = posterior(1.0, 1.0);
  const std::vector<double> draws = draws_of(base, 40000);
  std::vector<double> log_part;
  for (const double x : draws)
    log_part.push_back(of_prior ? -0.5 * x * x : -0.5 * kPrecision * (x - kMean) * (x - kMean));
  const PowerScaling scaling = power_scaling(log_part);
  const Sensitivity found = sensitivity_of(draws, scaling);
  const auto at = [&](double power) {
    return of_prior ? posterior(power, 1.0) : posterior(1.0, power);
  };
  const Normal upper = at(1.01), lower = at(1.0 / 1.01);
  const double doublings = 2.0 * std::log2(1.01);
  // Standard errors of the slopes: those of second and third moments of 40000 draws, 1 to 3 % of the slopes.
  const double mean = (upper.mean - lower.mean) / base.sd / doublings,
               sd = std::log(upper.sd / lower.sd) / doublings;
  EXPECT_NEAR(found.mean, mean, 0.03 * std::abs(mean) + 0.003);
  EXPECT_NEAR(found.sd, sd, 0.03 * std::abs(sd) + 0.006);
  const auto [least, most] = std::minmax_element(draws.begin(), draws.end());
  const double distance =
      (exact_distance(base, upper, *least, *most) + exact_distance(base, lower, *least, *most)) /
      doublings;
  EXPECT_NEAR(found.distance, distance, 0.04 * distance);
  EXPECT_LT(scaling.pareto_k, 0.5);
  // A slope taken per unit of the power instead of per doubling would be rejected.
  EXPECT_GT(std::abs(found.mean / std::log(2.0) - mean), 0.03 * std::abs(mean) + 0.003);
}

INSTANTIATE_TEST_SUITE_P(both, Powers,
                         ::testing::Values(Case{"prior", true}, Case{"likelihood", false}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(cumulative_js_distance, is_0_for_equal_weights_and_grows_to_at_most_1) {
  const std::vector<double> draws = {0.0, 1.0, 2.0, 3.0}, first = {1.0, 0.0, 0.0, 0.0},
                            last = {0.0, 0.0, 0.0, 1.0}, equal(4, 0.25);
  EXPECT_EQ(cumulative_js_distance(draws, equal, equal), 0.0);
  EXPECT_NEAR(cumulative_js_distance(draws, first, last), 1.0, 1e-12);
  const std::vector<double> moved = {100.0, 110.0, 120.0, 130.0}, other = {0.1, 0.2, 0.3, 0.4};
  EXPECT_NEAR(cumulative_js_distance(draws, equal, other),
              cumulative_js_distance(moved, equal, other), 1e-12);
}

}  // namespace
}  // namespace credo::diagnose::power_scaling_test
