// credo/generators.hpp: each generator has its distribution, a fault in it is seen, and the same stream gives the same
// draws.
#include "credo/generators.hpp"

#include "api/draw_checks.hpp"
#include "base/rng.hpp"
#include "numerics/incomplete_gamma.hpp"

namespace credo::generators_test {
namespace {
using testing::kKolmogorovLimit, testing::kolmogorov, testing::test_seed;

constexpr std::size_t kDraws = 40'000;

template <class Draw>
std::vector<double> many(std::uint64_t seed, Draw draw) {
  RandomStream random(test_seed(seed));
  std::vector<double> draws(kDraws);
  for (double& x : draws) x = draw(random);
  return draws;
}

double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
std::function<double(double)> gamma_cdf(double shape, double rate) {
  return [=](double x) { return numerics::gamma_p(shape, rate * x); };
}

// ---- streams

TEST(random_stream, gives_the_same_draws_for_the_same_seed_and_number_only) {
  const auto draws = [](std::uint64_t seed, std::uint32_t number) {
    RandomStream random(seed, number);
    std::vector<double> all;
    for (int k = 0; k < 20; ++k) {
      all.push_back(draw_box_muller(random)[1]);
      all.push_back(draw_gamma_by_rejection(random, 2.7, 1.5));
      all.push_back(
          draw_multi_normal(random, std::vector{0.0, 1.0}, std::vector{2.0, 0.5, 0.5, 1.0})[1]);
    }
    return all;
  };
  EXPECT_EQ(draws(3, 0), draws(3, 0));
  EXPECT_NE(draws(3, 0), draws(4, 0));
  EXPECT_NE(draws(3, 0), draws(3, 1));
}

// ---- distributions by name

TEST(box_muller, draws_two_independent_standard_normals) {
  RandomStream random(test_seed(11));
  std::vector<double> first, second, squares;
  double product = 0.0;
  for (std::size_t k = 0; k < kDraws; ++k) {
    const auto [x, y] = draw_box_muller(random);
    first.push_back(x), second.push_back(y), squares.push_back(x * x + y * y);
    product += x * y;
  }
  EXPECT_LT(kolmogorov(first, phi), kKolmogorovLimit);
  EXPECT_LT(kolmogorov(second, phi), kKolmogorovLimit);
  // of independent normals: exponential of mean 2
  EXPECT_LT(kolmogorov(squares, [](double s) { return -std::expm1(-0.5 * s); }), kKolmogorovLimit);
  EXPECT_LT(std::fabs(product) / std::sqrt(double(kDraws)), 4.0);
}

// Pairs of the whole square, not of the disc.
TEST(box_muller, without_its_disc_is_rejected) {
  const auto wrong = [](Random& random) {
    for (;;) {
      const double z1 = random.uniform(-1.0, 1.0), z2 = random.uniform(-1.0, 1.0);
      const double square = z1 * z1 + z2 * z2;
      if (square < 1.3 && square > 0.0)
        return z1 * std::sqrt(std::fabs(2.0 * std::log(square)) / square);
    }
  };
  EXPECT_GT(kolmogorov(many(12, wrong), phi), kKolmogorovLimit);
}

TEST(draw_exponential, has_its_rate) {
  const auto draws = many(13, [](Random& random) { return draw_exponential(random, 2.5); });
  EXPECT_LT(kolmogorov(draws, [](double x) { return -std::expm1(-2.5 * x); }), kKolmogorovLimit);
  EXPECT_GT(kolmogorov(draws, [](double x) { return -std::expm1(-2.4 * x); }), kKolmogorovLimit);
}

TEST(draw_gamma, has_its_distribution_by_all_three_ways) {
  for (const double shape : {0.2, 1.0, 4.0, 70.0})
    EXPECT_LT(kolmogorov(many(14, [=](Random& r) { return draw_gamma(r, shape, 3.0); }),
                         gamma_cdf(shape, 3.0)),
              kKolmogorovLimit)
        << shape;
  for (const Index shape : {1, 2, 7})
    EXPECT_LT(kolmogorov(many(15, [=](Random& r) { return draw_gamma_whole(r, shape, 0.5); }),
                         gamma_cdf(double(shape), 0.5)),
              kKolmogorovLimit)
        << shape;
  for (const double shape : {1.0, 1.6, 2.0, 5.3})
    EXPECT_LT(
        kolmogorov(many(16, [=](Random& r) { return draw_gamma_by_rejection(r, shape, 2.0); }),
                   gamma_cdf(shape, 2.0)),
        kKolmogorovLimit)
        << shape;
}

TEST(draw_gamma_whole, with_an_exponential_too_many_is_rejected) {
  const auto draws = many(17, [](Random& r) { return draw_gamma_whole(r, 41, 1.0); });
  EXPECT_GT(kolmogorov(draws, gamma_cdf(40.0, 1.0)), kKolmogorovLimit);
}

// The largest ratio at 1 instead of shape - k: the test accepts too often where the ratio is larger.
TEST(draw_gamma_by_rejection, with_a_bound_that_is_too_low_is_rejected) {
  const double shape = 1.6, rate = 2.0, rest = 0.6;
  const auto wrong = [=](Random& random) {
    for (;;) {
      const double x = draw_exponential(random, rate - 1.0);
      const double log_ratio = rest * std::log(x) - x, at = 2.0 * rest;
      if (std::log(random.uniform()) <= log_ratio - (rest * std::log(at) - at)) return x;
    }
  };
  EXPECT_GT(kolmogorov(many(18, wrong), gamma_cdf(shape, rate)), kKolmogorovLimit);
}

// The ratio of the densities over a grid, and the share of tries that are accepted, 1 / C: an exponential of the
// stream counts a try for k = 1.
TEST(draw_gamma_by_rejection, is_bounded_by_the_largest_ratio_of_the_densities) {
  for (const double shape : {1.0, 1.6, 3.5, 8.0})
    for (const double rate : {1.2, 2.0, 6.0}) {
      const double k = std::floor(shape);
      double most = 0.0;
      for (double x = 1e-9; x < 30.0; x += 1e-3) {
        const double log_ratio = shape * std::log(rate) - std::lgamma(shape) -
                                 k * std::log(rate - 1.0) + std::lgamma(k) +
                                 (shape - k) * std::log(x) - x;
        most = std::max(most, std::exp(log_ratio));
      }
      EXPECT_NEAR(gamma_rejection_bound(shape, rate) / most, 1.0, 1e-5) << shape << ' ' << rate;
    }
  RandomStream random(test_seed(19));
  for (std::size_t i = 0; i < kDraws; ++i) draw_gamma_by_rejection(random, 1.6, 2.0);
  // two numbers a try; the number of tries of a draw is geometric with variance C (C - 1)
  const double c = gamma_rejection_bound(1.6, 2.0), n = double(kDraws);
  const double tries = 0.5 * double(random.rng().position()) / n;
  EXPECT_NEAR(tries, c, 4.0 * std::sqrt(c * (c - 1.0) / n));
}

TEST(draw_multi_normal, has_its_means_and_covariance) {
  const std::vector<double> mean = {1.0, -2.0, 0.5};
  const std::vector<double> covariance = {4.0, 1.0, -0.6, 1.0, 2.0, 0.3, -0.6, 0.3, 1.0};
  RandomStream random(test_seed(20));
  std::vector<double> all;
  for (std::size_t k = 0; k < kDraws; ++k)
    for (const double x : draw_multi_normal(random, mean, covariance)) all.push_back(x);
  const double n = double(kDraws);
  const auto worst_against = [&](const std::vector<double>& expected) {
    double worst = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < kDraws; ++k)
          sum += (all[3 * k + i] - mean[i]) * (all[3 * k + j] - mean[j]);
        const double c = expected[i + 3 * j];
        const double sd = std::sqrt((expected[4 * i] * expected[4 * j] + c * c) / n);
        worst = std::max(worst, std::fabs(sum / n - c) / sd);
      }
    return worst;
  };
  EXPECT_LT(worst_against(covariance),
            4.5);  // the largest of six; beyond 4.5 with probability 4e-5
  std::vector<double> transposed_factor = covariance;
  transposed_factor[1] = transposed_factor[3] = 0.8;
  EXPECT_GT(worst_against(transposed_factor), 4.5);
  // a combination is normal with variance a' S a: 4 + 2 + 1 + 2 (1 - 0.6 + 0.3) = 8.4
  std::vector<double> sums;
  for (std::size_t k = 0; k < kDraws; ++k)
    sums.push_back(all[3 * k] + all[3 * k + 1] + all[3 * k + 2]);
  EXPECT_LT(kolmogorov(sums, [](double x) { return phi((x + 0.5) / std::sqrt(8.4)); }),
            kKolmogorovLimit);
}

// ---- any distribution

TEST(inversion, finds_quantiles_to_the_last_digits) {
  const auto logistic = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  for (const double p : {1e-12, 0.01, 0.5, 0.9}) {
    const double x = invert_cdf(logistic, p), exact = std::log(p) - std::log1p(-p);
    EXPECT_NEAR(x, exact, 1e-15 / p + 4e-16 * std::fabs(exact)) << p;
  }
  // a jump, and flat stretches: the least x that reaches p
  const auto steps = [](double x) { return x < 1.0 ? 0.0 : x < 2.0 ? 0.4 : 1.0; };
  EXPECT_EQ(invert_cdf(steps, 0.3), 1.0);
  EXPECT_EQ(invert_cdf(steps, 0.4), 1.0);
  EXPECT_EQ(invert_cdf(steps, 0.41, 0.0, 10.0), 2.0);
  EXPECT_EQ(invert_cdf(steps, 0.3, 1.0, 10.0), 1.0);      // at the lower end it is reached
  EXPECT_THROW(invert_cdf(steps, 0.5, 0.0, 1.5), Error);  // and never up to the upper one
}

// The distribution of the minimum of three uniforms, and one whose cdf is another's.
TEST(inversion, draws_from_the_distribution_of_its_cdf) {
  const auto cdf = [](double x) {
    return x <= 0.0 ? 0.0 : x >= 1.0 ? 1.0 : 1.0 - std::pow(1.0 - x, 3);
  };
  const auto draws =
      many(21, [&](Random& random) { return draw_by_inversion(random, cdf, 0.0, 1.0); });
  EXPECT_LT(kolmogorov(draws, cdf), kKolmogorovLimit);
  EXPECT_GT(kolmogorov(draws, [](double x) { return 1.0 - std::pow(1.0 - x, 2.9); }),
            kKolmogorovLimit);
}

ScalarDistribution standard_normal_distribution() {
  return {.draw = [](Random& random) { return random.normal(); },
          .log_density = [](double x) { return -0.5 * x * x - 0.91893853320467274178; }};
}

// e^x of a normal is log-normal: its draws, its density, and that this integrates to 1, which it doesn't without the
// slope.
TEST(transformed, has_the_distribution_of_the_image) {
  const ScalarMap exponential{.forward = [](double x) { return std::exp(x); },
                              .inverse = [](double y) { return std::log(y); },
                              .log_slope = [](double x) { return x; }};
  const ScalarDistribution distribution = transformed(standard_normal_distribution(), exponential);
  EXPECT_LT(kolmogorov(many(22, distribution.draw), [](double y) { return phi(std::log(y)); }),
            kKolmogorovLimit);
  ScalarMap wrong = exponential;
  wrong.log_slope = [](double) { return 0.0; };
  const auto mass = [](const ScalarDistribution& of) {  // over y = e^u, by the trapezium rule in u
    double sum = 0.0;
    for (double u = -12.0; u <= 12.0; u += 1e-3) sum += std::exp(of.log_density(std::exp(u)) + u);
    return sum * 1e-3;
  };
  EXPECT_NEAR(mass(distribution), 1.0, 1e-12);
  EXPECT_GT(std::fabs(mass(transformed(standard_normal_distribution(), wrong)) - 1.0), 0.1);
  for (const double y : {0.1, 1.0, 7.0})
    EXPECT_NEAR(distribution.log_density(y),
                -0.5 * std::log(y) * std::log(y) - std::log(y) - 0.91893853320467274178, 1e-14);
}

// ---- wrong parameters

TEST(generators, refuse_parameters_outside_of_their_domain) {
  RandomStream random(1);
  const auto refused = [](auto f, ErrorCode code = ErrorCode::usage) {
    try {
      f();
    } catch (const Error& error) {
      return error.code() == code;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { draw_exponential(random, 0.0); }));
  EXPECT_TRUE(refused([&] { draw_gamma(random, -1.0, 1.0); }));
  EXPECT_TRUE(refused([&] { draw_gamma(random, 1.0, INFINITY); }));
  EXPECT_TRUE(refused([&] { draw_gamma_whole(random, 0, 1.0); }));
  EXPECT_TRUE(refused([&] { draw_gamma_by_rejection(random, 0.9, 2.0); }));
  EXPECT_TRUE(refused([&] { draw_gamma_by_rejection(random, 2.0, 1.0); }));
  EXPECT_TRUE(refused([&] { draw_multi_normal(random, std::vector{0.0}, std::vector{1.0, 2.0}); }));
  EXPECT_TRUE(refused([&] {
    draw_multi_normal(random, std::vector{0.0, 0.0}, std::vector{1.0, 0.5, 0.4, 1.0});
  }));
  EXPECT_TRUE(refused([&] {
    draw_multi_normal(random, std::vector{0.0, 0.0}, std::vector{1.0, 2.0, 2.0, 1.0});
  }));
  EXPECT_TRUE(refused([] { invert_cdf([](double) { return 0.5; }, 1.0); }));
  EXPECT_TRUE(refused([] { invert_cdf([](double) { return 0.5; }, 0.5, 1.0, 0.0); }));
  EXPECT_TRUE(refused([] { invert_cdf([](double x) { return x; }, 0.5); }, ErrorCode::evaluation));
  EXPECT_TRUE(refused(
      [] {
        invert_cdf([](double x) { return x < 3.0 ? 0.3 : x < 5.0 ? 0.2 : 1.0; }, 0.9, 0.0, 8.0);
      },
      ErrorCode::evaluation));
  EXPECT_TRUE(refused([] { transformed({}, {}); }));
}

}  // namespace
}  // namespace credo::generators_test
