// Families of normal distributions: one suite over all rows.
#include <gtest/gtest.h>

#include "infer/family_checks.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"
#include "infer/variational/fits/moments.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer::families_test {
namespace {
using namespace credo::testing;

FamilySetup setup_of(Index dimension) {
  if (dimension == 2)
    return {
        .mean = {0.5, -1.0}, .covariance = {1.2, 0.4, 0.4, 0.5}, .rank = 1, .blocks = {{1}, {0}}};
  return {.mean = {1.0, -2.0, 0.5, 3.0},
          .covariance = {2.0, 0.6, 0.3, -0.2, 0.6, 1.0, 0.1, 0.2, 0.3, 0.1, 0.5, 0.0, -0.2, 0.2,
                         0.0, 1.5},
          .rank = 2,
          .blocks = {{2, 0}, {1}, {3}}};
}

std::vector<double> normals(std::size_t count, std::uint32_t number) {
  return family_normals(1, count, number);
}

// A member away from the start.
std::vector<double> away(const NormalFamily& family) {
  const std::vector<double> start = family.start();
  return moved_by(start, 0.3, normals(start.size(), 1));
}

std::unique_ptr<NormalFamily> family_away(const FamilySpec& row, Index dimension) {
  auto family = row.make(setup_of(dimension));
  family->move_to(away(*family));
  return family;
}

double dot_of(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

constexpr double kDifferences = 1e-7;

// v·x(z; λ) + entropy. Planted: a pull-back without the entropy's slope, and one of twice the draws.
TEST(families, have_the_gradients_of_their_differences) {
  const std::vector<double> v{0.7, -1.1, 0.4, 2.0};
  for (const FamilySpec& row : families()) {
    auto family = row.make(setup_of(4));
    const std::vector<double> at = away(*family),
                              z = normals(static_cast<std::size_t>(family->num_base()), 2);
    const auto value = [&](std::span<const double> parameters) {
      family->move_to(parameters);
      std::vector<double> x(4);
      family->place(z, x);
      return dot_of(v, x) + family->entropy();
    };
    const auto error = [&](double factor, bool has_entropy) {
      family->move_to(at);
      std::vector<double> gradient(at.size(), 0.0), scaled = z;
      for (double& s : scaled) s *= factor;
      family->pull_back(scaled, v, gradient);
      if (has_entropy) family->add_entropy_slope(gradient);
      return error_against_differences(at, gradient, value);
    };
    EXPECT_LT(error(1.0, true), kDifferences) << row.name;
    EXPECT_GT(error(1.0, false), 0.01) << row.name;
    EXPECT_GT(error(2.0, true), 0.01) << row.name;
  }
}

TEST(families, have_scores_that_are_derivatives_of_their_log_density) {
  const std::vector<double> x{0.3, -1.0, 1.2, 2.5};
  for (const FamilySpec& row : families()) {
    const auto family = family_away(row, 4);
    const std::vector<double> at = away(*row.make(setup_of(4)));
    std::vector<double> score(4), of_parameters(at.size(), 0.0);
    family->score(x, score);
    EXPECT_LT(error_against_differences(
                  x, score, [&](std::span<const double> y) { return family->log_density(y); }),
              kDifferences)
        << row.name;
    family->add_parameter_score(x, of_parameters);
    EXPECT_LT(error_against_differences(at, of_parameters,
                                        [&](std::span<const double> parameters) {
                                          family->move_to(parameters);
                                          return family->log_density(x);
                                        }),
              kDifferences)
        << row.name;
  }
}

// Sum over a grid that reaches 8 standard deviations: the error of the trapezium rule of a normal density is below 1e-12. Planted: a
// density without its determinant.
TEST(families, have_normalised_log_densities) {
  for (const FamilySpec& row : families()) {
    const auto family = family_away(row, 2);
    const std::vector<double> mean = family->mean(), variances = family->variances();
    const double width0 = std::sqrt(variances[0]), width1 = std::sqrt(variances[1]);
    constexpr int kReach = 100;
    constexpr double kStep = 0.08;
    double sum = 0.0;
    for (int i = -kReach; i <= kReach; ++i)
      for (int j = -kReach; j <= kReach; ++j) {
        const std::vector<double> x{mean[0] + i * kStep * width0, mean[1] + j * kStep * width1};
        sum += std::exp(family->log_density(x)) * kStep * kStep * width0 * width1;
      }
    EXPECT_NEAR(sum, 1.0, 1e-9) << row.name;
  }
}

// log q by the covariance, factored anew; E[-log q] likewise; and Rᵀ v is what pull_back takes a derivative of.
TEST(families, agree_with_the_covariance_that_they_state) {
  const std::vector<double> x{0.3, -1.0, 1.2, 2.5}, v{0.7, -1.1, 0.4, 2.0};
  for (const FamilySpec& row : families()) {
    const auto family = family_away(row, 4);
    const numerics::RowMatrix factor =
        numerics::lower_factor(numerics::RowMatrix(4, 4, family->covariance()));
    const double half_log = 0.5 * numerics::log_determinant_of_factor(factor);
    std::vector<double> off = family->mean();
    for (std::size_t d = 0; d < off.size(); ++d) off[d] = x[d] - off[d];
    numerics::solve_factor(factor, off);
    EXPECT_NEAR(family->log_density(x), -4.0 * kLogRootTwoPi - half_log - 0.5 * dot_of(off, off),
                1e-11)
        << row.name;
    EXPECT_NEAR(family->entropy(), 4.0 * (kLogRootTwoPi + 0.5) + half_log, 1e-12) << row.name;
    std::vector<double> z(static_cast<std::size_t>(family->num_base()));
    family->project(v, z);
    const std::vector<double> covariance = family->covariance();
    double square = 0.0;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) square += v[i] * v[j] * covariance[i * 4 + j];
    EXPECT_NEAR(dot_of(z, z), square, 1e-11) << row.name;
    for (std::size_t d = 0; d < 4; ++d)
      EXPECT_NEAR(family->variances()[d], covariance[5 * d], 1e-13) << row.name;
  }
}

// Means and covariances of 40,000 draws, within 4.5 standard errors. Planted: draws that are too wide by 3 %.
TEST(families, draw_with_the_moments_that_they_state) {
  constexpr std::size_t kDraws = 40'000, kDimension = 4;
  for (const FamilySpec& row : families()) {
    const auto family = family_away(row, kDimension);
    const std::vector<double> mean = family->mean(), covariance = family->covariance();
    const auto worst_of = [&](double factor) {
      const auto base = static_cast<std::size_t>(family->num_base());
      const std::vector<double> z = normals(kDraws * base, 3);
      std::vector<double> sums(kDimension, 0.0), products(kDimension * kDimension, 0.0),
          x(kDimension);
      for (std::size_t s = 0; s < kDraws; ++s) {
        family->place(std::span(z).subspan(s * base, base), x);
        for (std::size_t d = 0; d < kDimension; ++d) x[d] = factor * (x[d] - mean[d]);
        for (std::size_t i = 0; i < kDimension; ++i) {
          sums[i] += x[i];
          for (std::size_t j = 0; j < kDimension; ++j) products[i * kDimension + j] += x[i] * x[j];
        }
      }
      double worst = 0.0;
      for (std::size_t i = 0; i < kDimension; ++i) {
        const double vi = covariance[i * kDimension + i];
        worst = std::max(worst, std::abs(sums[i] / kDraws) / std::sqrt(vi / kDraws));
        for (std::size_t j = 0; j < kDimension; ++j) {
          const double vj = covariance[j * kDimension + j], c = covariance[i * kDimension + j];
          const double error = std::sqrt((vi * vj + c * c) / kDraws);
          worst = std::max(worst, std::abs(products[i * kDimension + j] / kDraws - c) / error);
        }
      }
      return worst;
    };
    EXPECT_LT(worst_of(1.0), 4.5) << row.name;
    EXPECT_GT(worst_of(1.03), 4.5) << row.name;
  }
}

// KL(p ‖ q) of a normal p: a full covariance is p's own, a diagonal one has its variances and loses ½ log of the product of these over
// |Σ|; the bound, KL(q ‖ p), has the variances given the others instead.
TEST(moment_projection, keeps_the_variances_that_a_family_can_hold) {
  const FamilySetup p = setup_of(4);
  const double log_determinant = numerics::log_determinant_of_factor(
      numerics::lower_factor(numerics::RowMatrix(4, 4, p.covariance)));
  for (std::size_t k = 0; k < families().size(); ++k) {
    const auto shape = static_cast<CovarianceShape>(k);
    const MomentFit fit = fit_moments({p.mean, p.covariance}, shape, 1, p.blocks);
    EXPECT_TRUE(fit.converged || shape == CovarianceShape::low_rank) << families()[k].name;
    EXPECT_GT(fit.divergence, -1e-9) << families()[k].name;
    for (std::size_t d = 0; d < 4; ++d) {
      EXPECT_NEAR(fit.family->mean()[d], p.mean[d], 1e-5) << families()[k].name;
      EXPECT_NEAR(fit.family->variances()[d], p.covariance[5 * d], 1e-4) << families()[k].name;
    }
    double lost = 0.0;
    if (shape == CovarianceShape::diagonal)
      lost = 0.5 * (std::log(2.0 * 1.0 * 0.5 * 1.5) - log_determinant);
    if (shape == CovarianceShape::blocks)
      lost = 0.5 * (std::log((2.0 * 0.5 - 0.09) * 1.0 * 1.5) - log_determinant);
    if (shape != CovarianceShape::low_rank) {
      EXPECT_NEAR(fit.divergence, lost, 1e-8) << families()[k].name;
    }
  }
  const auto conditional = make_diagonal_normal(p);
  EXPECT_LT(conditional->variances()[0], 0.9 * p.covariance[0]);
}

TEST(weighted_moments, are_those_of_weighted_points) {
  const std::vector<std::vector<double>> points{{0.0, 1.0}, {2.0, 1.0}, {2.0, 5.0}};
  const std::vector<double> log_weights{std::log(2.0), 0.0, 0.0};
  const Moments found = weighted_moments(points, log_weights);
  EXPECT_NEAR(found.mean[0], 1.0, 1e-14);
  EXPECT_NEAR(found.mean[1], 2.0, 1e-14);
  EXPECT_NEAR(found.covariance[0], 1.0, 1e-14);
  EXPECT_NEAR(found.covariance[1], 1.0, 1e-14);
  EXPECT_NEAR(found.covariance[3], 3.0, 1e-14);
}

TEST(families, begin_at_the_distribution_that_they_are_given) {
  for (const FamilySpec& row : families()) {
    const FamilySetup setup = setup_of(4);
    auto family = row.make(setup);
    family->move_to(family->start());
    EXPECT_EQ(family->mean(), setup.mean) << row.name;
    for (std::size_t k = 0; k < 16 && row.name == "full"; ++k)
      EXPECT_NEAR(family->covariance()[k], setup.covariance[k], 1e-13);
  }
  EXPECT_EQ(families().size() + 1, kCovarianceShapeNames.size());
  for (std::size_t k = 0; k < families().size(); ++k)
    EXPECT_EQ(families()[k].name, kCovarianceShapeNames[k]);
}

}  // namespace
}  // namespace credo::infer::families_test
