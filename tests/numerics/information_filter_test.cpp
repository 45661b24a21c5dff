// The filter in information form and the smoother of two filters against those of covariances, and where nothing is known of the
// first state against the exact diffuse start and against a wide one.
#include "numerics/information_filter.hpp"

#include <gtest/gtest.h>

#include <random>

namespace credo::numerics::information_filter_test {
namespace {
using Steps = std::vector<LinearGaussianStep>;

// Matrices that differ from time to time, three elements of the state and two of the outcome; one whole outcome and single numbers are
// missing.
Steps example(unsigned seed, Index num_times = 7) {
  constexpr Index d = 3, m = 2;
  std::mt19937 engine(seed);
  std::normal_distribution<double> distribution;
  const auto normal = [&](Index rows, Index cols, double scale) {
    DenseMatrix a(rows, cols);
    for (double& x : a.values) x = scale * distribution(engine);
    return a;
  };
  const auto covariance = [&](Index n) {
    const DenseMatrix a = normal(n, n, 0.6);
    DenseMatrix p = a * transposed(a);
    for (Index i = 0; i < n; ++i) p(i, i) += 0.1;
    return p.values;
  };
  Steps steps;
  for (Index t = 0; t < num_times; ++t) {
    steps.push_back({.matrix = normal(d, d, 0.6).values,
                     .offset = normal(d, 1, 1.0).values,
                     .noise = covariance(d),
                     .observation = normal(m, d, 1.0).values,
                     .observation_offset = normal(m, 1, 1.0).values,
                     .observation_noise = covariance(m),
                     .outcome = normal(m, 1, 2.0).values});
    if (t == 3) steps.back().outcome = {kNaN, kNaN};
    if (t == 4) steps.back().outcome[0] = kNaN;
  }
  return steps;
}

// Elements of the first state of which nothing is known: columns for the diffuse filter, rows and columns of zeros in its noise.
std::vector<double> make_unknown(LinearGaussianStep& first,
                                 std::initializer_list<std::size_t> elements,
                                 double variance = 0.0) {
  std::vector<double> columns;
  for (const std::size_t e : elements) {
    columns.resize(columns.size() + 3, 0.0);
    columns[columns.size() - 3 + e] = 1.0;
    first.offset[e] = 0.0;
    for (std::size_t k = 0; k < 3; ++k) first.noise[e + 3 * k] = first.noise[k + 3 * e] = 0.0;
    first.noise[4 * e] = variance;
  }
  return columns;
}

double apart(std::span<const double> a, std::span<const double> b) {
  double most = a.size() == b.size() ? 0.0 : kInfinity;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::isnan(a[k]) != std::isnan(b[k]))
      most = kInfinity;
    else if (!std::isnan(a[k]))
      most = std::max(most, std::fabs(a[k] - b[k]));
  return most;
}
double apart(const GaussianState& a, const GaussianState& b) {
  return std::max(apart(a.mean, b.mean), apart(a.covariance(), b.covariance()));
}

// Two routes of some hundred operations, condition numbers up to 1e4.
TEST(information_filter, is_the_kalman_filter) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Steps steps = example(seed);
    const KalmanResult found = information_filter(steps), exact = kalman_filter(steps);
    EXPECT_NEAR(found.log_likelihood, exact.log_likelihood, 1e-10);
    EXPECT_LT(apart(found.log_increments, exact.log_increments), 1e-10);
    for (std::size_t t = 0; t < steps.size(); ++t) {
      EXPECT_LT(apart(found.predicted[t], exact.predicted[t]), 1e-10) << t;
      EXPECT_LT(apart(found.filtered[t], exact.filtered[t]), 1e-10) << t;
    }
  }
}

// The first outcome alone doesn't determine three elements.
TEST(information_filter, begins_with_no_information_as_the_exact_diffuse_start_does) {
  for (const unsigned seed : {1u, 2u, 3u})
    for (const auto& elements : {std::initializer_list<std::size_t>{1}, {0, 2}, {0, 1, 2}}) {
      Steps steps = example(seed);
      const std::vector<double> unknown = make_unknown(steps[0], elements);
      const KalmanResult found = information_filter(steps, unknown),
                         exact = diffuse_kalman_filter(steps, unknown);
      EXPECT_NEAR(found.log_likelihood, exact.log_likelihood, 1e-9);
      EXPECT_LT(apart(found.log_increments, exact.log_increments), 1e-9);
      for (std::size_t t = 0; t < steps.size(); ++t)
        EXPECT_LT(apart(found.filtered[t], exact.filtered[t]), 1e-8) << t;
    }
}

TEST(information_filter, says_that_outcomes_do_not_determine_a_state) {
  Steps steps = example(1, 1);
  const std::vector<double> unknown = make_unknown(steps[0], {0, 1, 2});
  EXPECT_TRUE(std::isnan(information_filter(steps, unknown).log_likelihood));
}

TEST(two_filter_smoother, is_that_of_rauch_tung_and_striebel) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Steps steps = example(seed);
    const KalmanResult filtered = kalman_filter(steps);
    const std::vector<GaussianState> exact = rts_smoother(steps, filtered);
    const TwoFilterSmoothing found = two_filter_smoother(steps);
    EXPECT_NEAR(found.log_likelihood, filtered.log_likelihood, 1e-10);
    for (std::size_t t = 0; t < steps.size(); ++t)
      EXPECT_LT(apart(found.smoothed[t], exact[t]), 1e-10) << t;
  }
}

// Of a start whose deviations are 1e4 instead, means and covariances are off by terms of order 1e-8.
TEST(two_filter_smoother, smooths_a_start_of_which_nothing_is_known) {
  Steps steps = example(2), wide = steps;
  const std::vector<double> unknown = make_unknown(steps[0], {0, 1, 2});
  make_unknown(wide[0], {0, 1, 2}, 1e8);
  const TwoFilterSmoothing found = two_filter_smoother(steps, unknown);
  const std::vector<GaussianState> exact = rts_smoother(wide, kalman_filter(wide));
  for (std::size_t t = 0; t < steps.size(); ++t)
    EXPECT_LT(apart(found.smoothed[t], exact[t]), 1e-5) << t;
}

// A path is an affine map of standard normal numbers, so their units tell its covariance: at each time that of the
// smoothed distribution, and of neighbouring times, Cov(x_t, x_{t+1}), gain times the covariance of the later one.
TEST(two_filter_smoother, draws_paths_of_the_smoothed_distribution) {
  const Steps steps = example(4);
  const KalmanResult filtered = kalman_filter(steps);
  const auto distributions = backward_distributions(steps, filtered);
  const auto exact = rts_smoother(steps, filtered);
  const TwoFilterSmoothing found = two_filter_smoother(steps);
  const Index size = 3 * ssize(steps);
  std::vector<double> z(static_cast<std::size_t>(size), 0.0);
  const std::vector<double> centre = smoothed_path(found, z);
  DenseMatrix map(size, size);
  for (Index k = 0; k < size; ++k) {
    z.assign(z.size(), 0.0);
    z[static_cast<std::size_t>(k)] = 1.0;
    const std::vector<double> path = smoothed_path(found, z);
    for (Index i = 0; i < size; ++i)
      map(i, k) = path[static_cast<std::size_t>(i)] - centre[static_cast<std::size_t>(i)];
  }
  const DenseMatrix covariance = map * transposed(map);
  for (Index t = 0; t < ssize(steps); ++t) {
    const GaussianState& at = exact[static_cast<std::size_t>(t)];
    EXPECT_LT(apart(std::span(centre).subspan(static_cast<std::size_t>(3 * t), 3), at.mean), 1e-10);
    EXPECT_LT(apart(block(covariance, 3 * t, 3 * t, 3, 3).values, at.covariance()), 1e-10);
    if (t + 1 == ssize(steps)) break;
    const DenseMatrix gain(3, 3, distributions[static_cast<std::size_t>(t)].gain),
        later(3, 3, exact[static_cast<std::size_t>(t + 1)].covariance());
    EXPECT_LT(apart(block(covariance, 3 * t, 3 * (t + 1), 3, 3).values, (gain * later).values),
              1e-10);
  }
}

}  // namespace
}  // namespace credo::numerics::information_filter_test
