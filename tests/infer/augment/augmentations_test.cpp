// Latent values of rows and priors: chains of latent value and normal draw have the moments of quadrature, mutants haven't; numbers
// of forms are read from points; draws far out in tails.
#include "infer/augment/augmentation.hpp"

#include <gtest/gtest.h>

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"
#include "support/test_seed.hpp"

namespace credo::infer {
extern const Augmentation kConjugateNormal, kLatentNormal, kLatentInterval, kScaleMixture,
    kStudentMixture;
}

namespace credo::infer::augmentations_test {
namespace {
constexpr double kPriorMean = 0.4,
                 kPriorPrecision = 0.6;  // the normal distribution that g multiplies

struct Case {
  std::string name;
  Augmentation form;
  FormNumbers numbers;
};
std::vector<Case> cases() {
  return {{"normal", kConjugateNormal, {2.0, -1.0}},
          {"probit", kLatentNormal, {1.7, -0.8}},
          {"probit far out", kLatentNormal, {-4.0, -9.0}},
          {"interval", kLatentInterval, {1.3, 0.2, 0.9}},
          {"interval far out", kLatentInterval, {1.3, 6.0, 6.4}},
          {"Laplace", kScaleMixture, {1.5, -0.3}},
          {"Student", kStudentMixture, {4.0, 0.7, -0.6}}};
}

struct Moments {
  double mean = 0.0, square = 0.0;
};
Moments by_quadrature(const Case& of) {
  double mass = 0.0, mean = 0.0, square = 0.0;
  for (double s = -14.0; s <= 14.0; s += 0.0005) {
    const double d = s - kPriorMean;
    const double weight =
        std::exp(of.form.log_g(of.numbers, s) - 0.5 * kPriorPrecision * d * d + 10.0);
    mass += weight, mean += weight * s, square += weight * s * s;
  }
  return {mean / mass, square / mass};
}

// Distances of the chain's moments from those of quadrature, in standard errors of means of batches.
double worst_z(const Case& of) {
  constexpr int kBatches = 200, kInBatch = 400;
  Rng rng({.seed = testing::test_seed(5), .purpose = purpose::kTest});
  std::vector<double> means(kBatches, 0.0), squares(kBatches, 0.0);
  double s = 0.1;
  for (int b = 0; b < kBatches; ++b)
    for (int i = 0; i < kInBatch; ++i) {
      const LatentFactor factor = of.form.draw(of.numbers, s, rng);
      const double precision = kPriorPrecision + factor.precision;
      s = (kPriorPrecision * kPriorMean + factor.shift) / precision +
          rng.normal() / std::sqrt(precision);
      means[static_cast<std::size_t>(b)] += s / kInBatch;
      squares[static_cast<std::size_t>(b)] += s * s / kInBatch;
    }
  const Moments exact = by_quadrature(of);
  const auto z = [](const std::vector<double>& x, double value) {
    double sum = 0.0, square = 0.0;
    for (const double v : x) sum += v, square += v * v;
    const double mean = sum / kBatches, variance = square / kBatches - mean * mean;
    return std::abs(mean - value) / std::sqrt(variance / (kBatches - 1));
  };
  return std::max(z(means, exact.mean), z(squares, exact.square));
}

TEST(augmentations, leave_the_density_invariant) {
  for (const Case& of : cases()) EXPECT_LT(worst_z(of), 4.0) << of.name;
}

// The other side of the truncation; the mean of the inverse Gaussian distribution upside down; a gamma distribution without the half.
LatentFactor other_side(const FormNumbers& numbers, double s, Rng& rng) {
  const LatentFactor other = kLatentNormal.draw({-numbers[0], -numbers[1]}, s, rng);
  return {other.precision, other.shift};
}
LatentFactor inverse_mean(const FormNumbers& numbers, double s, Rng& rng) {
  const double d = s - numbers[1];
  return kScaleMixture.draw(numbers, numbers[1] + 1.0 / d, rng);
}
LatentFactor wrong_shape(const FormNumbers& numbers, double s, Rng& rng) {
  return kStudentMixture.draw({numbers[0] - 1.0, numbers[1], numbers[2]}, s, rng);
}
LatentFactor below_only(const FormNumbers& numbers, double s, Rng& rng) {
  return kLatentNormal.draw({-numbers[0], numbers[2]}, s, rng);
}
TEST(augmentations, that_are_wrong_are_rejected) {
  const std::vector<Case> right = cases();
  const auto mutant = [&](std::size_t place, auto draw) {
    Case wrong = right[place];
    wrong.form.draw = draw;
    return worst_z(wrong);
  };
  EXPECT_GT(mutant(1, other_side), 6.0);
  EXPECT_GT(mutant(3, below_only), 6.0);
  EXPECT_GT(mutant(5, inverse_mean), 6.0);
  EXPECT_GT(mutant(6, wrong_shape), 6.0);
}

std::vector<FormPoint> points_of(const Case& of, double level) {
  std::vector<FormPoint> points;
  for (const double s :
       {-400.0, -60.0, -12.0, -4.0, -1.0, -0.2, 0.0, 0.3, 1.1, 5.0, 14.0, 70.0, 500.0}) {
    const double h = 1e-4 * (1.0 + std::abs(s));
    const auto g = [&](double x) { return of.form.log_g(of.numbers, x); };
    points.push_back({s, g(s) + level,
                      (8.0 * (g(s + h) - g(s - h)) - g(s + 2 * h) + g(s - 2 * h)) / (12.0 * h)});
  }
  return points;
}
// Slopes are differences here, so that numbers keep some 8 digits of them; forms that read values alone keep all.
TEST(augmentations, are_recognised_with_their_numbers) {
  for (const Case& of : cases()) {
    if (of.form.name == "scale_mixture" || of.form.name == "latent_interval") {
      FormNumbers numbers{};
      const Augmentation* found = match_augmentation(points_of(of, 0.0), numbers);
      ASSERT_NE(found, nullptr) << of.name;
      EXPECT_EQ(found->name, of.form.name);
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(numbers[k], of.numbers[k], 1e-9 * (1.0 + std::abs(of.numbers[k]))) << of.name;
    }
  }
  FormNumbers numbers{};
  const Case cubic{"none",
                   {.name = "none",
                    .match = nullptr,
                    .places = nullptr,
                    .log_g = [](const FormNumbers&, double s) { return -std::abs(s * s * s); },
                    .draw = nullptr,
                    .expected = nullptr},
                   {}};
  EXPECT_EQ(match_augmentation(points_of(cubic, 0.0), numbers), nullptr);
}

// E z of N(eta, 1) above 0 is eta + φ/Φ: 30 to 100 standard deviations out, where the distribution function underflows.
TEST(latent_normal, keeps_its_digits_in_far_tails) {
  for (const double eta : {-5.0, -38.0, -100.0}) {
    Rng rng({.seed = testing::test_seed(6), .purpose = purpose::kTest});
    constexpr int kDraws = 20000;
    double sum = 0.0, square = 0.0, least = kInfinity;
    for (int i = 0; i < kDraws; ++i) {
      const double z = kLatentNormal.draw({1.0, 0.0}, eta, rng).shift;
      sum += z, square += z * z, least = std::min(least, z);
    }
    const double mean = sum / kDraws, sd = std::sqrt(square / kDraws - mean * mean);
    EXPECT_NEAR(mean, eta + numerics::inverse_mills(eta), 4.0 * sd / std::sqrt(double(kDraws)));
    EXPECT_NEAR(kLatentNormal.expected({1.0, 0.0}, eta).shift, mean,
                4.0 * sd / std::sqrt(double(kDraws)));
    EXPECT_GE(least, 0.0);
    EXPECT_LT(least, 1e-3);
  }
}

}  // namespace
}  // namespace credo::infer::augmentations_test
