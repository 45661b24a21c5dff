// The log likelihood against the filter by square roots of numerics/kalman.hpp, its gradient against differences.
#include "numerics/kalman_score.hpp"

#include <gtest/gtest.h>

#include <random>

#include "numerics/kalman.hpp"

namespace credo::numerics::kalman_score_test {
namespace {
using Numbers = std::vector<double>;

class Example {
 public:
  Example(unsigned seed, const KalmanSizes& sizes_in) : sizes(sizes_in), engine_(seed) {
    const Index n = sizes.states, r = sizes.outcomes;
    for (std::size_t part = 0; part < kKalmanParts; ++part)
      parts[part] = normals(kalman_part_size(sizes, part));
    for (double& x : parts[kTransition]) x *= 0.8 / std::sqrt(static_cast<double>(n));
    parts[kStateNoise] = covariance(n), parts[kCovariance] = covariance(n);
    if (sizes.variances)
      for (double& x : parts[kObservationNoise]) x = 0.2 + x * x;
    else
      parts[kObservationNoise] = covariance(r);
  }
  KalmanInputs inputs() const {
    KalmanInputs in{};
    for (std::size_t part = 0; part < kKalmanParts; ++part) in[part] = parts[part].data();
    return in;
  }
  double log_density() const {
    Numbers scratch(static_cast<std::size_t>(kalman_log_density_scratch(sizes)), kNaN);
    return kalman_log_density(sizes, inputs(), scratch.data());
  }
  Numbers score() const {
    Numbers scratch(static_cast<std::size_t>(kalman_score_scratch(sizes)), kNaN), gradient;
    for (std::size_t part = 0; part < kKalmanParts; ++part)
      gradient.resize(gradient.size() + parts[part].size(), kNaN);
    kalman_score(sizes, inputs(), gradient.data(), scratch.data());
    return gradient;
  }
  // By one element alone: covariances count by their symmetric parts.
  double difference(std::size_t part, std::size_t k) {
    double& x = parts[part][k];
    const double at = x, h = 2e-4;
    const auto value = [&](double step) {
      x = at + step;
      return log_density();
    };
    const double slope =
        (8.0 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12.0 * h);
    x = at;
    return slope;
  }

  KalmanSizes sizes;
  std::array<Numbers, kKalmanParts> parts;

 private:
  Numbers normals(Index count) {
    Numbers x(static_cast<std::size_t>(count));
    for (double& value : x) value = distribution_(engine_);
    return x;
  }
  Numbers covariance(Index n) {
    const Numbers a = normals(n * n);
    Numbers c(a.size());
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        double& sum = c[static_cast<std::size_t>(i + j * n)];
        sum = i == j ? 0.3 : 0.0;
        for (Index k = 0; k < n; ++k)
          sum += a[static_cast<std::size_t>(i + k * n)] * a[static_cast<std::size_t>(j + k * n)] /
                 static_cast<double>(n);
      }
    return c;
  }
  std::mt19937 engine_;
  std::normal_distribution<double> distribution_;
};

// The steps of the other filter, whose first time has no outcome.
double by_square_roots(const Example& e) {
  const Index n = e.sizes.states, r = e.sizes.outcomes;
  Numbers turned(static_cast<std::size_t>(n * r)), noise(static_cast<std::size_t>(r * r), 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < r; ++k)
      turned[static_cast<std::size_t>(k + i * r)] =
          e.parts[kDesign][static_cast<std::size_t>(i + k * n)];
  if (!e.sizes.variances) noise = e.parts[kObservationNoise];
  for (Index k = 0; e.sizes.variances && k < r; ++k)
    noise[static_cast<std::size_t>(k + k * r)] =
        e.parts[kObservationNoise][static_cast<std::size_t>(k)];
  std::vector<LinearGaussianStep> steps{{.offset = e.parts[kMean], .noise = e.parts[kCovariance]}};
  for (Index t = 0; t < e.sizes.times; ++t) {
    const auto first = e.parts[kOutcomes].begin() + t * r;
    steps.push_back({.matrix = e.parts[kTransition],
                     .offset = Numbers(static_cast<std::size_t>(n), 0.0),
                     .noise = e.parts[kStateNoise],
                     .observation = turned,
                     .observation_offset = Numbers(static_cast<std::size_t>(r), 0.0),
                     .observation_noise = noise,
                     .outcome = {first, first + r}});
  }
  constexpr double kHalfLog2Pi = 0.91893853320467274178;
  return kalman_filter(steps).log_likelihood + kHalfLog2Pi * static_cast<double>(r * e.sizes.times);
}

std::vector<KalmanSizes> all_sizes(Index times) {
  std::vector<KalmanSizes> all;
  for (const Index n : {1, 2, 3, 5, 9})
    for (const Index r : {1, 2, 4, 9, 13, 16})
      for (const bool variances : {false, true})
        all.push_back({.states = n, .outcomes = r, .times = times, .variances = variances});
  return all;
}

TEST(kalman_score, has_the_log_density_of_the_filter_by_square_roots) {
  for (const Index times : {1, 7})
    for (const KalmanSizes& sizes : all_sizes(times)) {
      const Example e(3, sizes);
      const double expected = by_square_roots(e);
      EXPECT_NEAR(e.log_density(), expected, 1e-12 * (1.0 + std::fabs(expected)))
          << sizes.states << " " << sizes.outcomes << " " << sizes.variances;
    }
}

// The four-point formula errs by O(h^4), about 1e-11 here, and by rounding of about 1e-14 |f| / h = 1e-9.
double worst_difference(Example e, const Numbers& score) {
  double worst = 0.0;
  std::size_t next = 0;
  for (std::size_t part = 0; part < kKalmanParts; ++part)
    for (std::size_t k = 0; k < e.parts[part].size(); ++k, ++next)
      worst = std::max(
          worst, std::fabs(score[next] - e.difference(part, k)) / (1.0 + std::fabs(score[next])));
  return worst;
}
TEST(kalman_score, is_the_gradient_of_the_log_density) {
  for (const KalmanSizes& sizes : all_sizes(4)) {
    const Example e(5, sizes);
    const Numbers score = e.score();
    EXPECT_LT(worst_difference(e, score), 3e-8)
        << sizes.states << " " << sizes.outcomes << " " << sizes.variances;
    Numbers wrong = score;  // 1e-6 of one element is seen
    wrong[wrong.size() / 2] += 1e-6 * (1.0 + std::fabs(wrong[wrong.size() / 2]));
    EXPECT_GT(worst_difference(e, wrong), 3e-8);
  }
}

TEST(kalman_score, leaves_out_what_is_not_asked_and_nothing_else) {
  for (KalmanSizes sizes : all_sizes(3)) {
    const Numbers all = Example(6, sizes).score();
    sizes.by_design = sizes.by_transition = false;
    const Example e(6, sizes);
    const Numbers some = e.score();
    std::size_t next = 0;
    for (std::size_t part = 0; part < kKalmanParts; ++part)
      for (std::size_t k = 0; k < e.parts[part].size(); ++k, ++next)
        EXPECT_EQ(some[next], part == kDesign || part == kTransition ? 0.0 : all[next]);
  }
}

TEST(kalman_score, of_one_number_is_that_of_a_normal_distribution) {
  // y ~ N(f g m, f^2 (g^2 c + w) + v)
  Example e(1, {.states = 1, .outcomes = 1, .times = 1});
  e.parts = {Numbers{1.5}, {2.0}, {0.5}, {0.3}, {0.2}, {0.7}, {0.4}};
  const double q = 4.0 * (0.25 * 0.4 + 0.2) + 0.3, error = 1.5 - 2.0 * 0.5 * 0.7;
  EXPECT_NEAR(e.log_density(), -0.5 * std::log(q) - 0.5 * error * error / q, 1e-15);
  const double by_variance = 0.5 * (error * error / q - 1.0) / q;
  const Numbers expected{-error / q,
                         error / q * 0.35 + by_variance * 2.0 * q / 2.0 - by_variance * 0.3,
                         error / q * 1.4 + by_variance * 4.0 * 2.0 * 0.5 * 0.4,
                         by_variance,
                         by_variance * 4.0,
                         error / q,
                         by_variance};
  const Numbers score = e.score();
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(score[k], expected[k], 1e-14) << k;
}

TEST(kalman_score, is_nan_where_an_outcome_has_no_density) {
  for (const bool variances : {false, true}) {
    Example e(2, {.states = 2, .outcomes = 2, .times = 3, .variances = variances});
    e.parts[kObservationNoise][0] = -50.0;
    EXPECT_TRUE(std::isnan(e.log_density()));
    for (const double x : e.score()) EXPECT_TRUE(std::isnan(x));
  }
}

TEST(kalman_score, of_no_states_is_that_of_independent_outcomes) {
  const Example e(4, {.states = 0, .outcomes = 2, .times = 3, .variances = true});
  double expected = 0.0;
  for (std::size_t k = 0; k < 6; ++k) {
    const double v = e.parts[kObservationNoise][k % 2], y = e.parts[kOutcomes][k];
    expected -= 0.5 * std::log(v) + 0.5 * y * y / v;
  }
  EXPECT_NEAR(e.log_density(), expected, 1e-14);
  EXPECT_NEAR(e.score()[0], -e.parts[kOutcomes][0] / e.parts[kObservationNoise][0], 1e-14);
}

// Explosive states: the two halves of a covariance would part by rounding if they weren't held together.
TEST(kalman_score, keeps_its_digits_where_states_grow) {
  Example e(8, {.states = 3, .outcomes = 1, .times = 300});
  e.parts[kTransition] = {1.2, 0.1, 0.0, 0.0, 1.1, 0.2, 0.3, 0.0, 0.9};
  EXPECT_NEAR(e.log_density(), by_square_roots(e), 1e-7 * std::fabs(e.log_density()));
}

}  // namespace
}  // namespace credo::numerics::kalman_score_test
