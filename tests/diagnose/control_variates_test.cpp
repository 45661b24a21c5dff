// Control variates from gradients: the same expectation, less variance, none where the value is a polynomial.
#include "diagnose/control_variates.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "diagnose/convergence.hpp"

namespace credo::diagnose::control_variates_test {
namespace {

// Independent draws of a normal distribution of three coordinates with correlations, and its gradients: x = m + L z,
// -P (x - m). `slope`: a factor of the gradients, which are wrong for any other than 1.
GradientDraws normal_draws(std::uint64_t seed, Index num_draws, double slope = 1.0) {
  constexpr std::array<double, 9> kFactor{1.0, 0.0, 0.0, 0.8, 0.6, 0.0, 2.0, -1.0, 3.0};
  GradientDraws draws{.dimension = 3, .num_draws = num_draws, .num_chains = 2};
  Rng rng({.seed = seed, .purpose = purpose::kTest + 91});
  for (Index s = 0; s < 2 * num_draws; ++s) {
    const std::array<double, 3> z{rng.normal(), rng.normal(), rng.normal()};
    const auto row = [&](std::size_t i) {
      return kFactor[3 * i] * z[0] + kFactor[3 * i + 1] * z[1] + kFactor[3 * i + 2] * z[2];
    };
    draws.positions.insert(draws.positions.end(), {1.0 + row(0), -2.0 + row(1), 5.0 + row(2)});
    // -L'^-1 z, by back substitution
    const double g2 = z[2] / 3.0, g1 = (z[1] + g2) / 0.6, g0 = z[0] - 0.8 * g1 - 2.0 * g2;
    draws.gradients.insert(draws.gradients.end(), {-slope * g0, -slope * g1, -slope * g2});
  }
  return draws;
}

template <class F>
std::vector<double> values_of(const GradientDraws& draws, const F& f) {
  std::vector<double> values;
  for (std::size_t s = 0; s < draws.positions.size(); s += 3)
    values.push_back(f(std::span(draws.positions).subspan(s, 3)));
  return values;
}

using Point = std::span<const double>;

struct Answer {
  double mean, mcse, mcse_plain;
};
Answer answer(const GradientDraws& draws, const std::vector<double>& values) {
  const std::vector<double> better =
      controlled({values, draws.num_draws, draws.num_chains}, control_variates(draws));
  return {mean(better), mcse_mean({better, draws.num_draws, draws.num_chains}),
          mcse_mean({values, draws.num_draws, draws.num_chains})};
}

TEST(control_variates, find_the_mean_of_a_quadratic_polynomial_of_normal_draws_exactly) {
  const GradientDraws draws = normal_draws(1, 200);
  EXPECT_EQ(control_variates(draws).degree, 2);
  EXPECT_EQ(control_variates(draws).count, 9);
  const auto values =
      values_of(draws, [](Point x) { return 3.0 * x[0] - x[1] * x[2] + x[2] * x[2]; });
  // E x0 = 1, E x1 x2 = -10 + cov = -10 + 0.8 * 2 - 0.6, E x2^2 = 25 + 4 + 1 + 9
  const Answer found = answer(draws, values);
  EXPECT_NEAR(found.mean, 3.0 + 9.0 + 39.0,
              1e-3 * found.mcse_plain);  // the ridge of 1e-6 leaves so much
  EXPECT_LT(found.mcse, 1e-3 * found.mcse_plain);
}

// exp(x0 / 2) isn't a polynomial; its mean is exp(1/2 + 1/8). Over seeds the errors must be as large as they say.
TEST(control_variates, bring_no_bias_and_tell_their_error) {
  double squares = 0.0, ratios = 0.0;
  constexpr int kSeeds = 200;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const GradientDraws draws = normal_draws(seed, 200);
    const Answer found =
        answer(draws, values_of(draws, [](Point x) { return std::exp(0.5 * x[0]); }));
    squares += std::pow((found.mean - std::exp(0.625)) / found.mcse, 2);
    ratios += found.mcse_plain / found.mcse / kSeeds;
  }
  // A mean of squares of 200 standard normal numbers is within 1 ± 0.3 with three standard deviations; errors are estimates.
  EXPECT_NEAR(squares / kSeeds, 1.0, 0.4);
  EXPECT_GT(ratios, 5.0);
}

TEST(control_variates, with_wrong_gradients_are_found_by_the_same_claim) {
  double squares = 0.0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const GradientDraws draws = normal_draws(seed, 200, 0.9);
    const Answer found = answer(draws, values_of(draws, [](Point x) { return x[0] * x[0]; }));
    squares += std::pow((found.mean - 2.0) / found.mcse, 2) / 50.0;
  }
  EXPECT_GT(squares, 100.0);
}

TEST(control_variates, take_a_lower_degree_or_refuse_where_draws_are_few) {
  EXPECT_EQ(control_variates(normal_draws(1, 20)).degree,
            1);  // 10 in a half, of two chains; 9 variates want 45
  EXPECT_THROW(control_variates(normal_draws(1, 10)), Error);
  GradientDraws broken = normal_draws(1, 200);
  broken.gradients[7] = kInfinity;
  EXPECT_THROW(control_variates(broken), Error);
}

}  // namespace
}  // namespace credo::diagnose::control_variates_test
