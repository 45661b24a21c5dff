#include "models/paths/tank.hpp"

#include <gtest/gtest.h>

namespace credo::models::paths_tank_test {
namespace {
constexpr TankParameters kTank{.rate = 1.0, .noise = 0.5};
constexpr StreamKey kKey{.seed = 23, .purpose = purpose::kTest};

std::vector<double> ends_of_tank(const SimulationOptions& options, std::size_t num_paths) {
  std::vector<double> ends(num_paths);
  simulate_ends(*tank_equation(kTank, [](double) { return 1.0; }), options,
                std::vector<double>{1.0}, kKey, ends);
  return ends;
}

// sup |F_n - F| sqrt(n) exceeds 2.27 with probability 2 exp(-2 · 2.27²) = 7e-5.
double kolmogorov(std::vector<double> draws, const InverseGammaPrior& distribution) {
  std::sort(draws.begin(), draws.end());
  double sup = 0.0;
  const double n = double(draws.size());
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = distribution.cdf(draws[i]);
    sup = std::max({sup, p - double(i) / n, double(i + 1) / n - p});
  }
  return sup * std::sqrt(n);
}

// Twelve time constants from the mean: what is left of the start is e^-12.
constexpr SimulationOptions kFine{.time_step = 0.02, .num_steps = 600};

TEST(tank, has_an_inverse_gamma_distribution_for_constant_rain) {
  const InverseGammaPrior distribution = tank_stationary_distribution(kTank, 1.0);
  EXPECT_DOUBLE_EQ(distribution.shape, 5.0);
  EXPECT_DOUBLE_EQ(distribution.scale, 4.0);
  EXPECT_DOUBLE_EQ(distribution.mean(), 1.0);
  EXPECT_DOUBLE_EQ(distribution.variance(), 1.0 / 3.0);
  const std::vector<double> ends = ends_of_tank(kFine, 6000);
  EXPECT_LE(kolmogorov(ends, distribution), 2.27);
  // Power: the Stratonovich distribution, and one of another noise.
  EXPECT_GT(kolmogorov(ends, tank_stationary_distribution(kTank, 1.0, SdeKind::stratonovich)),
            2.27);
  EXPECT_GT(kolmogorov(ends, tank_stationary_distribution({.rate = 1.0, .noise = 0.6}, 1.0)), 2.27);
}

TEST(tank, has_another_distribution_in_the_sense_of_stratonovich) {
  const InverseGammaPrior distribution = tank_stationary_distribution(kTank, 1.0, SdeKind::stratonovich);
  EXPECT_DOUBLE_EQ(distribution.mean(), 1.0 / (1.0 - 0.5 * kTank.noise));
  for (const SdeScheme scheme : {SdeScheme::heun, SdeScheme::midpoint}) {
    SimulationOptions options = kFine;
    options.scheme = scheme;
    const std::vector<double> ends = ends_of_tank(options, 6000);
    EXPECT_LE(kolmogorov(ends, distribution), 2.27);
    EXPECT_GT(kolmogorov(ends, tank_stationary_distribution(kTank, 1.0)), 2.27);
  }
}

// Here the outflow is evaluated at (x + x') / 2. The texts print a minus, which would be no value
// between the two; solved for x' the step is a ratio.
TEST(tank, in_the_implicit_midpoint_evaluates_the_outflow_between_the_ends) {
  const double dt = 0.1;
  std::vector<double> path(51), noise(50);
  simulate(*tank_equation(kTank, [](double t) { return 1.0 + t; }),
           {.scheme = SdeScheme::midpoint, .time_step = dt, .num_steps = 50, .num_corrections = 60},
           std::vector<double>{2.0}, kKey, path);
  fill_normal(kKey, 0, noise);
  double x = 2.0;
  for (std::size_t i = 0; i < 50; ++i) {
    const double out = dt * kTank.rate + std::sqrt(dt * kTank.rate * kTank.noise) * noise[i];
    const double fed = dt * (1.0 + (double(i) + 0.5) * dt);
    x = (x * (1.0 - 0.5 * out) + fed) / (1.0 + 0.5 * out);
    EXPECT_NEAR(path[i + 1], x, 1e-12 * x);
  }
}

// At a long step the chain's own distribution is far from the equation's: variance 0.385 instead of 0.333.
TEST(tank, in_eulers_chain_has_the_second_moment_of_its_recursion) {
  EXPECT_NEAR(tank_chain_second_moment(kTank, 1.0, 0.002) - 1.0, 0.33378, 5e-6);
  EXPECT_EQ(tank_chain_second_moment({.rate = 1.0, .noise = 2.0}, 1.0, 0.1), kInfinity);
  constexpr std::size_t kPaths = 100'000;
  const std::vector<double> ends = ends_of_tank({.time_step = 0.2, .num_steps = 60}, kPaths);
  double sum = 0.0, squares = 0.0, fourths = 0.0;
  for (const double x : ends) {
    sum += x / kPaths, squares += x * x / kPaths, fourths += x * x * x * x / kPaths;
  }
  const double exact = tank_chain_second_moment(kTank, 1.0, 0.2);
  const double error = std::sqrt((fourths - squares * squares) / kPaths);
  EXPECT_NEAR(squares, exact, 4.0 * error);
  EXPECT_NEAR(sum, 1.0, 4.0 * std::sqrt((exact - 1.0) / kPaths));
  EXPECT_GT(std::fabs(squares - 4.0 / 3.0), 4.0 * error);  // power: the equation's own moment
}

TankData valid_data() {
  return {.rain = {1.0, 1.0, 1.0}, .observed_at = {0, 3}, .observed = {1.0, 1.1}};
}

TEST(tank_model, refuses_data_that_do_not_fit) {
  EXPECT_NO_THROW(TankModel{valid_data()});
  const auto refuses = [](auto change) {
    TankData data = valid_data();
    change(data);
    EXPECT_THROW(TankModel{std::move(data)}, Error);
  };
  refuses([](TankData& d) { d.rain.clear(); });
  refuses([](TankData& d) { d.rain[1] = kNaN; });
  refuses([](TankData& d) { d.time_step = 0.0; });
  refuses([](TankData& d) { d.observed.pop_back(); });
  refuses([](TankData& d) { d.observed_at = {3, 0}; });
  refuses([](TankData& d) { d.observed_at = {0, 4}; });
  refuses([](TankData& d) { d.prior[1].log_sd = 0.0; });
}

TEST(tank_model, observes_a_simulated_path_with_the_noise_it_says) {
  TankData data;
  data.rain.assign(4000, 1.0);
  const TankRun run = simulate_tank(data, {.rate = 1.0, .noise = 0.2, .noise_sd = 0.3}, 4, kKey);
  ASSERT_EQ(run.data.observed.size(), 1001u);
  double squares = 0.0;
  for (std::size_t k = 0; k < 1001; ++k) {
    const double off = run.data.observed[k] - run.x[4 * k];
    squares += off * off / 1001.0;
  }
  EXPECT_NEAR(squares, 0.09, 4.0 * 0.09 * std::sqrt(2.0 / 1001.0));
}

}  // namespace
}  // namespace credo::models::paths_tank_test
