// Natural gradients of families, against Fisher matrices of differences, and climbs by them.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "density/function_density.hpp"
#include "infer/core/vectors.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/climbs/climb_stochastic.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer::natural_gradient_test {
namespace {
using namespace credo::testing;

const std::vector<double> kCovariance = {2.0, 0.6, 0.3, -0.2, 0.6,  1.0, 0.1, 0.2,
                                         0.3, 0.1, 0.5, 0.0,  -0.2, 0.2, 0.0, 1.5};

FamilySetup setup_of_four() {
  return {.mean = {1.0, -2.0, 0.5, 3.0},
          .covariance = kCovariance,
          .rank = 1,
          .blocks = {{2, 0}, {1}, {3}}};
}

std::vector<double> some_normals(std::size_t count, std::uint32_t number) {
  Rng rng({.seed = test_seed(1), .purpose = purpose::kTest, .chain = number, .iteration = 0});
  std::vector<double> z(count);
  for (double& v : z) v = rng.normal();
  return z;
}

std::unique_ptr<NormalFamily> member_away(const FamilySpec& row, std::vector<double>& at) {
  auto family = row.make(setup_of_four());
  at = family->start();
  const std::vector<double> off = some_normals(at.size(), 1);
  for (std::size_t k = 0; k < at.size(); ++k) at[k] += 0.3 * off[k];
  family->move_to(at);
  return family;
}

// δᵀ F δ to fourth order: the symmetrised divergence of λ and λ + δ, averaged with that of λ - δ.
double squared_length(NormalFamily& family, std::span<const double> at,
                      std::span<const double> off) {
  const auto other = family.clone();
  double sum = 0.0;
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> there(at.begin(), at.end());
    add(there, sign, off);
    other->move_to(there);
    sum += 0.5 * symmetric_divergence(family, *other);
  }
  return sum;
}

numerics::RowMatrix fisher_matrix(NormalFamily& family, std::span<const double> at) {
  constexpr double kStep = 1e-3;
  const Index n = ssize(at);
  numerics::RowMatrix fisher(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      std::vector<double> both(at.size(), 0.0), apart(at.size(), 0.0);
      both[static_cast<std::size_t>(i)] += kStep, both[static_cast<std::size_t>(j)] += kStep;
      apart[static_cast<std::size_t>(i)] += kStep, apart[static_cast<std::size_t>(j)] -= kStep;
      fisher(i, j) = fisher(j, i) =
          (squared_length(family, at, both) - squared_length(family, at, apart)) /
          (4.0 * kStep * kStep);
    }
  return fisher;
}

// Without the block between log d and b, which the natural gradient of one direction leaves out.
void leave_out_block_between(numerics::RowMatrix& fisher, Index dimension) {
  for (Index i = dimension; i < 2 * dimension; ++i)
    for (Index j = 2 * dimension; j < 3 * dimension; ++j) fisher(i, j) = fisher(j, i) = 0.0;
}

// Planted: the identity in the place of the Fisher matrix, and one whose diagonal of the root counts as the rest of it.
TEST(natural_gradients, are_those_of_dense_fisher_matrices) {
  constexpr double kDifferences = 1e-5;  // h² relative to the matrix, and 1e-16 / h² of rounding
  for (const FamilySpec& row : families()) {
    std::vector<double> at;
    const auto family = member_away(row, at);
    numerics::RowMatrix fisher = fisher_matrix(*family, at);
    if (row.name == "low_rank") leave_out_block_between(fisher, 4);
    const std::vector<double> gradient = some_normals(at.size(), 2);
    std::vector<double> expected = gradient, found = gradient;
    const numerics::RowMatrix factor = numerics::lower_factor(fisher);
    numerics::solve_factor(factor, expected);
    numerics::solve_factor_transposed(factor, expected);
    ASSERT_TRUE(family->precondition(found)) << row.name;
    double error = 0.0, of_identity = 0.0, of_mutant = 0.0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double size = 1.0 + std::fabs(expected[k]);
      const double mutant = k >= 4 && k < 8 ? 2.0 * found[k] : found[k];
      error = std::max(error, std::fabs(found[k] - expected[k]) / size);
      of_identity = std::max(of_identity, std::fabs(gradient[k] - expected[k]) / size);
      of_mutant = std::max(of_mutant, std::fabs(mutant - expected[k]) / size);
    }
    EXPECT_LT(error, kDifferences) << row.name;
    EXPECT_GT(of_identity, 0.01) << row.name;
    EXPECT_GT(of_mutant, 0.01) << row.name;
  }
}

TEST(natural_gradients, of_several_directions_are_not_known) {
  FamilySetup setup = setup_of_four();
  setup.rank = 2;
  const auto family = make_low_rank_normal(setup);
  std::vector<double> gradient(static_cast<std::size_t>(family->num_parameters()), 1.0);
  EXPECT_FALSE(family->precondition(gradient));
}

// Natural parameters of a normal distribution move by ρ times the gradient by mean parameters: the precision by ρ (A - S⁻¹), A the
// precision of the target, and the mean by -ρ S A m. To first order in ρ.
TEST(natural_gradients, move_natural_parameters_by_gradients_of_mean_parameters) {
  constexpr double kRate = 1e-6, kFirstOrder = 1e-4;
  const std::vector<double> precision{1.5, 0.4, 0.4, 0.8}, mean{0.7, -0.3};
  const auto target = density::make_density(2, [&](Values x, std::span<double> gradient) {
    const double a = precision[0] * x[0] + precision[1] * x[1],
                 b = precision[2] * x[0] + precision[3] * x[1];
    if (!gradient.empty()) gradient[0] = -a, gradient[1] = -b;
    return -0.5 * (a * x[0] + b * x[1]);
  });
  const auto family = make_full_normal({.mean = mean, .covariance = {1.2, 0.4, 0.4, 0.5}});
  const FixedDrawBound bound(*target, *family,
                             balanced_draws(500, 2, CovarianceShape::full, test_seed(1)));
  std::vector<double> at = family->start(), gradient(at.size());
  density::Request request{.position = at, .gradient = gradient, .status = {}};
  density::Request* batch[] = {&request};
  bound.make_evaluator()->evaluate(density::Want::gradient, batch);
  const std::vector<double> before = family->covariance();
  ASSERT_TRUE(family->precondition(gradient));
  add(at, kRate, gradient);
  family->move_to(at);
  const auto inverse = [](const std::vector<double>& s) {
    const double det = s[0] * s[3] - s[1] * s[2];
    return std::vector<double>{s[3] / det, -s[1] / det, -s[2] / det, s[0] / det};
  };
  const std::vector<double> old = inverse(before), now = inverse(family->covariance());
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR((now[k] - old[k]) / kRate, precision[k] - old[k], kFirstOrder) << k;
  const double a = precision[0] * mean[0] + precision[1] * mean[1],
               b = precision[2] * mean[0] + precision[3] * mean[1];
  EXPECT_NEAR((family->mean()[0] - mean[0]) / kRate, -(before[0] * a + before[1] * b), kFirstOrder);
  EXPECT_NEAR((family->mean()[1] - mean[1]) / kRate, -(before[2] * a + before[3] * b), kFirstOrder);
}

// log N(0, diag(d²) + b bᵀ) of five values.
std::unique_ptr<density::LogDensity> one_direction() {
  return density::make_density(5, [](Values x, std::span<double> gradient) {
    const std::vector<double> d{1.0, 0.5, 2.0, 1.5, 0.8}, b{1.0, -0.5, 2.0, 0.5, 1.0};
    double k = 1.0, along = 0.0, value = 0.0, logs = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      k += b[i] * b[i] / (d[i] * d[i]), along += b[i] * x[i] / (d[i] * d[i]);
      value -= 0.5 * x[i] * x[i] / (d[i] * d[i]), logs += std::log(d[i]) + kNormalConstant;
    }
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = -(x[i] - b[i] * along / k) / (d[i] * d[i]);
    return value + 0.5 * along * along / k - logs - 0.5 * std::log(k);
  });
}

// The evidence is 1 and the family has the density, so that the bound is 0. Planted: no steps, from a start that is too wide.
TEST(natural_gradients, climb_to_the_density_where_the_family_has_it) {
  for (const CovarianceShape shape : {CovarianceShape::full, CovarianceShape::low_rank}) {
    BoundOptions options{
        .covariance = shape, .optimizer = "natural", .step = 0.3, .seed = test_seed(3)};
    if (shape == CovarianceShape::low_rank) options.rank = 1;
    const auto target = one_direction();
    const BestNormal best = maximise_bound(*target, options);
    EXPECT_TRUE(best.converged);
    EXPECT_NEAR(best.bound.value, 0.0, 0.01 + 4.5 * best.bound.error)
        << enum_names(shape)[static_cast<std::size_t>(shape)];
    const auto wide = make_diagonal_normal(
        {.mean = std::vector<double>(5, 0.0), .covariance = std::vector<double>(5, 4.0)});
    EXPECT_LT(bounds_by_new_draws(*target, *wide, options).elbo.value, -0.2);
  }
}

// Two directions, whose Fisher matrix has another form.
TEST(natural_gradients, refuse_covariances_without_a_known_fisher_matrix) {
  const auto target = one_direction();
  const BoundOptions options{
      .covariance = CovarianceShape::low_rank, .rank = 2, .optimizer = "natural"};
  try {
    maximise_bound(*target, options);
    FAIL() << "it isn't refused";
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("--rank 1"), std::string::npos) << error.hint();
  }
}

}  // namespace
}  // namespace credo::infer::natural_gradient_test
