#include <gtest/gtest.h>

#include "diagnose/chains.hpp"
#include "infer/adapt/step_size_search.hpp"
#include "infer/adapt/warmup.hpp"
#include "infer/adapt/welford.hpp"
#include "infer/core/sample.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "support/kernel_checks.hpp"

namespace credo::infer::adapt_test {
namespace {
using namespace credo::testing;

std::vector<Index> window_lengths(Index num_warmup, const ScheduleOptions& options = {}) {
  const WarmupSchedule schedule = warmup_schedule(num_warmup, options);
  std::vector<Index> lengths;
  Index begin = schedule.metric_begin;
  for (const Index end : schedule.window_ends) {
    lengths.push_back(end - begin);
    begin = end;
  }
  return lengths;
}

TEST(warmup_schedule, of_1000_transitions_is_75_and_five_doubling_windows_and_50) {
  EXPECT_EQ(warmup_schedule(1000, {}).metric_begin, 75);
  EXPECT_EQ(window_lengths(1000), (std::vector<Index>{25, 50, 100, 200, 500}));
}

TEST(warmup_schedule, gives_what_is_left_to_the_last_window_that_fits) {
  EXPECT_EQ(window_lengths(200), (std::vector<Index>{25, 50}));
  EXPECT_EQ(window_lengths(175), (std::vector<Index>{25, 25}));
  EXPECT_EQ(window_lengths(150), (std::vector<Index>{25}));
  EXPECT_EQ(window_lengths(400), (std::vector<Index>{25, 50, 200}));
}

TEST(warmup_schedule, has_no_window_of_a_single_draw) {
  EXPECT_EQ(window_lengths(151), (std::vector<Index>{26}));
  for (Index num_warmup = 20; num_warmup < 2000; ++num_warmup) {
    for (const Index length : window_lengths(num_warmup)) EXPECT_GE(length, 2) << num_warmup;
  }
}

TEST(warmup_schedule, scales_short_runs_down_and_leaves_the_shortest_without_windows) {
  EXPECT_EQ(warmup_schedule(100, {}).metric_begin, 15);
  EXPECT_EQ(window_lengths(100), (std::vector<Index>{75}));
  EXPECT_EQ(window_lengths(20), (std::vector<Index>{15}));
  EXPECT_TRUE(window_lengths(19).empty());
  EXPECT_TRUE(window_lengths(0).empty());
}

TEST(warmup_schedule, ends_its_windows_where_the_last_buffer_begins) {
  for (Index num_warmup = 20; num_warmup < 3000; num_warmup += 7) {
    const WarmupSchedule schedule = warmup_schedule(num_warmup, {});
    const bool scaled = num_warmup < 150;
    const auto tenth = static_cast<Index>(0.1 * static_cast<double>(num_warmup));
    EXPECT_EQ(schedule.window_ends.back(), num_warmup - (scaled ? tenth : 50)) << num_warmup;
    EXPECT_TRUE(std::is_sorted(schedule.window_ends.begin(), schedule.window_ends.end()));
  }
}

// Statistic 1 - step / 2 reaches 0.8 at 0.4. The average's weights t^-0.75 leave a small bias.
TEST(dual_averaging, finds_the_step_size_of_the_target_statistic) {
  DualAveraging averaging({});
  averaging.restart(1.0);
  double step_size = 1.0;
  for (int i = 0; i < 3000; ++i) step_size = averaging.learn(std::max(0.0, 1.0 - 0.5 * step_size));
  EXPECT_NEAR(averaging.averaged_step_size(), 0.4, 0.02);
}

double mean_accept_stat(const StoredDraws& store) {
  const std::span<const double> all = store.info.quantity(1);
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

TEST(dual_averaging, stays_where_it_restarted_until_it_learns) {
  DualAveraging averaging({});
  averaging.restart(0.37);
  EXPECT_NEAR(averaging.averaged_step_size(), 0.37, 1e-15);
}

// Without a last stretch the metric is new after the last transition of warm-up, and the step size
// is the one that was searched for it. A step size of 1 would be rejected nearly always here: the
// metric of a scale of 1e-3 is shrunk to sqrt(1e-3 · 5 / n), more than ten times too wide.
TEST(warmup, that_ends_with_a_window_keeps_the_step_size_that_was_searched) {
  StoredDraws store;
  SampleOptions options{.num_warmup = 100, .num_draws = 500};
  options.adapt.schedule = {.init_buffer = 50, .term_buffer = 0, .base_window = 50};
  run_chains(*normal_with("narrow", std::vector<double>(5, 1e-4)).density, options, store);
  EXPECT_GT(mean_accept_stat(store), 0.4);
}

TEST(dual_averaging, takes_no_number_for_a_rejection) {
  DualAveraging nan({}), zero({});
  nan.restart(0.5), zero.restart(0.5);
  EXPECT_EQ(nan.learn(kNaN), zero.learn(0.0));
  EXPECT_TRUE(std::isfinite(nan.averaged_step_size()));
}

double searched_step_size(const Target& target, double from) {
  const auto evaluator = target.density->make_evaluator();
  const Index dimension = target.density->dimension();
  HmcSettings settings{.step_size = from, .metric = Metric(MetricKind::unit, dimension)};
  PhasePoints points(2, dimension);
  const HmcState state =
      state_at(*evaluator, std::vector<double>(static_cast<std::size_t>(dimension), 0.5));
  const Rng rng({.seed = 4, .purpose = purpose::kTest});
  run_alone(search_step_size(settings, state, points, rng), *evaluator);
  return settings.step_size;
}

// One step of a normal in 10 dimensions is accepted at 0.8 somewhere between 0.5 and 2; the search
// moves by factors of two.
TEST(step_size_search, ends_near_the_target_from_far_off_on_both_sides) {
  for (const double from : {1e-6, 1.0, 1e4}) {
    const double found = searched_step_size(standard_normal(10), from);
    EXPECT_GT(found, 0.2);
    EXPECT_LT(found, 4.0);
  }
}

TEST(step_size_search, says_so_where_every_step_is_accepted) {
  const Target flat{.name = "flat", .density = always(0.0), .moments = {}, .draw = nullptr};
  try {
    searched_step_size(flat, 1.0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::evaluation);
    EXPECT_NE(error.hint().find("proper priors"), std::string::npos);
  }
}

// Division by n - 1: the mean over many samples of five is the covariance, within 4 standard errors
// of that mean. Division by n, which is a fifth less, is more than 20 away.
TEST(welford, covariance_of_few_draws_is_unbiased) {
  constexpr Index kSamples = 20'000;
  std::vector<double> xx, xy;
  Rng rng({.seed = 3, .purpose = purpose::kTest});
  Welford moments(MetricKind::dense, 2);
  for (Index r = 0; r < kSamples; ++r) {
    moments.restart();
    for (Index s = 0; s < 5; ++s) {
      const double x = 2.0 * rng.normal();
      moments.add(std::array{x, 0.6 * x + rng.normal()});
    }
    const std::span<const double> covariance = moments.with_jitter(0.0);
    xx.push_back(covariance[0]);
    xy.push_back(covariance[1]);
    EXPECT_EQ(covariance[1], covariance[2]);
  }
  const auto z = [](std::span<const double> values, double exact) {
    const double error = std::sqrt(diagnose::variance(values) / static_cast<double>(kSamples));
    return (diagnose::mean(values) - exact) / error;
  };
  EXPECT_LT(std::fabs(z(xx, 4.0)), 4.0);
  EXPECT_LT(std::fabs(z(xy, 2.4)), 4.0);
  EXPECT_GT(std::fabs(z(xx, 4.0 * 5.0 / 4.0)), 20.0);
}

// A unit metric, so that dual averaging is never restarted. The statistic is a concave function of
// the log step size, whose fluctuation leaves a bias that vanishes slowly; 0.03 after 4,000.
TEST(warmup, reaches_the_target_statistic) {
  for (const double target_accept : {0.6, 0.8, 0.95}) {
    StoredDraws store;
    SampleOptions options{
        .num_warmup = 4000, .seed = 5, .kernel = NutsOptions{.metric = MetricKind::unit}};
    options.adapt.step_size.target_accept = target_accept;
    run_chains(*standard_normal(20).density, options, store);
    EXPECT_EQ(store.columns[1].name, "accept_stat");
    EXPECT_NEAR(mean_accept_stat(store), target_accept, 0.03);
  }
}

TEST(warmup, learns_the_variances) {
  StoredDraws store;
  const RunResult run = run_chains(*scaled_normal().density, {.num_draws = 10, .seed = 5}, store);
  for (const ChainResult& chain : run.chains) {
    double variance = 1e-4;
    for (const double found : chain.inv_metric) {
      EXPECT_NEAR(std::log(found / variance), 0.0, 0.5);
      variance *= 100.0;
    }
  }
}

TEST(warmup, learns_the_covariance) {
  StoredDraws store;
  const RunResult run = run_chains(
      *correlated_normal(0.9).density,
      {.num_draws = 1, .seed = 5, .kernel = NutsOptions{.metric = MetricKind::dense}}, store);
  for (const ChainResult& chain : run.chains) {
    const std::vector<double>& m = chain.inv_metric;
    ASSERT_EQ(m.size(), 4u);
    EXPECT_EQ(m[1], m[2]);
    EXPECT_NEAR(m[1] / std::sqrt(m[0] * m[3]), 0.9, 0.05);
  }
}

TEST(warmup, switched_off_keeps_step_size_and_metric) {
  StoredDraws store;
  SampleOptions options{.num_warmup = 100, .num_draws = 10, .inv_metric = {2.0, 3.0}};
  options.adapt.engaged = false;
  options.kernel = NutsOptions{.step_size = 0.25};
  const RunResult run = run_chains(*banana().density, options, store);
  EXPECT_EQ(run.chains[0].step_size, 0.25);
  EXPECT_EQ(run.chains[0].inv_metric, (std::vector<double>{2.0, 3.0}));
}

}  // namespace
}  // namespace credo::infer::adapt_test
