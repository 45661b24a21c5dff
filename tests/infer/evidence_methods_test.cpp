// Bridge sampling, the ladder of chains and Laplace's approximation against evidences that are known.
#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "infer/evidence/annealed_importance.hpp"
#include "infer/evidence/bridge.hpp"
#include "infer/evidence/ladder.hpp"
#include "infer/evidence/laplace.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/standard_scores.hpp"
#include "support/share.hpp"

namespace credo::infer::evidence_methods_test {
namespace {
using namespace credo::testing;

density::Draws draws_of(const density::LogDensity& density, std::uint64_t seed) {
  StoredDraws store;
  run_chains(density,
             {.num_chains = 4, .num_warmup = 300, .num_draws = 500, .seed = seed, .num_threads = 1},
             store);
  return store.draws;
}

TEST(bridge, finds_the_evidence_within_its_errors_and_not_another) {
  std::vector<KnownPosterior> models;
  models.push_back(conjugate_posterior());
  models.push_back(sheet());
  models.push_back(half());  // not normal: an edge
  for (const KnownPosterior& model : models) {
    StandardScores right, without_scale;
    for (Index k = 0; k < num_evidence_seeds(12); ++k) {
      const std::uint64_t seed = test_seed(300 + static_cast<std::uint64_t>(k));
      const BridgeEvidence found =
          bridge_evidence(*model.density, draws_of(*model.density, seed), {.seed = seed});
      EXPECT_TRUE(found.converged);
      right.add(found.evidence, model.log_evidence);
      without_scale.add(
          {.value = found.evidence.value + std::log(2.0), .error = found.evidence.error},
          model.log_evidence);  // ½ of the mirror image forgotten
    }
    right.print("bridge, " + model.name);
    EXPECT_TRUE(right.pass()) << model.name;
    EXPECT_FALSE(without_scale.pass()) << model.name;
  }
}

// A density that its own normal is: the ratio is one number, and the answer is exact.
TEST(bridge, is_exact_up_to_the_fit_of_a_normal) {
  const auto density = density::make_density(2, [](Values x, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = -x[0] / 4.0, gradient[1] = -(x[1] - 3.0) / 0.25;
    return std::log(7.0) + normal_log_density(x[0], 0.0, 2.0) + normal_log_density(x[1], 3.0, 0.5);
  });
  const BridgeEvidence found = bridge_evidence(*density, draws_of(*density, test_seed(5)), {});
  EXPECT_NEAR(found.evidence.value, std::log(7.0), 4.0 * found.evidence.error);
  EXPECT_LT(found.evidence.error, 0.005);
}

TEST(bridge, refuses_draws_that_say_nothing_of_a_covariance) {
  const KnownPosterior model = sheet();
  EXPECT_THROW(bridge_evidence(*model.density, density::Draws(20, 1, 10), {}), Error);
  density::Draws still(400, 1, 10);
  for (Index s = 0; s < 400; ++s) still.set(s, 0, std::vector<double>(10, 0.5));
  EXPECT_THROW(bridge_evidence(*model.density, still, {}), Error);
}

LadderEvidence ladder_of(const KnownPosterior& model, std::uint64_t seed) {
  const auto prior = model.density->prior();
  return ladder_evidence(
      *prior, *model.density,
      {.num_chains = 4, .num_warmup = 100, .num_draws = 200, .num_threads = 1, .seed = seed});
}

LONG_TEST(ladder, finds_the_evidence_by_integration_and_by_stones) {
  std::vector<KnownPosterior> models;
  models.push_back(conjugate_posterior());
  models.push_back(sheet());
  models.push_back(half());
  for (const KnownPosterior& model : models) {
    StandardScores thermodynamic, stepping;
    for (Index k = 0; k < num_evidence_seeds(12); ++k) {
      const LadderEvidence found = ladder_of(model, test_seed(500 + static_cast<std::uint64_t>(k)));
      thermodynamic.add(found.thermodynamic, model.log_evidence);
      stepping.add(found.stepping, model.log_evidence);
      // The ends' sums hold the evidence between them, but for their Monte Carlo errors.
      EXPECT_LT(found.log_share + found.lower,
                model.log_evidence + 4.0 * found.thermodynamic.error);
      EXPECT_GT(found.log_share + found.upper,
                model.log_evidence - 4.0 * found.thermodynamic.error);
    }
    thermodynamic.print("thermodynamic, " + model.name);
    stepping.print("stepping, " + model.name);
    EXPECT_TRUE(thermodynamic.pass()) << model.name;
    EXPECT_TRUE(stepping.pass()) << model.name;
  }
}

// The text's example: x = 1 ± 0.343 three times each, of a normal with standard deviation 1, mean uniform on (-10, 10).
// With exact moments the corrected trapezium of M rungs at (m/M)⁵ must be within 0.001 from 20 rungs on, where the plain
// one is -8.906 [the notes' table: -9.108, -8.906, -8.850, -8.842 for 10, 20, 50, 100 rungs]; log Z = -8.83942.
TEST(ladder, corrects_the_trapezium_of_exact_moments) {
  constexpr double kTruth = -8.83942, kSquares = 6.706, kHalfWidth = 10.0;
  constexpr int kPoints = 20'000;
  const auto rung_at = [&](double beta) {
    double mass = 0.0, mean = 0.0, square = 0.0;
    for (int i = 0; i < kPoints; ++i) {
      const double m = -kHalfWidth + 2.0 * kHalfWidth * (i + 0.5) / kPoints;
      const double log_l = -0.5 * (kSquares - 12.0 * m + 6.0 * m * m) - 6.0 * kLogRootTwoPi;
      const double w = std::exp(beta * (log_l + 6.0));
      mass += w, mean += w * log_l, square += w * log_l * log_l;
    }
    mean /= mass;
    return LadderRung{
        .inverse_temperature = beta, .mean = mean, .variance = square / mass - mean * mean};
  };
  const std::vector<std::pair<int, double>> plain_by_rungs = {
      {10, -9.108}, {20, -8.906}, {50, -8.850}, {100, -8.842}};
  for (const auto& [num_rungs, told] : plain_by_rungs) {
    std::vector<LadderRung> rungs;
    for (int m = 0; m <= num_rungs; ++m)
      rungs.push_back(rung_at(std::pow(static_cast<double>(m) / num_rungs, 5.0)));
    double plain = 0.0;
    for (std::size_t k = 0; k + 1 < rungs.size(); ++k)
      plain += 0.5 * (rungs[k].mean + rungs[k + 1].mean) *
               (rungs[k + 1].inverse_temperature - rungs[k].inverse_temperature);
    EXPECT_NEAR(plain, told, 6e-4) << num_rungs;  // three digits are printed
    const double corrected = corrected_trapezium(rungs);
    EXPECT_LT(std::abs(corrected - kTruth), 0.25 * std::abs(plain - kTruth)) << num_rungs;
    const PathIntegral integral = integrate_along(rungs);
    EXPECT_LT(std::abs(integral.value - kTruth), 0.5 * std::abs(corrected - kTruth) + 2e-4)
        << num_rungs;
    EXPECT_LT(std::abs(integral.value - kTruth), integral.error + 2e-4) << num_rungs;
  }
}

// ---- annealing in both directions

struct Sandwich {
  LogEvidence lower, upper;
};
// With so few rungs and particles that the bounds are apart.
Sandwich sandwich_of(const KnownPosterior& model, const density::Draws& posterior,
                     const char* rungs, std::uint64_t seed) {
  SampleOptions run{.sampler = "ais",
                    .num_chains = posterior.num_chains(),
                    .num_warmup = 0,
                    .num_draws = posterior.num_draws(),
                    .seed = seed,
                    .num_threads = 1};
  run.kernel = find_sampler("ais").options();
  set_option(run, "num_rungs", rungs);
  StoredDraws store;
  return {.lower = *log_evidence(run_chains(*model.density, run, store)),
          .upper = anneal_backwards(*model.density, posterior, run).upper};
}

// Independent draws of a posterior that is normal: N(mean, sd²) of each coordinate.
density::Draws exact_draws(const KnownPosterior& model, Index num_draws, std::uint64_t seed) {
  const auto draws = model.density->make_exact_draws();
  density::Draws all(num_draws, 2, model.density->dimension());
  Rng rng({.seed = seed, .purpose = purpose::kTest});
  for (Index c = 0; c < 2; ++c)
    for (Index s = 0; s < num_draws; ++s) all.set(s, c, draws->next(rng)->position);
  return all;
}

TEST(sandwich, has_both_bounds_within_their_errors_of_the_evidence) {
  const KnownPosterior model = conjugate_posterior();
  StandardScores lower, upper, mutant;
  for (Index k = 0; k < num_evidence_seeds(12); ++k) {
    const std::uint64_t seed = test_seed(800 + static_cast<std::uint64_t>(k));
    const Sandwich found = sandwich_of(model, exact_draws(model, 100, seed), "60", seed);
    lower.add(found.lower, model.log_evidence);
    upper.add(found.upper, model.log_evidence);
    mutant.add({.value = -found.upper.value, .error = found.upper.error},
               model.log_evidence);  // 1 / Z taken for Z
  }
  lower.print("forwards, " + model.name);
  upper.print("backwards, " + model.name);
  EXPECT_TRUE(lower.pass());
  EXPECT_TRUE(upper.pass());
  EXPECT_FALSE(mutant.pass());
}

// With four rungs and 40 particles the bounds are far apart, on the sides that Jensen's inequality says: the mean over
// seeds is beyond four of its standard errors, which the spread over seeds tells.
TEST(sandwich, has_bounds_on_their_sides_in_the_mean) {
  const KnownPosterior model = conjugate_posterior();
  constexpr int kSeeds = 30;
  double mean[2] = {0.0, 0.0}, square[2] = {0.0, 0.0};
  for (int k = 0; k < kSeeds; ++k) {
    const std::uint64_t seed = test_seed(900 + static_cast<std::uint32_t>(k));
    const Sandwich found = sandwich_of(model, exact_draws(model, 20, seed), "4", seed);
    const double off[2] = {found.lower.value - model.log_evidence,
                           found.upper.value - model.log_evidence};
    for (int i = 0; i < 2; ++i) mean[i] += off[i] / kSeeds, square[i] += off[i] * off[i] / kSeeds;
  }
  for (int i = 0; i < 2; ++i) {
    const double error = std::sqrt((square[i] - mean[i] * mean[i]) / (kSeeds - 1));
    EXPECT_GT((i == 0 ? -1.0 : 1.0) * mean[i], 4.0 * error) << (i == 0 ? "lower" : "upper");
  }
}

// On a half without a likelihood, which particles that go back never enter: the share of the prior is a factor.
TEST(sandwich, counts_the_share_of_the_prior_that_has_a_likelihood) {
  const KnownPosterior model = half();
  const Sandwich found =
      sandwich_of(model, draws_of(*model.density, test_seed(17)), "60", test_seed(17));
  EXPECT_NEAR(found.upper.value, model.log_evidence, 4.0 * found.upper.error);
  EXPECT_LT(found.upper.error, 0.1);  // log 2 would be seen
}

TEST(laplace, is_exact_of_a_normal_and_says_where_there_is_no_mode) {
  const KnownPosterior model = sheet();
  const LaplaceEvidence found = laplace_evidence(*model.density, {.num_starts = 3});
  EXPECT_NEAR(found.log_evidence, model.log_evidence, 1e-6);
  EXPECT_EQ(found.num_elsewhere, 0);
  const auto flat = density::make_density(1, [](Values, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = 0.0;
    return 0.0;
  });
  EXPECT_THROW(laplace_evidence(*flat, {}), Error);
}

TEST(laplace, counts_climbs_that_end_at_other_modes) {
  const KnownPosterior model = bimodal();
  const LaplaceEvidence found =
      laplace_evidence(*model.density, {.num_starts = 20, .init_radius = 6.0});
  EXPECT_GT(found.num_there, 0);
  EXPECT_GT(found.num_elsewhere, 0);
  EXPECT_NEAR(found.log_evidence, model.log_evidence + std::log1p(-kShare),
              1e-3);  // of the higher one
}

}  // namespace
}  // namespace credo::infer::evidence_methods_test
