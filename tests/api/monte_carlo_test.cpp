// credo/monte_carlo.hpp: importance sampling of known expectations, and information gains with closed forms.
#include "credo/monte_carlo.hpp"

#include "api/draw_checks.hpp"

namespace credo::monte_carlo_test {
namespace {
using testing::test_seed;
using Numbers = std::span<const double>;

constexpr double kHalfLogTwoPi = 0.91893853320467274178;
double log_std_normal(Numbers x) {
  double sum = 0.0;
  for (const double v : x) sum -= 0.5 * v * v + kHalfLogTwoPi;
  return sum;
}

// Normal with the standard deviation `sd` around `mean` in each coordinate.
VectorDistribution wide_normal(Index dimension, double mean, double sd) {
  return {.dimension = dimension,
          .draw =
              [=](std::span<double> x, Random& random) {
                for (double& v : x) v = mean + sd * random.normal();
              },
          .log_density =
              [=](Numbers x) {
                double sum = 0.0;
                for (const double v : x) {
                  const double z = (v - mean) / sd;
                  sum -= 0.5 * z * z + std::log(sd) + kHalfLogTwoPi;
                }
                return sum;
              }};
}

TEST(importance_mean, finds_expectations_without_bias_and_with_the_errors_it_says) {
  double squares = 0.0, bias = 0.0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(test_seed(31), static_cast<std::uint32_t>(run));
    const ImportanceMean found = importance_mean(
        random, log_std_normal, wide_normal(2, 0.3, 1.5),
        [](Numbers x) { return x[0] * x[0] + x[1]; }, 200);
    const double z = (found.mean - 1.0) / found.error;
    squares += z * z / kRuns, bias += (found.mean - 1.0) / kRuns;
  }
  EXPECT_NEAR(squares, 1.0,
              0.35);  // 4 sd of the mean of 400 squares of scores is 0.28, and errors are estimates
  EXPECT_LT(std::fabs(bias), 4.0 * 0.13 / std::sqrt(double(kRuns)) * 2.0);
}

// P(x > 4) = 3.17e-5, of which plain draws would see one in 30,000: the proposal is around 4.
TEST(importance_mean, finds_a_tail_that_draws_of_the_target_hardly_see) {
  RandomStream random(test_seed(32));
  const ImportanceMean found = importance_mean(
      random, log_std_normal, wide_normal(1, 4.0, 1.0),
      [](Numbers x) { return x[0] > 4.0 ? 1.0 : 0.0; }, 20'000);
  const double exact = 0.5 * std::erfc(4.0 / std::sqrt(2.0));
  EXPECT_NEAR(found.mean, exact, 4.0 * found.error);
  EXPECT_LT(found.error / exact, 0.02);
  EXPECT_LT(found.effective_draws, 20'000.0);
}

// A target without its constant, and a proposal that misses half of it.
TEST(importance_mean, has_weights_whose_mean_tells_what_is_wrong) {
  const auto off = [](const std::function<double(Numbers)>& target,
                      const VectorDistribution& proposal) {
    RandomStream random(test_seed(33));
    const ImportanceMean found = importance_mean(
        random, target, proposal, [](Numbers x) { return x[0]; }, 20'000);
    return std::fabs(found.mean_weight - 1.0) / found.mean_weight_error;
  };
  EXPECT_LT(off(log_std_normal, wide_normal(1, 0.0, 1.5)), 4.0);
  EXPECT_GT(off([](Numbers x) { return -0.5 * x[0] * x[0]; }, wide_normal(1, 0.0, 1.5)), 20.0);
  VectorDistribution half = wide_normal(1, 0.0, 1.5);
  half.draw = [](std::span<double> x, Random& random) { x[0] = std::fabs(1.5 * random.normal()); };
  half.log_density = [inner = wide_normal(1, 0.0, 1.5).log_density](Numbers x) {
    return inner(x) + std::log(2.0);
  };
  EXPECT_GT(off(log_std_normal, half), 20.0);
}

// theta ~ N(0, 2²), n outcomes with noise of sd s at places x: y_i = x_i theta + e_i. I = log(1 + 4 Σ x² / s²) / 2.
Experiment line(std::vector<double> places, double noise) {
  return {.num_parameters = 1,
          .num_outcomes = std::ssize(places),
          .draw_parameters = [](std::span<double> theta,
                                Random& random) { theta[0] = 2.0 * random.normal(); },
          .simulate =
              [=](Numbers theta, std::span<double> y, Random& random) {
                for (std::size_t i = 0; i < y.size(); ++i)
                  y[i] = places[i] * theta[0] + noise * random.normal();
              },
          .log_likelihood =
              [=](Numbers theta, Numbers y) {
                double sum = 0.0;
                for (std::size_t i = 0; i < y.size(); ++i) {
                  const double z = (y[i] - places[i] * theta[0]) / noise;
                  sum -= 0.5 * z * z + std::log(noise) + kHalfLogTwoPi;
                }
                return sum;
              }};
}
double exact_gain(const std::vector<double>& places, double noise) {
  double squares = 0.0;
  for (const double x : places) squares += x * x;
  return 0.5 * std::log1p(4.0 * squares / (noise * noise));
}

TEST(information_gain, of_a_line_is_its_closed_form_and_the_best_design_has_the_most) {
  const std::vector<std::vector<double>> designs = {{0.0, 0.0}, {0.5, 1.0}, {-1.0, 1.0}};
  std::vector<double> gains;
  for (const auto& places : designs) {
    RandomStream random(test_seed(34));
    const InformationGain found = expected_information_gain(random, line(places, 1.0), 1000, 1000);
    EXPECT_NEAR(found.mean - found.bias, exact_gain(places, 1.0), 4.0 * found.error + 1e-12);
    gains.push_back(found.mean);
  }
  EXPECT_NEAR(gains[0], 0.0, 1e-12);  // outcomes that know nothing of theta
  EXPECT_GT(gains[2], gains[1]);
}

// A coin of unknown side, seen through a channel that errs with probability e: log 2 - H(e).
TEST(information_gain, of_a_binary_channel_is_its_capacity) {
  const double e = 0.1;
  const Experiment channel{
      .draw_parameters = [](std::span<double> x,
                            Random& r) { x[0] = r.uniform() < 0.5 ? 0.0 : 1.0; },
      .simulate = [=](Numbers x, std::span<double> y,
                      Random& r) { y[0] = r.uniform() < e ? 1.0 - x[0] : x[0]; },
      .log_likelihood = [=](Numbers x, Numbers y) { return std::log(x[0] == y[0] ? 1.0 - e : e); }};
  RandomStream random(test_seed(35));
  const InformationGain found = expected_information_gain(random, channel, 4000, 500);
  const double exact = std::log(2.0) + e * std::log(e) + (1.0 - e) * std::log1p(-e);
  EXPECT_NEAR(found.mean - found.bias, exact, 4.0 * found.error);
}

// The inner mean takes the parameters that the outcome came from: a known fault, far off with few inner draws.
TEST(information_gain, that_knows_the_noise_wrongly_is_rejected) {
  Experiment wrong = line({1.0}, 1.0);
  wrong.log_likelihood = line({1.0}, 1.3).log_likelihood;
  RandomStream random(test_seed(36));
  const InformationGain found = expected_information_gain(random, wrong, 4000, 1000);
  EXPECT_GT(std::fabs(found.mean - found.bias - exact_gain({1.0}, 1.0)), 4.0 * found.error);
}

// With few inner draws the mean is too large by what it says, to first order.
TEST(information_gain, says_the_bias_of_few_inner_draws) {
  RandomStream random(test_seed(37));
  const InformationGain few = expected_information_gain(random, line({0.5}, 1.0), 20'000, 50);
  EXPECT_GT(few.bias, 4.0 * few.error / 10.0);
  EXPECT_NEAR(few.mean - few.bias, exact_gain({0.5}, 1.0), 4.0 * few.error + 0.3 * few.bias);
}

TEST(monte_carlo, refuses_what_makes_no_sense) {
  RandomStream random(1);
  const auto one = [](Numbers) { return 1.0; };
  const auto refused = [](auto f, ErrorCode code) {
    try {
      f();
    } catch (const Error& error) {
      return error.code() == code;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { importance_mean(random, nullptr, wide_normal(1, 0, 1), one, 10); },
                      ErrorCode::usage));
  EXPECT_TRUE(
      refused([&] { importance_mean(random, log_std_normal, wide_normal(1, 0, 1), one, 1); },
              ErrorCode::usage));
  EXPECT_TRUE(
      refused([&] { importance_mean(random, log_std_normal, wide_normal(0, 0, 1), one, 10); },
              ErrorCode::usage));
  EXPECT_TRUE(refused(
      [&] {
        importance_mean(
            random, [](Numbers) { return NAN; }, wide_normal(1, 0, 1), one, 10);
      },
      ErrorCode::evaluation));
  EXPECT_TRUE(refused([&] { expected_information_gain(random, {}, 10, 10); }, ErrorCode::usage));
  EXPECT_TRUE(refused([&] { expected_information_gain(random, line({1.0}, 1.0), 1, 10); },
                      ErrorCode::usage));
  Experiment blind = line({1.0}, 1.0);
  blind.log_likelihood = [](Numbers, Numbers) { return -INFINITY; };
  EXPECT_TRUE(
      refused([&] { expected_information_gain(random, blind, 10, 10); }, ErrorCode::evaluation));
}

}  // namespace
}  // namespace credo::monte_carlo_test
