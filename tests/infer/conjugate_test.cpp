// Conjugate posteriors from values of a log density alone, against closed forms; and log densities that miss conjugacy.
#include "infer/conjugate/conjugate.hpp"

#include <gtest/gtest.h>

#include "numerics/special.hpp"

namespace credo::infer::conjugate {
namespace {

// Relative to closed forms: the natural parameters have the rounding of a least squares problem of three columns.
constexpr double kExact = 1e-8;

Problem problem(std::vector<Unit> units, LogDensityAt log_density) {
  const auto size = ssize(units);
  return {.units = std::move(units),
          .num_values = size,
          .log_density = log_density,
          .statements = {{log_density, true}}};
}

// Seven successes in ten, with a beta(2, 3) prior.
double coin(double theta, double wrong) {
  return -numerics::lbeta(2.0, 3.0) + std::log(120.0) + 8.0 * std::log(theta) +
         5.0 * std::log1p(-theta) + wrong * theta * theta;
}

TEST(Conjugate, beta_posterior_and_evidence_of_a_coin) {
  const Answer answer = solve(problem({{"theta", Domain::unit, {0}}},
                                      [](std::span<const double> v) { return coin(v[0], 0.0); }));
  ASSERT_FALSE(answer.refusal) << answer.refusal->reason;
  const Marginal theta = answer.blocks.at(0)->marginals().at(0);
  EXPECT_EQ(theta.family, "beta");
  EXPECT_NEAR(theta.arguments[0].value, 9.0, 9.0 * kExact);
  EXPECT_NEAR(theta.arguments[1].value, 6.0, 6.0 * kExact);
  EXPECT_NEAR(theta.mean, 0.6, kExact);
  EXPECT_NEAR(answer.log_evidence,
              std::log(120.0) + numerics::lbeta(9.0, 6.0) - numerics::lbeta(2.0, 3.0), kExact);
  EXPECT_GE(answer.num_checks, 10);
}

TEST(Conjugate, a_small_term_outside_of_the_statistics_is_refused) {
  for (const double wrong : {1.0, 1e-3, -1e-6}) {
    const Answer answer =
        solve(problem({{"theta", Domain::unit, {0}}},
                      [&](std::span<const double> v) { return coin(v[0], wrong); }));
    ASSERT_TRUE(answer.refusal) << wrong;
    EXPECT_EQ(answer.refusal->statement, 0) << wrong;
  }
}

TEST(Conjugate, parameters_that_do_not_meet_are_blocks) {
  const Answer answer = solve(problem(
      {{"a", Domain::positive, {0}}, {"b", Domain::real, {1}}, {"c", Domain::real, {2}}},
      [](std::span<const double> v) {
        const double b = v[1] - 1e3, c = v[2] + 2.0;
        return 4.0 * std::log(v[0]) - 2.0 * v[0] - 0.5 * (2.0 * b * b + 1.0 * b * c + c * c);
      }));
  ASSERT_FALSE(answer.refusal) << answer.refusal->reason;
  ASSERT_EQ(answer.blocks.size(), 2u);
  EXPECT_EQ(answer.blocks[0]->family(), "gamma");
  EXPECT_EQ(answer.blocks[1]->family(), "multi_normal");
  const auto reals = answer.blocks[1]->marginals();
  EXPECT_NEAR(reals[0].mean, 1e3, 1e3 * kExact);
  EXPECT_NEAR(reals[1].mean, -2.0, kExact);
  EXPECT_NEAR(reals[0].sd, std::sqrt(1.0 / 1.75), kExact);  // precision (2, 1/2; 1/2, 1)
  EXPECT_NEAR(reals[1].sd, std::sqrt(2.0 / 1.75), kExact);
  EXPECT_NEAR(answer.log_evidence,
              numerics::lgamma(5.0) - 5.0 * std::log(2.0) + std::log(2.0 * std::numbers::pi) -
                  0.5 * std::log(1.75),
              kExact);
}

TEST(Conjugate, a_density_without_a_finite_integral_is_refused) {
  const Answer answer =
      solve(problem({{"rate", Domain::positive, {0}}},
                    [](std::span<const double> v) { return -2.0 * std::log(v[0]); }));
  ASSERT_TRUE(answer.refusal);
  EXPECT_NE(answer.refusal->reason.find("no finite integral"), std::string::npos);
}

}  // namespace
}  // namespace credo::infer::conjugate
