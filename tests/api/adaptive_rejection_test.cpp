// credo/adaptive_rejection.hpp: exact draws of log-concave distributions of one variable, few evaluations, and clear
// refusals.
#include "credo/adaptive_rejection.hpp"

#include "api/draw_checks.hpp"
#include "credo/generators.hpp"
#include "numerics/incomplete_gamma.hpp"

namespace credo::adaptive_rejection_test {
namespace {

double std_normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
LogSlope log_normal_slope(double x) { return {-0.5 * x * x, -x}; }

AdaptiveRejection::Function log_gamma_slope(double shape) {
  return [shape](double x) {
    return LogSlope{(shape - 1.0) * std::log(x) - x, (shape - 1.0) / x - 1.0};
  };
}

std::vector<double> draws_of(AdaptiveRejection& sampler, std::size_t n, std::uint64_t seed) {
  RandomStream random(testing::test_seed(seed));
  std::vector<double> draws(n);
  for (double& x : draws) x = sampler.draw(random);
  return draws;
}

constexpr std::size_t kDraws = 100'000;

// The hull has room for 100 tangents; after these some draws in a thousand fall between it and the chords.
TEST(adaptive_rejection, draws_a_normal_with_few_evaluations) {
  AdaptiveRejection sampler(log_normal_slope);
  draws_of(sampler, 1000, 10);
  EXPECT_LT(sampler.num_evaluations(), 40);
  EXPECT_LT(testing::kolmogorov(draws_of(sampler, kDraws, 1), std_normal_cdf),
            testing::kKolmogorovLimit);
  RecordProperty("evaluations", std::to_string(sampler.num_evaluations()));
  EXPECT_LT(sampler.num_evaluations(), 300);
}

TEST(adaptive_rejection, draws_gamma_distributions_with_a_bound_from_shape_one_on) {
  for (const double shape : {1.0, 1.3, 3.0, 200.0}) {
    AdaptiveRejection sampler(log_gamma_slope(shape), {.lower = 0.0});
    const auto cdf = [&](double x) { return numerics::gamma_p(shape, x); };
    EXPECT_LT(testing::kolmogorov(draws_of(sampler, 20'000, 2), cdf), testing::kKolmogorovLimit)
        << shape;
    EXPECT_LT(sampler.num_evaluations(), 300) << shape;
  }
}

// Bounds around the mode, on one side of it, and far out in a tail, where a normal falls as e^(-8 x).
TEST(adaptive_rejection, draws_truncated_normals) {
  struct Case {
    double lower, upper;
  };
  const auto upper_tail = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  for (const Case& of : {Case{-0.5, 2.0}, Case{1.0, 1.5}, Case{8.0, INFINITY}}) {
    AdaptiveRejection sampler(log_normal_slope, {.lower = of.lower, .upper = of.upper});
    const double all = upper_tail(of.lower) - upper_tail(of.upper);
    const auto cdf = [&](double x) { return (upper_tail(of.lower) - upper_tail(x)) / all; };
    EXPECT_LT(testing::kolmogorov(draws_of(sampler, kDraws, 3), cdf), testing::kKolmogorovLimit)
        << of.lower;
  }
}

// Exponential and uniform: straight lines, on which all slopes are equal.
TEST(adaptive_rejection, draws_from_straight_lines_with_few_tangents) {
  AdaptiveRejection falling([](double x) { return LogSlope{-2.0 * x, -2.0}; }, {.lower = 1.0});
  EXPECT_LT(testing::kolmogorov(draws_of(falling, kDraws, 4),
                                [](double x) { return -std::expm1(-2.0 * (x - 1.0)); }),
            testing::kKolmogorovLimit);
  AdaptiveRejection flat([](double) { return LogSlope{3.0, 0.0}; }, {.lower = -1.0, .upper = 1.0});
  EXPECT_LT(
      testing::kolmogorov(draws_of(flat, kDraws, 5), [](double x) { return 0.5 * (x + 1.0); }),
      testing::kKolmogorovLimit);
  EXPECT_LT(falling.num_evaluations(), 110);
  EXPECT_LT(flat.num_evaluations(), 110);
}

TEST(adaptive_rejection, bounds_the_log_density_from_both_sides) {
  AdaptiveRejection sampler(log_normal_slope);
  draws_of(sampler, 1000, 6);
  for (double x = -4.0; x <= 4.0; x += 0.01) {
    ASSERT_GE(sampler.above(x), log_normal_slope(x).log_density - 1e-12);
    ASSERT_LE(sampler.below(x), log_normal_slope(x).log_density + 1e-12);
  }
  EXPECT_NEAR(sampler.above(0.0), sampler.below(0.0), 0.05);  // tight where draws are
}

// E16 of the texts (docs/text-examples.md), half of a normal distribution: the envelope through more points rejects
// less. Begun with 3, 6 and 12 points, and with each rejection a point itself.
TEST(adaptive_rejection, rejects_less_of_half_a_normal_as_points_are_added) {
  std::vector<Index> rejections;
  for (const int num_points : {3, 6, 12}) {
    AdaptiveRejectionOptions options{.lower = 0.0};
    for (int k = 1; k <= num_points; ++k) options.start.push_back(3.0 * k / num_points);
    Index all = 0;
    for (std::uint64_t run = 0; run < 2000; ++run) {  // the first draw of a new envelope each time
      AdaptiveRejection sampler(log_normal_slope, options);
      const Index before = sampler.num_evaluations();
      draws_of(sampler, 1, 100 + run);
      all += sampler.num_evaluations() - before;
    }
    rejections.push_back(all);
  }
  std::printf(
      "evaluations for the first draw beyond those of 3, 6 and 12 points: %.3f, %.3f, %.3f\n",
      static_cast<double>(rejections[0]) / 2000.0, static_cast<double>(rejections[1]) / 2000.0,
      static_cast<double>(rejections[2]) / 2000.0);
  EXPECT_LT(1.7 * static_cast<double>(rejections[1]), static_cast<double>(rejections[0]));
  EXPECT_LT(1.7 * static_cast<double>(rejections[2]), static_cast<double>(rejections[1]));

  AdaptiveRejection sampler(log_normal_slope, {.lower = 0.0, .start = {1.0, 2.0, 3.0}});
  Index before = sampler.num_evaluations();
  std::vector<Index> added;  // in 10, 100, 1,000, 10,000 draws more
  for (const std::size_t n : {10U, 100U, 1000U, 10'000U}) {
    draws_of(sampler, n, n);
    added.push_back(sampler.num_evaluations() - before);
    before = sampler.num_evaluations();
  }
  std::printf("evaluations in 10, 100, 1,000 and 10,000 draws: %d, %d, %d, %d\n", int(added[0]),
              int(added[1]), int(added[2]), int(added[3]));
  for (std::size_t k = 1; k < added.size();
       ++k)  // ten times as many draws ask for less than four times as many
    EXPECT_LT(added[k], 4 * added[k - 1] + 4);
  EXPECT_LT(testing::kolmogorov(draws_of(sampler, kDraws, 12),
                                [](double x) { return 2.0 * std_normal_cdf(x) - 1.0; }),
            testing::kKolmogorovLimit);
}

TEST(adaptive_rejection, gives_the_same_draws_for_the_same_stream) {
  AdaptiveRejection a(log_normal_slope), b(log_normal_slope);
  EXPECT_EQ(draws_of(a, 100, 7), draws_of(b, 100, 7));
}

// A hull that is too low: the derivative belongs to another function.
TEST(adaptive_rejection, is_rejected_with_a_log_density_of_another_distribution) {
  AdaptiveRejection sampler([](double x) { return LogSlope{-0.45 * x * x, -0.9 * x}; });
  EXPECT_GT(testing::kolmogorov(draws_of(sampler, kDraws, 8), std_normal_cdf),
            testing::kKolmogorovLimit);
}

template <class F>
std::string refusal(F f, ErrorCode code) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

void expect_part(const std::string& said, const std::string& part) {
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

// In the tangents it begins with, or at a draw.
TEST(adaptive_rejection, refuses_what_is_not_log_concave_and_wrong_derivatives) {
  const auto drawn = [](AdaptiveRejection::Function h, AdaptiveRejectionOptions options = {}) {
    return refusal(
        [&] {
          AdaptiveRejection sampler(h, options);
          draws_of(sampler, 10'000, 9);
        },
        ErrorCode::evaluation);
  };
  const auto cauchy = [](double x) {
    return LogSlope{-std::log1p(x * x), -2.0 * x / (1.0 + x * x)};
  };
  const auto two = [](double x) {  // log(e^(-(x - 2)²/2) + e^(-(x + 2)²/2))
    return LogSlope{-0.5 * x * x + std::log(std::cosh(2.0 * x)), -x + 2.0 * std::tanh(2.0 * x)};
  };
  expect_part(drawn(cauchy), "isn't concave");
  expect_part(drawn(two), "isn't concave");
  expect_part(drawn([](double x) {
                return LogSlope{-0.5 * x * x, -0.8 * x};
              }),
              "derivative is wrong");
  expect_part(drawn(log_gamma_slope(0.5), {.lower = 0.0}), "isn't concave");
  expect_part(drawn([](double) { return LogSlope{0.0, 0.0}; }), "doesn't fall off");
  expect_part(drawn([](double) { return LogSlope{NAN, 0.0}; }), "must be numbers");
}

TEST(adaptive_rejection, refuses_options_that_make_no_sense) {
  const auto made = [](AdaptiveRejectionOptions options) {
    return refusal([&] { AdaptiveRejection sampler(log_normal_slope, options); }, ErrorCode::usage);
  };
  expect_part(made({.lower = 2.0, .upper = 1.0}), "no interval");
  expect_part(made({.lower = 0.0, .start = {-1.0}}), "between the bounds");
  expect_part(made({.max_tangents = 1}), "max_tangents");
  expect_part(made({.tolerance = -1.0}), "tolerance");
  expect_part(refusal([] { AdaptiveRejection sampler(nullptr); }, ErrorCode::usage),
              "no log density");
}

}  // namespace
}  // namespace credo::adaptive_rejection_test
