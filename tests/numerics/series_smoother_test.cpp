// Smoothed means against those of the smoother by square roots; draws against means and covariances; one-step predictions against shorter
// series.
#include "numerics/series_smoother.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "numerics/kalman.hpp"

namespace credo::numerics::series_smoother_test {
namespace {
// A local linear trend with a season of 4, one outcome missing.
SeriesSystem example(Index unknowns, bool varies) {
  SeriesSystem e{.sizes = {.times = 12, .states = 5, .unknowns = unknowns, .kinds = 2}};
  e.parts[kSeriesOutcomes] = {1.0, 2.5, 2.0, 4.0, 3.5, kNaN, 4.2, 6.5, 5.0, 7.1, 6.8, 9.0};
  e.parts[kSeriesDesign] = {1, 0, 1, 0, 0};
  std::vector<double> a(50, 0.0);
  a[0] = a[5] = a[6] = 1.0;                                 // level, slope
  a[12] = a[17] = a[22] = -1.0, a[13] = a[19] = 1.0;        // season
  for (std::size_t i = 0; i < 5; ++i) a[25 + 6 * i] = 1.0;  // the other kind: nothing moves
  e.parts[kSeriesTransition] = a;
  e.parts[kSeriesStateNoise] = {0.3, 0.05, 0.2, 0, 0, 0.1, 0, 0, 0, 0};
  e.parts[kSeriesNoise] = {0.4};
  e.parts[kSeriesMean] = {0.5, 0.2, 0, 0, 0};
  e.parts[kSeriesCovariance].assign(25, 0.0);
  for (std::size_t i = 0; i < 5; ++i)
    e.parts[kSeriesCovariance][6 * i] =
        static_cast<Index>(i) < unknowns ? 0.0 : 1.0 + static_cast<double>(i);
  e.parts[kSeriesUnknown].assign(static_cast<std::size_t>(5 * unknowns), 0.0);
  for (Index u = 0; u < unknowns; ++u)
    e.parts[kSeriesUnknown][static_cast<std::size_t>(6 * u)] = 1.0;
  e.parts[kSeriesKinds].assign(12, 1.0);
  if (varies) e.parts[kSeriesKinds][6] = e.parts[kSeriesKinds][9] = 2.0;
  return e;
}

std::vector<LinearGaussianStep> steps_of(const SeriesSystem& e) {
  std::vector<LinearGaussianStep> steps;
  for (std::size_t t = 0; t < 12; ++t) {
    const auto kind = static_cast<std::size_t>(e.parts[kSeriesKinds][t]) - 1;
    LinearGaussianStep step{.observation = e.parts[kSeriesDesign],
                            .observation_offset = {0.0},
                            .observation_noise = e.parts[kSeriesNoise],
                            .outcome = {e.parts[kSeriesOutcomes][t]}};
    if (t == 0) {
      step.offset = e.parts[kSeriesMean], step.noise = e.parts[kSeriesCovariance];
    } else {
      const auto a = e.parts[kSeriesTransition].begin() + static_cast<Index>(25 * kind);
      step.matrix.assign(a, a + 25), step.offset.assign(5, 0.0), step.noise.assign(25, 0.0);
      for (std::size_t i = 0; i < 5; ++i)
        step.noise[6 * i] = e.parts[kSeriesStateNoise][5 * kind + i];
    }
    steps.push_back(step);
  }
  return steps;
}

TEST(series_smoother, has_the_means_of_the_smoother_by_square_roots) {
  for (const bool varies : {false, true}) {
    const SeriesSystem e = example(0, varies);
    const auto steps = steps_of(e);
    const auto expected = rts_smoother(steps, kalman_filter(steps));
    const auto means = SeriesSmoother(e).means();
    for (std::size_t t = 0; t < 12; ++t)
      for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(means[5 * t + i], expected[t].mean[i], 1e-10);
  }
}

TEST(series_smoother, of_a_diffuse_start_has_the_limit_of_wide_ones) {
  const SeriesSystem e = example(2, false);
  SeriesSystem wide = example(0, false);
  wide.parts[kSeriesCovariance][0] = wide.parts[kSeriesCovariance][6] = 1e8;
  const auto steps = steps_of(wide);
  const auto expected = rts_smoother(steps, kalman_filter(steps));
  const auto means = SeriesSmoother(e).means();
  for (std::size_t t = 0; t < 12; ++t)
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(means[5 * t + i], expected[t].mean[i], 1e-6);
}

// z scores of the means and of the variances of 20,000 draws at each time and state, and of the covariance of neighbours.
double worst_of_draws(const SeriesSystem& e, const std::vector<GaussianState>& expected,
                      double wrong) {
  constexpr int kDraws = 20'000;
  const SeriesSmoother smoother(e);
  std::vector<double> sum(60, 0.0), squares(60, 0.0);
  for (int d = 0; d < kDraws; ++d) {
    Rng rng({.seed = 11,
             .purpose = purpose::kTest,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(d)});
    const auto x = smoother.draw(rng);
    for (std::size_t k = 0; k < 60; ++k) {
      const double off = x[k] - expected[k / 5].mean[k % 5];
      sum[k] += off, squares[k] += off * off;
    }
  }
  double worst = 0.0;
  for (std::size_t k = 0; k < 60; ++k) {
    const double variance = expected[k / 5].covariance()[6 * (k % 5)] * wrong;
    worst = std::max(worst, std::fabs(sum[k]) / std::sqrt(variance * kDraws));
    worst = std::max(worst, std::fabs(squares[k] / variance - kDraws) / std::sqrt(2.0 * kDraws));
  }
  return worst;
}
// 120 comparisons: |z| > 4.7 has probability 3e-4 together.
TEST(series_smoother, draws_have_the_smoothed_means_and_variances) {
  for (const Index unknowns : {0, 2}) {
    const SeriesSystem e = example(unknowns, true);
    SeriesSystem wide = example(0, true);
    if (unknowns > 0) wide.parts[kSeriesCovariance][0] = wide.parts[kSeriesCovariance][6] = 1e7;
    const auto steps = steps_of(wide);
    const auto expected = rts_smoother(steps, kalman_filter(steps));
    EXPECT_LT(worst_of_draws(e, expected, 1.0), 4.7);
    EXPECT_GT(worst_of_draws(e, expected, 1.1), 4.7);  // a mutant: variances that are 10 % off
  }
}

TEST(series_smoother, predicts_each_outcome_from_those_before_it) {
  const SeriesSystem e = example(2, false);
  const auto one_step = SeriesSmoother(e).one_step();
  EXPECT_TRUE(std::isnan(one_step.mean[0]) && std::isnan(one_step.mean[1]));
  SeriesSystem wide = example(0, false);
  wide.parts[kSeriesCovariance][0] = wide.parts[kSeriesCovariance][6] = 1e8;
  const auto steps = steps_of(wide);
  const auto found = kalman_filter(steps);
  for (std::size_t t = 2; t < 12; ++t) {
    if (t == 5) continue;
    const auto& p = found.predicted[t];
    const auto c = p.covariance();
    EXPECT_NEAR(one_step.mean[t], p.mean[0] + p.mean[2], 1e-5);
    EXPECT_NEAR(one_step.sd[t] * one_step.sd[t], c[0] + 2.0 * c[2] + c[12] + 0.4, 1e-4);
  }
}
// One outcome determines a level, but no slope.
TEST(series_smoother, refuses_states_that_outcomes_do_not_determine) {
  SeriesSystem e = example(2, false);
  for (std::size_t t = 1; t < 12; ++t) e.parts[kSeriesOutcomes][t] = kNaN;
  const SeriesSmoother smoother(e);
  EXPECT_TRUE(std::isnan(smoother.log_density()));
  EXPECT_THROW(smoother.means(), Error);
}
}  // namespace
}  // namespace credo::numerics::series_smoother_test
