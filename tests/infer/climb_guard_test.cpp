// Climbs by steps that are too long for their noise: they end no lower than they began, and say it.
#include "infer/variational/climbs/climb_guard.hpp"

#include <gtest/gtest.h>

#include "infer/known_posteriors.hpp"

namespace credo::infer::climb_guard_test {
namespace {
using namespace credo::testing;

// Student's t with five degrees of freedom in each of ten values: weights vary much.
std::unique_ptr<density::LogDensity> heavy_tails() {
  return density::make_density(10, [](Values x, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      sum += -3.0 * std::log1p(x[d] * x[d] / 5.0);
      if (!gradient.empty()) gradient[d] = -6.0 * x[d] / (5.0 + x[d] * x[d]);
    }
    return sum;
  });
}

std::unique_ptr<NormalFamily> good_start(Index dimension) {
  return make_full_normal(
      {.mean = std::vector<double>(static_cast<std::size_t>(dimension), 0.0),
       .covariance = std::vector<double>(static_cast<std::size_t>(dimension), 1.2)});
}

double bound_of(const density::LogDensity& density, NormalFamily& family) {
  return bounds_by_new_draws(density, family, {.num_fresh = 4000, .seed = 5}).elbo.value;
}

// Score functions of two draws with steps of three standard deviations.
TEST(guarded_climbs, end_no_lower_than_they_began_and_name_the_step) {
  const auto density = heavy_tails();
  const Objective elbo;
  const EstimatorSpec& score = find_estimator("score", elbo);
  const BoundOptions own{
      .optimizer = "adam", .step_draws = 2, .step = 3.0, .max_steps = 1000, .seed = test_seed(1)};
  const auto start = good_start(10);
  const double before = bound_of(*density, *start);
  const StochasticClimbSetup setup{*density, 0, elbo, score, own};
  const auto lost = start->clone(), kept = start->clone();
  climb_stochastic(setup, *lost);
  EXPECT_GT(std::fabs(bound_of(*density, *lost) - before), 10.0) << "no step is too long here";
  const ClimbResult guarded = climb_guarded(*density, setup, *kept);
  EXPECT_GT(bound_of(*density, *kept), before - 0.5);
  ASSERT_EQ(guarded.remarks.size(), 1u);
  EXPECT_NE(guarded.remarks[0].find("--step"), std::string::npos) << guarded.remarks[0];
}

// Steps that fit the noise are taken as they are, and bring a wrong start to the posterior.
TEST(guarded_climbs, leave_good_steps_alone) {
  const KnownPosterior model = conjugate_posterior();
  const Objective elbo;
  const EstimatorSpec& stl = find_estimator("stl", elbo);
  const BoundOptions own{.optimizer = "adam", .max_steps = 3000, .seed = test_seed(2)};
  const auto n = static_cast<std::size_t>(model.density->dimension());
  const StochasticClimbSetup setup{*model.density, 0, elbo, stl, own};
  const auto start = make_full_normal(
      {.mean = std::vector<double>(n, 3.0), .covariance = std::vector<double>(n, 0.04)});
  const auto by_guard = start->clone(), by_steps = start->clone();
  const ClimbResult guarded = climb_guarded(*model.density, setup, *by_guard);
  climb_stochastic(setup, *by_steps);
  EXPECT_TRUE(guarded.remarks.empty());
  EXPECT_EQ(by_guard->mean(), by_steps->mean());
  EXPECT_NEAR(bound_of(*model.density, *by_guard), model.log_evidence, 0.02);
}

}  // namespace
}  // namespace credo::infer::climb_guard_test
