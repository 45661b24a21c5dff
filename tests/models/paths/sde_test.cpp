#include "models/paths/sde.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace credo::models::paths_sde_test {
namespace {
constexpr double kGrowth = 1.0, kNoise = 0.5;
constexpr StreamKey kKey{.seed = 11, .purpose = purpose::kTest};

auto growth() {
  return scalar_sde([](double x, double) { return kGrowth * x; },
                    [](double x, double) { return kNoise * x; });
}

// A step of a linear equation multiplies by a polynomial of A = a Δt + b ΔW ~ Normal(m, v): 1 + A,
// or 1 + A + A²/2 for both Stratonovich schemes. E of its square, from the normal moments.
double square_of_step(SdeScheme scheme, double dt) {
  const double m = kGrowth * dt, v = kNoise * kNoise * dt;
  const double a2 = m * m + v, a3 = m * m * m + 3 * m * v,
               a4 = m * m * m * m + 6 * m * m * v + 3 * v * v;
  if (scheme == SdeScheme::euler) return 1 + 2 * m + a2;
  return 1 + 2 * m + 2 * a2 + a3 + 0.25 * a4;
}
double second_moment(SdeScheme scheme, Index num_steps) {
  return std::pow(square_of_step(scheme, 1.0 / double(num_steps)), double(num_steps));
}
// Of the equation at time 1: a Stratonovich one is the Ito one with ½ b² x more drift.
double limit(SdeScheme scheme) {
  const double extra = scheme == SdeScheme::euler ? 0.0 : 0.5 * kNoise * kNoise;
  return std::exp(2.0 * (kGrowth + extra) + kNoise * kNoise);
}

struct Mean {
  double value, error;
};
Mean mean_square(const Sde& equation, const SimulationOptions& options, std::size_t num_paths) {
  std::vector<double> ends(num_paths);
  simulate_ends(equation, options, std::vector<double>{1.0}, kKey, ends);
  double sum = 0.0, squares = 0.0;
  for (const double x : ends) sum += x * x, squares += x * x * x * x;
  const double n = double(num_paths), mean = sum / n;
  return {mean, std::sqrt((squares / n - mean * mean) / n)};
}

constexpr std::array kSchemes = {SdeScheme::euler, SdeScheme::heun, SdeScheme::midpoint};

TEST(simulate, has_the_moments_of_its_own_chain_at_every_step_size) {
  for (const SdeScheme scheme : kSchemes)
    for (const Index n : {1, 4, 16}) {
      const Mean found = mean_square(
          growth(), {.scheme = scheme, .time_step = 1.0 / double(n), .num_steps = n}, 60'000);
      EXPECT_NEAR(found.value, second_moment(scheme, n), 4.0 * found.error) << n;
    }
}

// The chain's moments are exact (test above), so is the slope of their error.
TEST(simulate, converges_weakly_with_order_one_to_its_own_kind) {
  for (const SdeScheme scheme : kSchemes) {
    double last = 0.0;
    for (const Index n : {64, 128, 256, 512}) {
      const double error = std::fabs(second_moment(scheme, n) - limit(scheme));
      if (last > 0.0) {
        EXPECT_NEAR(std::log2(last / error), 1.0, 0.06);
      }
      last = error;
    }
    EXPECT_LT(last, 0.02 * limit(scheme));
  }
}

// Halving the step of one path keeps its noise: the strong error of Euler has order 1/2.
TEST(simulate, converges_strongly_with_order_one_half) {
  std::vector<double> errors;
  for (const Index n : {32, 512}) {
    double sum = 0.0;
    for (std::uint32_t p = 0; p < 2000; ++p) {
      StreamKey key = kKey;
      key.chain = p;
      std::vector<double> path(static_cast<std::size_t>(n) + 1), noise(path.size() - 1);
      simulate(growth(), {.time_step = 1.0 / double(n), .num_steps = n}, std::vector<double>{1.0},
               key, path);
      fill_normal(key, 0, noise);
      const double w = std::accumulate(noise.begin(), noise.end(), 0.0) / std::sqrt(double(n));
      sum += std::fabs(path.back() - std::exp(kGrowth - 0.5 * kNoise * kNoise + kNoise * w));
    }
    errors.push_back(sum / 2000.0);
  }
  // log2 of a ratio over four halvings; each mean's relative error is some 1.5 / sqrt(2000).
  EXPECT_NEAR(std::log2(errors[0] / errors[1]) / 4.0, 0.5, 0.08);
}

TEST(simulate, reads_its_noise_from_the_stream_in_order) {
  std::vector<double> path(21), noise(20);
  simulate(growth(), {.time_step = 0.25, .num_steps = 20}, std::vector<double>{2.0}, kKey, path);
  fill_normal(kKey, 0, noise);
  double x = 2.0;
  for (std::size_t i = 0; i < 20; ++i) {
    x = x + (0.25 * (kGrowth * x) + kNoise * x * (0.5 * noise[i]));
    EXPECT_EQ(path[i + 1], x) << i;
  }
}

TEST(simulate, gives_the_same_ends_for_any_number_of_threads) {
  std::vector<double> first(1000), ends(1000);
  SimulationOptions options{.time_step = 0.1, .num_steps = 20};
  simulate_ends(growth(), options, std::vector<double>{1.0}, kKey, first);
  for (const Index threads : {2, 3}) {
    options.num_threads = threads;
    simulate_ends(growth(), options, std::vector<double>{1.0}, kKey, ends);
    EXPECT_EQ(ends, first);
  }
}

// dx = A x dt + B dW in two dimensions: Euler's mean and covariance are a recursion.
class Coupled final : public Sde {
 public:
  Index dimension() const override { return 2; }
  Index num_noises() const override { return 2; }
  void drift(std::span<const double> x, double, std::span<double> f) const override {
    f[0] = -x[0] + 2.0 * x[1];
    f[1] = -2.0 * x[0] - x[1];
  }
  void diffusion(std::span<const double>, double, std::span<double> g) const override {
    g[0] = 1.0, g[1] = 0.5;  // the first noise moves both
    g[2] = 0.0, g[3] = 0.3;
  }
};

TEST(simulate, has_the_covariance_of_a_linear_system) {
  const double dt = 0.1, keep = 1.0 - dt, turn = 2.0 * dt;
  std::array<double, 3> covariance{};  // xx, xy, yy
  for (int i = 0; i < 20; ++i) {
    const auto [xx, xy, yy] = covariance;
    covariance = {
        keep * keep * xx + 2 * keep * turn * xy + turn * turn * yy + dt * 1.0,
        -keep * turn * xx + (keep * keep - turn * turn) * xy + keep * turn * yy + dt * 0.5,
        turn * turn * xx - 2 * keep * turn * xy + keep * keep * yy + dt * (0.25 + 0.09)};
  }
  constexpr std::size_t kPaths = 40'000;
  std::vector<double> ends(2 * kPaths);
  simulate_ends(Coupled(), {.time_step = dt, .num_steps = 20}, std::vector<double>{0.0, 0.0}, kKey,
                ends);
  std::array<double, 3> found{};
  for (std::size_t p = 0; p < kPaths; ++p) {
    const double x = ends[2 * p], y = ends[2 * p + 1];
    found[0] += x * x / kPaths, found[1] += x * y / kPaths, found[2] += y * y / kPaths;
  }
  const auto [xx, xy, yy] = covariance;
  EXPECT_NEAR(found[0], xx, 4.0 * std::sqrt(2.0 * xx * xx / kPaths));
  EXPECT_NEAR(found[1], xy, 4.0 * std::sqrt((xx * yy + xy * xy) / kPaths));
  EXPECT_NEAR(found[2], yy, 4.0 * std::sqrt(2.0 * yy * yy / kPaths));
}

TEST(simulate, refuses_sizes_that_do_not_fit) {
  std::vector<double> path(5);
  const std::vector<double> one = {1.0}, two = {1.0, 1.0};
  EXPECT_THROW(simulate(growth(), {.num_steps = 5}, one, kKey, path), Error);
  EXPECT_THROW(simulate(growth(), {.num_steps = 4}, two, kKey, path), Error);
  EXPECT_THROW(simulate(growth(), {.time_step = 0.0, .num_steps = 4}, one, kKey, path), Error);
  EXPECT_THROW(simulate(growth(), {.num_steps = -1}, one, kKey, path), Error);
  EXPECT_THROW(simulate(growth(), {.num_steps = 4, .num_corrections = 0}, one, kKey, path), Error);
}

}  // namespace
}  // namespace credo::models::paths_sde_test
