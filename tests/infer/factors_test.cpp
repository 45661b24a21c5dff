// Products of factors on their own scales: one suite over all kinds.
#include "infer/variational/families/factors.hpp"

#include <gtest/gtest.h>

#include "infer/family_checks.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"
#include "numerics/incomplete_beta.hpp"
#include "numerics/incomplete_gamma.hpp"
#include "numerics/special.hpp"

namespace credo::infer::factors_test {
namespace {
using namespace credo::testing;

const std::vector<FactorSpec> kAll{{FactorKind::normal, 0, 1},
                                   {FactorKind::gamma, 1, 1},
                                   {FactorKind::beta, 2, 1},
                                   {FactorKind::dirichlet, 3, 2}};
const std::vector<double> kMeans{0.5, -1.0, 0.8, 0.3, -0.4}, kVariances{2.0, 0.6, 0.9, 0.5, 0.7};

std::vector<double> normals(std::size_t count, std::uint32_t number) {
  return family_normals(21, count, number);
}

std::unique_ptr<DistributionFamily> family_away(const std::vector<FactorSpec>& factors) {
  auto family = make_factors(factors, kMeans, kVariances);
  std::vector<double> at = normals(static_cast<std::size_t>(family->num_parameters()), 1);
  for (double& v : at) v *= 0.3;
  family->move_to(at);
  return family;
}

// Planted: slopes without the movement of the draw, as if
// gamma variates had no derivative by their shape.
TEST(factors, have_the_gradients_of_their_differences) {
  constexpr std::size_t kDraws = 40;
  const auto family = make_factors(kAll, kMeans, kVariances);
  const auto base = static_cast<std::size_t>(family->num_base()), n = std::size_t{5};
  const std::vector<double> z = normals(kDraws * base, 2), v = normals(kDraws * n, 3),
                            w = normals(kDraws, 4);
  std::vector<double> at = normals(static_cast<std::size_t>(family->num_parameters()), 5);
  for (double& value : at) value *= 0.4;
  EXPECT_LT(error_of_pull_back(*family, at, z, v, w), 1e-6);
  family->move_to(at);
  std::vector<double> gradient(at.size(), 0.0), without(at.size(), 0.0);
  family->pull_back_draws(z, v, w, gradient);
  family->pull_back_draws(z, std::vector<double>(v.size(), 0.0), w, without);
  for (std::size_t k = 0; k < at.size(); ++k)
    EXPECT_GT(std::abs(without[k] - gradient[k]), 1e-3) << k;
}

// Draws know the density that they have anywhere, and the sums over grids of it are 1: steps of 0.02, in tails to 1e-8.
TEST(factors, have_normalised_log_densities) {
  const auto family = family_away(kAll);
  const std::vector<double> z = normals(static_cast<std::size_t>(family->num_base()), 6);
  std::vector<double> x(5);
  double log_q = 0.0;
  family->place_draws(z, x, std::span(&log_q, 1));
  EXPECT_NEAR(family->log_density(x), log_q, 1e-11);
  const auto sum_over = [&](std::size_t first, std::size_t size) {
    constexpr int kReach = 400;
    constexpr double kStep = 0.05;
    const double at_draw = family->log_density(x);
    double sum = 0.0;
    std::vector<double> y = x;
    for (int i = -kReach; i <= kReach; ++i)
      for (int j = size > 1 ? -kReach : 0; j <= (size > 1 ? kReach : 0); ++j) {
        y[first] = i * kStep;
        if (size > 1) y[first + 1] = j * kStep;
        sum += std::exp(family->log_density(y) - at_draw) * (size > 1 ? kStep * kStep : kStep);
      }
    return sum;  // 1 / q of the factor at x
  };
  double product = 0.0;
  for (const FactorSpec& factor : kAll)
    product += std::log(
        sum_over(static_cast<std::size_t>(factor.first), static_cast<std::size_t>(factor.size)));
  EXPECT_NEAR(product, -log_q, 1e-6);
}

// The quantile map: the distribution function at a draw is that of the normal variate, also in tails.
TEST(factors, draw_at_the_quantiles_of_their_variates) {
  const std::vector<FactorSpec> two{{FactorKind::gamma, 0, 1}, {FactorKind::beta, 1, 1}};
  const auto family =
      make_factors(two, std::vector<double>{-1.0, 0.8}, std::vector<double>{0.6, 0.9});
  const std::vector<double> own = factor_parameters(*family);
  for (const double z : {-6.0, -2.0, 0.0, 1.5, 5.0}) {
    std::vector<double> x(2);
    double unused = 0.0;
    family->place_draws(std::vector<double>{z, z}, x, std::span(&unused, 1));
    EXPECT_NEAR(numerics::log_gamma_p(own[0], own[1] * std::exp(x[0])), numerics::log_phi(z), 1e-9);
    const double theta = 1.0 / (1.0 + std::exp(-x[1]));
    EXPECT_NEAR(numerics::log_inc_beta(own[2], own[3], theta), numerics::log_phi(z), 1e-9);
  }
}

// The start has the given means and variances of the unconstrained values: by 10,000 draws, whose errors are 0.01 standard deviations and 3 % of a variance.
TEST(factors, begin_at_the_given_moments) {
  const std::vector<FactorSpec> three{
      {FactorKind::normal, 0, 1}, {FactorKind::gamma, 1, 1}, {FactorKind::beta, 2, 1}};
  constexpr std::size_t kDraws = 10'000;
  const std::vector<double> means{0.5, -1.0, 0.8}, variances{2.0, 0.6, 0.9};
  const auto family = make_factors(three, means, variances);
  std::vector<double> x(3 * kDraws), log_q(kDraws);
  family->place_draws(normals(3 * kDraws, 7), x, log_q);
  for (std::size_t d = 0; d < 3; ++d) {
    double mean = 0.0, square = 0.0;
    for (std::size_t s = 0; s < kDraws; ++s) mean += x[3 * s + d] / kDraws;
    for (std::size_t s = 0; s < kDraws; ++s)
      square += (x[3 * s + d] - mean) * (x[3 * s + d] - mean) / kDraws;
    EXPECT_NEAR(mean, means[d], 0.05 * std::sqrt(variances[d])) << d;
    EXPECT_NEAR(square, variances[d], 0.14 * variances[d]) << d;
  }
}

// Gamma(3, 2), Beta(2, 5) and a Dirichlet posterior, with a constant: within the family, so that the bound is the evidence. Parameters of the
// first two are those of a rule of 250 points for functions of one value: right to 2e-3. The log sum of the simplex depends on three values, of which there
// are 250 draws: shapes are off by some 5 %, and four times that is allowed. A product of normal factors has a lower bound.
TEST(factors, find_conjugate_posteriors) {
  constexpr double kEvidence = -1.3;
  const std::vector<FactorSpec> factors{
      {FactorKind::gamma, 0, 1}, {FactorKind::beta, 1, 1}, {FactorKind::dirichlet, 2, 2}};
  const std::vector<double> shapes{4.0, 2.0, 3.0};
  const auto density = density::make_density(4, [&](Values x, std::span<double> gradient) {
    const double theta = std::exp(x[0]), p = 1.0 / (1.0 + std::exp(-x[1]));
    double value = kEvidence + 3.0 * std::log(2.0) + 3.0 * x[0] - 2.0 * theta - std::lgamma(3.0);
    value += 2.0 * std::log(p) + 5.0 * std::log1p(-p) + std::log(30.0);
    const double a = std::sqrt(0.5), b = std::sqrt(1.0 / 6.0);  // contrasts of three logarithms
    const std::vector<double> logs{a * x[2] + b * x[3], -a * x[2] + b * x[3], -2.0 * b * x[3]};
    const double sum = std::exp(logs[0]) + std::exp(logs[1]) + std::exp(logs[2]);
    value += std::lgamma(9.0) - std::lgamma(4.0) - std::lgamma(2.0) - std::lgamma(3.0) +
             0.5 * std::log(3.0);
    for (std::size_t k = 0; k < 3; ++k) value += shapes[k] * (logs[k] - std::log(sum));
    if (gradient.empty()) return value;
    gradient[0] = 3.0 - 2.0 * theta;
    gradient[1] = 2.0 * (1.0 - p) - 5.0 * p;
    std::vector<double> slope(3);
    for (std::size_t k = 0; k < 3; ++k) slope[k] = shapes[k] - 9.0 * std::exp(logs[k]) / sum;
    gradient[2] = a * (slope[0] - slope[1]);
    gradient[3] = b * (slope[0] + slope[1] - 2.0 * slope[2]);
    return value;
  });
  BoundOptions options;
  options.covariance = CovarianceShape::diagonal, options.seed = test_seed(22);
  options.num_fresh = 2000;
  const BestNormal normal = maximise_bound(*density, options);
  const std::vector<double> expected{3.0, 2.0, 2.0, 5.0, 4.0, 2.0, 3.0};
  const auto family = make_factors(factors, normal.family->mean(), normal.family->variances());
  // Largest relative errors: of the gamma and the beta distribution, and of the simplex.
  const auto errors_by = [&](std::vector<double> draws) {
    climb_fixed(*density, *family, std::move(draws), 500);
    const std::vector<double> own = factor_parameters(*family);
    std::array<double, 2> worst{};
    for (std::size_t k = 0; k < expected.size(); ++k)
      worst[k < 4 ? 0 : 1] = std::max(worst[k < 4 ? 0 : 1], std::abs(own[k] / expected[k] - 1.0));
    return worst;
  };
  const Index base = family->num_base();
  const std::array<double, 2> worst = errors_by(stratified_draws(250, base, test_seed(23)));
  EXPECT_LT(worst[0], 0.002);
  EXPECT_LT(worst[1], 0.2);
  const FreshBounds bounds = bounds_by_new_draws(*density, *family, options);
  EXPECT_NEAR(bounds.elbo.value, kEvidence, 0.02);
  EXPECT_LT(bounds.elbo.error, 0.005);
  EXPECT_LT(normal.bound.value, kEvidence - 0.02);
}

}  // namespace
}  // namespace credo::infer::factors_test
