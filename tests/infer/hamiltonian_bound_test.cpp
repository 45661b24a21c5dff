// Hamiltonian variational inference: adjoints through leapfrog steps, the bound of a normal density in closed form, and weights.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "density/matrix_field.hpp"
#include "infer/family_checks.hpp"
#include "infer/standard_scores.hpp"
#include "infer/variational/fits/hamiltonian_map.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer::hamiltonian_bound_test {
namespace {
using namespace credo::testing;
using Density = std::shared_ptr<const density::LogDensity>;

// log p = -½ (1.3 a² + 0.9 b² - a b) - 0.05 a⁴ - 0.1 a² b
Density bent() {
  return density::make_density(2, [](Values x, std::span<double> gradient) {
    const double a = x[0], b = x[1];
    if (!gradient.empty()) {
      gradient[0] = -1.3 * a + 0.5 * b - 0.2 * a * a * a - 0.2 * a * b;
      gradient[1] = -0.9 * b + 0.5 * a - 0.1 * a * a;
    }
    return -0.65 * a * a - 0.45 * b * b + 0.5 * a * b - 0.05 * a * a * a * a - 0.1 * a * a * b;
  });
}

Density with_second(const Density& density, double factor) {
  return density::with_hessian(density, {.value =
                                             [factor](Values x, std::span<double> out) {
                                               out[0] =
                                                   factor * (-1.3 - 0.6 * x[0] * x[0] - 0.2 * x[1]);
                                               out[1] = out[2] = factor * (0.5 - 0.2 * x[0]);
                                               out[3] = factor * -0.9;
                                             },
                                         .slope = [](Values, Values, std::span<double>) {}});
}

FamilySetup correlated() { return {.mean = {0.3, -0.4}, .covariance = {0.9, 0.3, 0.3, 0.7}}; }

HamiltonianMap map_of(const density::LogDensity& density, CovarianceShape shape, Index leapfrog) {
  return HamiltonianMap(density, family_of(shape).make(correlated()), {0.9, 0.8}, leapfrog);
}

std::vector<double> variates(std::size_t count, std::uint32_t number) {
  return family_normals(1, count, number);
}

std::vector<double> parameters_away(const HamiltonianMap& map) {
  const std::vector<double> start = map.start();
  return moved_by(start, 0.3, variates(start.size(), 1));
}

// Largest error of the gradient of log p + log r + entropy against central differences, relative to 1 + its size.
double gradient_error(const density::LogDensity& density, Index leapfrog) {
  HamiltonianMap map = map_of(density, CovarianceShape::full, leapfrog);
  const std::vector<double> at = parameters_away(map);
  const std::vector<double> z = variates(static_cast<std::size_t>(map.num_base()), 2);
  const auto value = [&](std::span<const double> parameters) {
    map.move_to(parameters);
    EXPECT_TRUE(map.place(z));
    return map.log_joint() + map.entropy();
  };
  value(at);
  std::vector<double> gradient(at.size(), 0.0);
  EXPECT_TRUE(map.pull_back(gradient));
  map.add_entropy_slope(gradient);
  return error_against_differences(at, gradient, value);
}

// Central differences with steps of 1e-5 have errors of 1e-8 here; products by differences 1e-9. Planted: adjoints that
// leave out second derivatives, as if the force were the same everywhere.
TEST(hamiltonian_maps, have_the_gradients_of_their_differences) {
  for (const Index leapfrog : {1, 2, 5}) {
    EXPECT_LT(gradient_error(*with_second(bent(), 1.0), leapfrog), 1e-7) << leapfrog;
    EXPECT_LT(gradient_error(*bent(), leapfrog), 1e-6) << leapfrog;
    EXPECT_GT(gradient_error(*with_second(bent(), 0.0), leapfrog), 0.01) << leapfrog;
  }
  EXPECT_TRUE(map_of(*with_second(bent(), 1.0), CovarianceShape::full, 1).has_exact_products());
  EXPECT_FALSE(map_of(*bent(), CovarianceShape::full, 1).has_exact_products());
}

// Mean of exp of log p - log q over draws, with its error; `has_reverse`: with the reverse model's term.
LogEvidence evidence_by_weights(const density::LogDensity& density, bool has_reverse) {
  HamiltonianMap map = map_of(density, CovarianceShape::full, 3);
  map.move_to(parameters_away(map));
  constexpr int kDraws = 40'000;
  std::vector<double> ratios;
  Rng rng({.seed = test_seed(3), .purpose = purpose::kTest, .chain = 1, .iteration = 0});
  std::vector<double> z(static_cast<std::size_t>(map.num_base()));
  for (int s = 0; s < kDraws; ++s) {
    for (double& v : z) v = rng.normal();
    EXPECT_TRUE(map.place(z));
    const double log_reverse = map.log_joint() - map.log_density();
    ratios.push_back(map.log_density() - map.log_q() - (has_reverse ? 0.0 : log_reverse));
  }
  double square = 0.0;
  const double whole = numerics::log_sum_exp(ratios) - std::log(kDraws);
  for (const double r : ratios) square += std::pow(std::exp(r - whole) - 1.0, 2);
  return {.value = whole, .error = std::sqrt(square) / kDraws};
}

// ∫ p by a grid whose ends are at densities below 1e-14. Planted: weights without the momentum's reverse model, and a
// factor of 1.1.
TEST(hamiltonian_maps, have_weights_whose_mean_is_the_evidence) {
  const Density target = with_second(bent(), 1.0);
  constexpr double kReach = 9.0, kWidth = 0.05;
  double sum = 0.0;
  for (double a = -kReach; a <= kReach; a += kWidth)
    for (double b = -kReach; b <= kReach; b += kWidth) {
      const std::vector<double> x{a, b};
      sum += std::exp(value_of(*target, x)) * kWidth * kWidth;
    }
  const LogEvidence found = evidence_by_weights(*target, true),
                    wrong = evidence_by_weights(*target, false);
  const auto is_evidence = [&](const LogEvidence& of, double shift) {
    return of.error < 0.02 && std::abs(of.value + shift - std::log(sum)) < 4.5 * of.error;
  };
  EXPECT_TRUE(is_evidence(found, 0.0)) << found.value << " " << found.error;
  EXPECT_FALSE(is_evidence(wrong, 0.0));
  EXPECT_FALSE(is_evidence(found, 0.1));
}

struct Affine {  // y = m + A z, of place and momentum
  std::array<double, 4> mean{};
  std::array<std::array<double, 4>, 4> root{};
};

// Leapfrog steps of N(0, Λ⁻¹) as matrices, of (x, p) = m + A z.
void kick(Affine& at, const std::array<double, 4>& precision, std::span<const double> e) {
  const auto move = [&](auto& y) {  // p -= ½ e∘Λ x
    const std::array<double, 2> force{precision[0] * y[0] + precision[1] * y[1],
                                      precision[2] * y[0] + precision[3] * y[1]};
    for (std::size_t d = 0; d < 2; ++d) y[2 + d] -= 0.5 * e[d] * force[d];
  };
  move(at.mean);
  for (std::size_t k = 0; k < 4; ++k) {
    std::array<double, 4> column;
    for (std::size_t i = 0; i < 4; ++i) column[i] = at.root[i][k];
    move(column);
    for (std::size_t i = 0; i < 4; ++i) at.root[i][k] = column[i];
  }
}
void drift(Affine& at, std::span<const double> e) {
  for (std::size_t d = 0; d < 2; ++d) {
    at.mean[d] += e[d] * at.mean[2 + d];
    for (std::size_t k = 0; k < 4; ++k) at.root[d][k] += e[d] * at.root[2 + d][k];
  }
}

// E[cᵀ y]² of a linear form with coefficients c and a constant.
double mean_square(const Affine& at, const std::array<double, 4>& c, double constant) {
  double mean = constant, square = 0.0;
  for (std::size_t i = 0; i < 4; ++i) mean += c[i] * at.mean[i];
  for (std::size_t k = 0; k < 4; ++k) {
    double along = 0.0;
    for (std::size_t i = 0; i < 4; ++i) along += c[i] * at.root[i][k];
    square += along * along;
  }
  return mean * mean + square;
}

// All of it is linear in normal variates, so the bound is a sum of expected squares: by matrices, and by the mean over 200,000 draws.
TEST(hamiltonian_maps, of_a_normal_density_have_the_bound_of_its_closed_form) {
  const std::array<double, 4> precision{2.0, -1.2, -1.2, 1.5};
  const Density target = density::make_density(2, [&](Values x, std::span<double> gradient) {
    const double a = precision[0] * x[0] + precision[1] * x[1],
                 b = precision[2] * x[0] + precision[3] * x[1];
    if (!gradient.empty()) gradient[0] = -a, gradient[1] = -b;
    return -0.5 * (a * x[0] + b * x[1]);
  });
  constexpr Index kLeapfrog = 4;
  HamiltonianMap map = map_of(*target, CovarianceShape::diagonal, kLeapfrog);
  const std::vector<double> at = parameters_away(map);
  map.move_to(at);
  Affine affine;
  const std::vector<double> mean = map.first().mean(), variances = map.first().variances();
  for (std::size_t d = 0; d < 2; ++d) {
    affine.mean[d] = mean[d];
    affine.root[d][d] = std::sqrt(variances[d]);
    affine.root[2 + d][2 + d] = 1.0;
  }
  for (Index l = 0; l < kLeapfrog; ++l) {
    kick(affine, precision, map.step_sizes());
    drift(affine, map.step_sizes());
    kick(affine, precision, map.step_sizes());
  }
  // E[-½ xᵀΛx] by two squares: Λ = [[2, -1.2], [-1.2, 1.5]] = l lᵀ with l = (√2, -1.2/√2) and a rest of 1.5 - 0.72.
  double bound = -0.5 * (mean_square(affine, {std::sqrt(2.0), -1.2 / std::sqrt(2.0), 0, 0}, 0.0) +
                         mean_square(affine, {0, std::sqrt(1.5 - 0.72), 0, 0}, 0.0));
  const std::vector<double> centre = make_diagonal_normal(correlated())->mean(), units{0.9, 0.8};
  const std::size_t first = at.size() - 8;  // b, B, log t
  for (std::size_t i = 0; i < 2; ++i) {
    const double b = at[first + i], b0 = at[first + 2 + 2 * i], b1 = at[first + 3 + 2 * i],
                 log_t = at[first + 6 + i];
    std::array<double, 4> c{-b0 / units[0], -b1 / units[1], 0, 0};
    c[2 + i] = 1.0;
    const double constant = -b + b0 * centre[0] / units[0] + b1 * centre[1] / units[1];
    bound -=
        0.5 * mean_square(affine, c, constant) * std::exp(-2.0 * log_t) + log_t + kLogRootTwoPi;
    bound += 2.0 * (kLogRootTwoPi + 0.5) + 0.5 * std::log(variances[i]);  // entropies
  }
  constexpr int kDraws = 200'000;
  double sum = 0.0, squares = 0.0;
  Rng rng({.seed = test_seed(4), .purpose = purpose::kTest, .chain = 2, .iteration = 0});
  std::vector<double> z(4);
  for (int s = 0; s < kDraws; ++s) {
    for (double& v : z) v = rng.normal();
    map.place(z);
    const double ratio = map.log_density() - map.log_q();
    sum += ratio, squares += ratio * ratio;
  }
  const double average = sum / kDraws,
               error = std::sqrt((squares / kDraws - average * average) / kDraws);
  EXPECT_NEAR(average, bound, 4.5 * error);
  EXPECT_LT(bound, 2.0 * kLogRootTwoPi - 0.5 * std::log(2.0 * 1.5 - 1.44));  // log Z
}

}  // namespace
}  // namespace credo::infer::hamiltonian_bound_test
