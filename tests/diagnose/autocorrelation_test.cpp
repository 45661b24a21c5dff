#include "diagnose/autocorrelation.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "diagnose/autocovariance.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/trace.hpp"

namespace credo::diagnose::autocorrelation_test {
namespace {

// x' = φ x + sqrt(1 - φ²) z, from its stationary distribution, plus a constant for each chain.
struct Series {
  Index num_draws = 1000, num_chains = 4;
  double phi = 0.0, shift = 0.0;  // chain c is moved by c · shift
  std::uint64_t seed = 5;
};
ChainsCopy draw(const Series& series) {
  ChainsCopy chains{{}, series.num_draws, series.num_chains};
  const double innovation = std::sqrt(1.0 - series.phi * series.phi);
  for (Index c = 0; c < series.num_chains; ++c) {
    Rng rng(
        {.seed = series.seed, .purpose = purpose::kTest, .chain = static_cast<std::uint32_t>(c)});
    double x = rng.normal();
    for (Index s = 0; s < series.num_draws; ++s) {
      chains.values.push_back(x + static_cast<double>(c) * series.shift);
      x = series.phi * x + innovation * rng.normal();
    }
  }
  return chains;
}

std::vector<double> powers(double phi, std::size_t n) {
  std::vector<double> rho(n, 1.0);
  for (std::size_t t = 1; t < n; ++t) rho[t] = rho[t - 1] * phi;
  return rho;
}
double exact_time(double phi) { return (1.0 + phi) / (1.0 - phi); }

TEST(autocorrelation, of_one_chain_is_the_ratio_of_autocovariances) {
  const ChainsCopy x = draw({.num_draws = 100, .num_chains = 1, .phi = 0.7});
  const auto rho = autocorrelation(x.values), c = autocovariance(x.values);
  EXPECT_EQ(rho[0], 1.0);
  for (std::size_t t = 0; t < c.size(); ++t) EXPECT_EQ(rho[t], c[t] / c[0]);
  EXPECT_TRUE(autocorrelation(std::vector<double>(5, 1.0)).empty());
}

// Those of slow chains need all lags, those of fast ones the first 16 or 64; sums of either kind
// round to about 1e-15 of the variance each.
TEST(autocorrelation_time, of_the_first_lags_is_that_of_all) {
  for (const double phi : {-0.9, -0.3, 0.0, 0.4, 0.8, 0.95, 0.995})
    for (const Index n : {31, 32, 127, 128, 1000}) {
      const ChainsCopy x = draw({.num_draws = n, .phi = phi});
      const auto fast = integrated_autocorrelation_time(x),
                 all = integrated_time(combined_autocorrelation(x));
      EXPECT_EQ(fast.window, all.window) << phi << ' ' << n;
      EXPECT_NEAR(fast.time, all.time, 1e-12 * (1.0 + all.time)) << phi << ' ' << n;
    }
}

// Bartlett: the variance of an estimate is at most (1 + φ²) / (1 - φ²) / N in the limit; 4 errors.
TEST(autocorrelation, of_an_autoregression_is_a_power_by_all_three_estimates) {
  for (const double phi : {-0.8, 0.0, 0.5, 0.9}) {
    const ChainsCopy x = draw({.num_draws = 50'000, .phi = phi});
    const double bound = 4.0 * std::sqrt((1.0 + phi * phi) / (1.0 - phi * phi) / 50'000.0);
    const auto one = autocorrelation(x.values), several = combined_autocorrelation(x),
               pairs = variogram_autocorrelation(x);
    for (std::size_t t = 0; t < 30; ++t) {
      const double exact = std::pow(phi, static_cast<double>(t));
      EXPECT_NEAR(one[t], exact, bound) << phi << ' ' << t;
      EXPECT_NEAR(several[t], exact, bound) << phi << ' ' << t;
      EXPECT_NEAR(pairs[t], exact, bound) << phi << ' ' << t;
    }
  }
}

// By the definition; the transform's error is a few eps of the sum of squares.
TEST(variogram, is_the_mean_of_squared_differences) {
  const ChainsCopy x = draw({.num_draws = 37, .num_chains = 3, .phi = 0.6, .shift = 100.0});
  const auto v = variogram(x);
  for (std::size_t t = 0; t < 37; ++t) {
    double sum = 0.0;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t s = t; s < 37; ++s)
        sum += std::pow(x.values[37 * c + s] - x.values[37 * c + s - t], 2.0);
    EXPECT_NEAR(v[t], sum / (3.0 * static_cast<double>(37 - t)), 1e-12) << t;
  }
  EXPECT_EQ(v[0], 0.0);
}

// One source prints V = 2σ² - 2ρ, which is right for σ = 1 only.
TEST(variogram, gives_autocorrelations_that_know_no_scale) {
  ChainsCopy x = draw({.num_draws = 500, .phi = 0.6});
  const auto rho = variogram_autocorrelation(x);
  EXPECT_EQ(rho[0], 1.0);
  for (double& value : x.values) value *= 1024.0;
  EXPECT_EQ(variogram_autocorrelation(x), rho);
}

// Chains 10 standard deviations apart are correlated at every lag: var⁺ is about 100 (2² + 1² + 0 +
// 1² + 2²) / 4 = 250, W is 1.
TEST(variogram, and_the_combined_estimate_see_chains_that_disagree) {
  const ChainsCopy x = draw({.num_draws = 2000, .num_chains = 5, .shift = 10.0});
  EXPECT_NEAR(variogram_autocorrelation(x)[50], 1.0 - 1.0 / 251.0, 1e-3);
  EXPECT_NEAR(combined_autocorrelation(x)[50], 1.0 - 1.0 / 251.0, 1e-3);
}

// Pairs never end before they are nothing; the window leaves out 2 Σ_{t > M} φ^t.
TEST(autocorrelation_time, of_exact_powers_is_the_closed_form_with_both_rules) {
  for (const double phi : {-0.95, -0.5, -0.1, 0.0, 0.3, 0.9, 0.99}) {
    const auto rho = powers(phi, 5000);
    EXPECT_NEAR(integrated_time(rho).time, exact_time(phi), 1e-12 * (1.0 + exact_time(phi))) << phi;
    const auto window = integrated_time(rho, {.rule = WindowRule::self_consistent});
    const double rest = 2.0 * std::pow(std::fabs(phi), double(window.window) + 1.0) / (1.0 - phi);
    EXPECT_NEAR(window.time, exact_time(phi), rest + 1e-12) << phi;
    EXPECT_LT(rest, 1e-3 * std::max(1.0, exact_time(phi))) << phi;
  }
}

// c_t divided by n sum to -c_0 / 2 over all lags but 0.
TEST(autocorrelation_time, would_be_zero_without_a_window) {
  const auto rho = autocorrelation(draw({.num_draws = 300, .num_chains = 1, .phi = 0.8}).values);
  EXPECT_NEAR(2.0 * std::accumulate(rho.begin(), rho.end(), 0.0) - 1.0, 0.0, 1e-12);
}

// The standard error of a time that sums M lags is sqrt(2 (2 M + 1) / N) of it [sokal1997, eq.
// 3.19]; both rules err by less than 4 of them on every chain here. At φ = -0.9 the tail that the
// noise hides is of the order of the time itself: a factor of 2.
TEST(autocorrelation_time, of_an_autoregression_is_estimated_within_its_error) {
  for (const double phi : {-0.9, -0.7, -0.3, 0.0, 0.5, 0.9}) {
    const ChainsCopy x = draw({.num_draws = 100'000, .phi = phi});
    for (const WindowRule rule : {WindowRule::monotone_pairs, WindowRule::self_consistent}) {
      const auto found = integrated_autocorrelation_time(x, {.rule = rule});
      const double error = std::sqrt(2.0 * (2.0 * double(found.window) + 1.0) / 400'000.0);
      const double allowed = phi < -0.8 ? std::log(2.0) : 4.0 * error;
      EXPECT_NEAR(std::log(found.time / exact_time(phi)), 0.0, allowed) << phi << ' ' << int(rule);
    }
  }
}

TEST(autocorrelation_time, is_what_the_effective_sample_size_divides_by) {
  const ChainsCopy x = draw({.phi = 0.6});
  EXPECT_EQ(plain_ess(x), 4000.0 / integrated_autocorrelation_time(x).time);
}

// The spread of means of 400 chains of 1000 draws: variance time / 1000, whose estimate has the
// relative standard error sqrt(2 / 399).
TEST(autocorrelation_time, is_the_factor_of_the_variance_of_a_mean) {
  for (const double phi : {-0.5, 0.7}) {
    const ChainsCopy x = draw({.num_draws = 1000, .num_chains = 400, .phi = phi});
    const double time = integrated_autocorrelation_time(x).time;
    EXPECT_NEAR(1000.0 * variance_of_means(x) / time, 1.0, 4.0 * std::sqrt(2.0 / 399.0)) << phi;
  }
}

TEST(autocorrelation_time, is_not_defined_for_few_or_equal_draws) {
  EXPECT_TRUE(std::isnan(integrated_autocorrelation_time(draw({.num_draws = 2})).time));
  const ChainsCopy equal{std::vector<double>(40, 2.5), 10, 4};
  EXPECT_TRUE(std::isnan(integrated_autocorrelation_time(equal).time));
  EXPECT_TRUE(variogram_autocorrelation(equal).empty());
}

TEST(trace, has_the_range_and_the_mean_of_each_block) {
  const ChainsCopy x{{1, 2, 3, 4, 5, 6, 7, -1, -2, -3, -4, -5, -6, -7}, 7, 2};
  const Trace t = trace(x, 3);
  EXPECT_EQ(t.draws_per_block, 3);
  EXPECT_EQ(t.num_blocks, 2);
  EXPECT_EQ(t.low, (std::vector<double>{1, 4, -3, -6}));
  EXPECT_EQ(t.mean, (std::vector<double>{2, 5, -2, -5}));
  EXPECT_EQ(t.high, (std::vector<double>{3, 6, -1, -4}));
}

// sup |Φ(x) - Φ(x - δ)| = 2 Φ(δ/2) - 1; an empirical distribution of n draws is off by 1.95 /
// sqrt(n) with probability 0.001 (Kolmogorov), two of them by at most twice as much.
TEST(overlap, of_shifted_normals_is_the_closed_form) {
  for (const double shift : {0.0, 0.5, 2.0, 20.0}) {
    const double exact = std::erfc(shift / std::sqrt(8.0));
    const ChainsCopy x = draw({.num_draws = 20'000, .num_chains = 2, .shift = shift});
    EXPECT_NEAR(overlap(x), exact, 2.0 * 1.95 / std::sqrt(20'000.0)) << shift;
  }
}

TEST(overlap, of_samples_with_ties_counts_both_before_it_compares) {
  EXPECT_EQ(overlap(ChainsCopy{{1, 1, 2, 2, 1, 1, 2, 2}, 4, 2}), 1.0);
  EXPECT_EQ(overlap(ChainsCopy{{1, 1, 2, 2, 1, 2, 2, 2}, 4, 2}), 0.75);
}

TEST(trace_ranks, count_every_draw_once_in_each_chain) {
  const TraceRanks ranks = trace_ranks(ChainsCopy{{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2}, 4);
  EXPECT_EQ(ranks.counts, (std::vector<Index>{2, 2, 0, 0, 0, 0, 2, 2}));
  EXPECT_EQ(ranks.expected, 1.0);
  EXPECT_EQ(ranks.distance, 0.5);
}

// Share of p-values below 0.05 in 300 runs: binomial, standard error 0.0126. The correction for
// autocorrelation is of first order, so slow chains may fall below it a little more often: up to
// twice. Without it nearly all would.
TEST(trace_ranks, of_chains_with_one_distribution_are_uneven_as_often_as_they_say) {
  for (const double phi : {0.0, 0.5, 0.9}) {
    int low = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const ChainsCopy x = draw({.num_draws = 2000, .phi = phi, .seed = seed});
      low += trace_ranks(x).p_value < 0.05 ? 1 : 0;
    }
    EXPECT_LT(low / 300.0, phi == 0.0 ? 0.05 + 4.0 * 0.0126 : 0.1 + 4.0 * 0.0173) << phi;
  }
}

TEST(trace_ranks, see_a_chain_that_is_shifted_or_wider) {
  EXPECT_LT(trace_ranks(draw({.num_draws = 2000, .phi = 0.5, .shift = 0.2})).p_value, 1e-6);
  ChainsCopy wide = draw({.num_draws = 2000, .phi = 0.5});
  for (std::size_t s = 0; s < 2000; ++s) wide.values[s] *= 1.7;
  EXPECT_LT(trace_ranks(wide).p_value, 1e-6);
}

// Ranks know monotone functions of the draws as the same draws.
TEST(trace_ranks, do_not_change_when_the_draws_are_transformed) {
  ChainsCopy x = draw({.phi = 0.5});
  const TraceRanks before = trace_ranks(x);
  for (double& value : x.values) value = std::exp(3.0 * value);
  EXPECT_EQ(trace_ranks(x).counts, before.counts);
  EXPECT_EQ(trace_ranks(x).p_value, before.p_value);
}

TEST(trace_ranks, have_no_p_value_for_one_chain_or_equal_draws) {
  EXPECT_TRUE(std::isnan(trace_ranks(draw({.num_chains = 1})).p_value));
  EXPECT_TRUE(trace_ranks(ChainsCopy{std::vector<double>(40, 2.5), 10, 4}).counts.empty());
}

TEST(acceptance, is_the_share_of_transitions_that_move) {
  EXPECT_EQ(move_fraction(ChainsCopy{{1, 1, 2, 3, 5, 5, 5, 6}, 4, 2}), 3.0 / 6.0);
}

}  // namespace
}  // namespace credo::diagnose::autocorrelation_test
