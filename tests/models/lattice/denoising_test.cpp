// X5: an image denoised by a lattice.
#include <gtest/gtest.h>

#include "models/lattice/lattice_gibbs.hpp"
#include "models/lattice/lattice_support.hpp"
#include "support/kernel_checks.hpp"

namespace credo::models::lattice_denoising_test {
namespace {
using namespace credo::infer;
using namespace credo::testing;

// A disc of radius 20 in 64 x 64, noise of standard deviation 2, J = 1: single samples after some
// sweeps, and the mean of 15. Pixel by pixel, sign(y) errs at the rate of a normal beyond 1/2:
// 0.31.
TEST(ising_denoising, errs_less_than_the_sign_of_each_pixel) {
  constexpr Index kSide = 64;
  Rng rng({.seed = test_seed(11), .purpose = purpose::kTest + 47});
  std::vector<double> image, truth;
  for (Index i = 0; i < kSide * kSide; ++i) {
    const double row = static_cast<double>(i / kSide) - 31.5,
                 col = static_cast<double>(i % kSide) - 31.5;
    truth.push_back(row * row + col * col < 400.0 ? 1.0 : -1.0);
    image.push_back(truth.back() + 2.0 * rng.normal());
  }
  const ColouredGibbs gibbs(Lattice::ising({.rows = kSide, .cols = kSide, .coupling = 1.0})
                                .with_evidence(gaussian_evidence(image, 2.0)));
  Spins spins(kSide * kSide);
  for (Index i = 0; i < kSide * kSide; ++i) spins[i] = image[i] > 0.0 ? 1 : 0;
  const auto error_rate = [&](auto&& sign_of) {
    double wrong = 0.0;
    for (Index i = 0; i < kSide * kSide; ++i) wrong += sign_of(i) * truth[i] > 0.0 ? 0.0 : 1.0;
    return wrong / (kSide * kSide);
  };
  const double of_signs = error_rate([&](Index i) { return image[i]; });
  EXPECT_NEAR(of_signs, 0.3085, 4.0 * std::sqrt(0.3085 * 0.6915) / kSide);
  std::vector<double> mean(kSide * kSide, 0.0);
  for (std::uint32_t s = 0; s < 15; ++s) {
    gibbs.step(spins, {.seed = test_seed(1), .purpose = purpose::kTest + 48, .iteration = s});
    for (Index i = 0; i < kSide * kSide; ++i) mean[i] += spins[i] == 1 ? 1.0 : -1.0;
  }
  EXPECT_LT(error_rate([&](Index i) { return mean[i]; }), 0.25 * of_signs);
}

TEST(ising_denoising, is_drawn_towards_the_observation) {
  const Lattice prior = Lattice::ising({.rows = 1, .cols = 2, .coupling = 0.5});
  for (const double y : {-1.5, 0.4, 2.0}) {
    const Lattice posterior = prior.with_evidence(gaussian_evidence(std::array{y, 0.0}, 2.0));
    std::array<double, 2> log_weights{};
    posterior.conditional(Spins{0, 1}, 0, log_weights);
    EXPECT_NEAR(log_weights[1] - log_weights[0], 2.0 * 0.5 + 2.0 * y / 4.0, 1e-15);
  }
}

// The evidence with the sign that one source prints: minus.
TEST(gibbs_mutants, evidence_of_the_wrong_sign_is_rejected) {
  const std::vector<double> image{0.7, -1.2, 0.4, 2.0};
  std::vector<double> mirrored = image;
  for (double& y : mirrored) y = -y;
  const Lattice prior = Lattice::ising({.rows = 2, .cols = 2, .coupling = 0.3});
  const Lattice right = prior.with_evidence(gaussian_evidence(image, 2.0)),
                wrong = prior.with_evidence(gaussian_evidence(mirrored, 2.0));
  const auto chain = [&](const Lattice& by) {
    return matrix_on(right, [&](Spins& s, Chooser& c) { sweep_sites(by, s, c); });
  };
  EXPECT_TRUE(leaves_invariant(chain(right), weights_of(right)));
  EXPECT_FALSE(leaves_invariant(chain(wrong), weights_of(right)));
}

}  // namespace
}  // namespace credo::models::lattice_denoising_test
