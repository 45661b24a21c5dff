// Times, bottlenecks, couplings: closed forms, brute force, simulation, the inequalities.
#include "infer/finite/times.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "infer/finite/analysis.hpp"
#include "infer/finite/coupling.hpp"
#include "infer/finite/kernels.hpp"

namespace credo::infer::finite::finite_times_test {
namespace {

FiniteChain some_chain(Index n, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest + 7});
  RowMatrix matrix(n);
  for (double& p : matrix.values) p = rng.exponential();
  return FiniteChain(with_rows_divided_by_sums(std::move(matrix)));
}

FiniteChain some_reversible_chain(Index n, std::uint64_t seed) {
  std::vector<double> target;
  for (Index x = 0; x < n; ++x) target.push_back(1.0 + static_cast<double>(x * x % 7));
  return metropolis_hastings(target, some_chain(n, seed));
}

// The winner of n coin flips in a row: 2^(n+1) - 2 flips on average.
FiniteChain run_of_heads(Index n) {
  RowMatrix matrix(n + 1);
  for (Index k = 0; k < n; ++k) matrix(k, 0) += 0.5, matrix(k, k + 1) += 0.5;
  matrix(n, 0) = 1.0;
  return FiniteChain(std::move(matrix));
}

// ---- hitting ----

TEST(finite_times, a_run_of_heads_takes_as_long_as_its_closed_form_to_the_last_digits) {
  for (const Index n : {1, 2, 5, 20, 45}) {
    const auto times = hitting_times(run_of_heads(n), std::array{n});
    const double exact = std::pow(2.0, n + 1) - 2.0;
    EXPECT_NEAR(times[0] / exact, 1.0, 1e-13) << n;  // n roundings; 1 - P would lose all at n = 45
    EXPECT_EQ(times[n], 0.0);
  }
}

TEST(finite_times, of_gamblers_ruin_are_a_parabola) {
  const Index n = 30;
  RowMatrix ruin(n + 1);
  ruin(0, 0) = ruin(n, n) = 1.0;
  for (Index k = 1; k < n; ++k) ruin(k, k - 1) = ruin(k, k + 1) = 0.5;
  const FiniteChain chain(std::move(ruin));
  const auto times = hitting_times(chain, std::array<Index, 2>{0, n});
  for (Index k = 0; k <= n; ++k)
    EXPECT_NEAR(times[k], static_cast<double>(k * (n - k)), 1e-11) << k;
  const auto one_end = hitting_times(chain, std::array<Index, 1>{0});
  EXPECT_EQ(one_end[0], 0.0);
  EXPECT_EQ(one_end[1], kInfinity);  // the other end may come first and is never left
}

TEST(finite_times, of_passage_agree_with_hitting_times) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const FiniteChain chain = some_chain(9, seed);
    const auto distribution = stationary_distribution(chain);
    const RowMatrix times =
        mean_first_passage_times(fundamental_matrix(chain, distribution), distribution);
    for (Index y = 0; y < 9; ++y) {
      const auto direct = hitting_times(chain, std::array{y});
      for (Index x = 0; x < 9; ++x) EXPECT_NEAR(times(x, y), direct[x], 1e-11 * (1.0 + direct[x]));
    }
  }
}

TEST(finite_times, to_a_random_state_is_the_same_from_everywhere) {
  const FiniteChain chain = some_chain(8, 6);
  const auto distribution = stationary_distribution(chain);
  const RowMatrix fundamental = fundamental_matrix(chain, distribution);
  const RowMatrix times = mean_first_passage_times(fundamental, distribution);
  const double kemeny = kemeny_constant(fundamental);
  for (Index x = 0; x < 8; ++x) {
    const auto row = std::as_const(times).row(x);
    EXPECT_NEAR(std::inner_product(distribution.begin(), distribution.end(), row.begin(), 0.0),
                kemeny, 1e-12);
  }
  std::complex<double> by_eigenvalues = 0.0;
  const Spectrum spectrum = spectrum_of(chain, distribution);
  for (std::size_t k = 1; k < 8; ++k) by_eigenvalues += 1.0 / (1.0 - spectrum.values[k]);
  EXPECT_NEAR(by_eigenvalues.real(), kemeny, 1e-12);
}

// ---- autocorrelation ----

TEST(finite_times, autocorrelation_time_of_two_states_is_that_of_a_geometric_series) {
  const FiniteChain chain({2, 2, {0.9, 0.1, 0.3, 0.7}});  // autocorrelations 0.6^k
  const auto distribution = stationary_distribution(chain);
  const double tau = integrated_autocorrelation_time(fundamental_matrix(chain, distribution),
                                                     distribution, std::array{0.0, 5.0});
  EXPECT_NEAR(tau, 1.6 / 0.4, 1e-13);
}

TEST(finite_times, autocorrelation_time_is_the_sum_over_lags) {
  const FiniteChain chain = some_chain(7, 2);
  const auto distribution = stationary_distribution(chain);
  const std::vector<double> f{1.0, -2.0, 0.5, 3.0, 0.0, 1.5, -1.0};
  const double variance = autocovariance(chain, distribution, f, 0);
  double sum = 1.0;
  for (Index lag = 1; lag < 60; ++lag)
    sum += 2.0 * autocovariance(chain, distribution, f, lag) / variance;
  EXPECT_NEAR(
      integrated_autocorrelation_time(fundamental_matrix(chain, distribution), distribution, f),
      sum, 1e-12);
}

// (1 + lambda) / (1 - lambda), weighted by the share of f in each mode; the largest for the second.
TEST(finite_times, autocorrelation_time_is_largest_for_the_second_eigenvector) {
  const FiniteChain chain = some_reversible_chain(8, 3);
  const Analysis analysis = analyse(chain);
  const auto& distribution = analysis.distributions[0];
  RowMatrix scaled(8);
  for (Index x = 0; x < 8; ++x) {
    for (Index y = 0; y < 8; ++y)
      scaled(x, y) = chain(x, y) * std::sqrt(distribution[x] / distribution[y]);
  }
  const numerics::SymmetricEigen eigen({8, 8, scaled.values});
  const RowMatrix fundamental = fundamental_matrix(chain, distribution);
  for (std::size_t k = 0; k < 7; ++k) {  // the last value is 1
    std::vector<double> f;
    for (Index x = 0; x < 8; ++x) f.push_back(eigen.vector(k)[x] / std::sqrt(distribution[x]));
    const double tau = integrated_autocorrelation_time(fundamental, distribution, f);
    EXPECT_NEAR(tau, (1.0 + eigen.values[k]) / (1.0 - eigen.values[k]), 1e-12);
    EXPECT_LE(tau, analysis.speed->worst_tau * (1.0 + 1e-12));
  }
}

// Mean of f over a run of `length` steps, less its expectation, in standard errors by tau.
double z_of_mean(const FiniteChain& chain, std::span<const double> f, double tau_factor,
                 std::uint32_t run = 0) {
  constexpr Index kLength = 20000;
  const auto distribution = stationary_distribution(chain);
  const double tau = tau_factor * integrated_autocorrelation_time(
                                      fundamental_matrix(chain, distribution), distribution, f);
  Rng rng({.seed = 21, .purpose = purpose::kTest + 8, .iteration = run});
  RngChooser chooser(rng);
  double sum = 0.0;
  Index at = chooser.choose(distribution);
  for (Index t = 0; t < kLength; ++t, at = draw_step(chain, at, chooser)) sum += f[at];
  const double mean = std::inner_product(distribution.begin(), distribution.end(), f.begin(), 0.0);
  const double variance = autocovariance(chain, distribution, f, 0);
  return (sum / kLength - mean) / std::sqrt(variance * tau / kLength);
}

// The squares of z over several chains: their mean is 1 with standard deviation sqrt(2 / kChains)
// if tau is right.
constexpr std::uint32_t kChains = 120;
double mean_square_z(double tau_factor) {
  double sum = 0.0;
  for (std::uint32_t k = 1; k <= kChains; ++k) {
    const FiniteChain chain = lazy(some_reversible_chain(5, k), 0.8);
    const double z = z_of_mean(chain, std::array{1.0, 0.0, -1.0, 2.0, 0.5}, tau_factor, k);
    sum += z * z;
  }
  return sum / kChains;
}

TEST(finite_times, the_mean_of_a_run_errs_as_the_autocorrelation_time_says) {
  EXPECT_NEAR(mean_square_z(1.0), 1.0, 4.0 * std::sqrt(2.0 / kChains));
  EXPECT_GT(mean_square_z(0.5), 1.0 + 4.0 * std::sqrt(2.0 / kChains));  // power: half of tau
}

// chain.lln: averages converge without a limiting distribution; the walk on an even cycle has period 2.
TEST(finite_times, averages_of_a_periodic_chain_converge) {
  const Index n = 6;
  RowMatrix walk(n);
  for (Index x = 0; x < n; ++x) walk(x, (x + 1) % n) = walk(x, (x + n - 1) % n) = 0.5;
  const FiniteChain chain(std::move(walk));
  EXPECT_FALSE(limiting_distribution(chain, 0));
  EXPECT_LT(std::fabs(z_of_mean(chain, std::array{1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 1.0)), 4.0);
  // a function that alternates with the period is averaged without any error in the limit
  const auto distribution = stationary_distribution(chain);
  const std::array alternating{1.0, -1.0, 1.0, -1.0, 1.0, -1.0};
  EXPECT_NEAR(integrated_autocorrelation_time(fundamental_matrix(chain, distribution), distribution,
                                              alternating),
              0.0, 1e-14);
}

// ---- bottlenecks ----

// Every non-empty set of at most half the probability, from its definition.
double conductance_by_definition(const FiniteChain& chain, std::span<const double> distribution) {
  const auto n = static_cast<unsigned>(chain.num_states());
  double best = kInfinity;
  for (unsigned set = 1; set + 1 < 1u << n; ++set) {
    double flow = 0.0, mass = 0.0;
    for (unsigned x = 0; x < n; ++x) {
      if ((set >> x & 1) == 0) continue;
      mass += distribution[x];
      for (unsigned y = 0; y < n; ++y)
        if ((set >> y & 1) == 0) flow += distribution[x] * chain(x, y);
    }
    if (mass <= 0.5 + 1e-12) best = std::min(best, flow / mass);
  }
  return best;
}

TEST(finite_bottleneck, is_the_minimum_of_its_definition) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const FiniteChain chain = seed % 2 == 0 ? some_chain(9, seed) : some_reversible_chain(9, seed);
    const auto distribution = stationary_distribution(chain);
    const Bottleneck cut = bottleneck_of(chain, distribution);
    EXPECT_TRUE(cut.exact);
    EXPECT_NEAR(cut.conductance, conductance_by_definition(chain, distribution), 1e-14) << seed;
    EXPECT_LE(cut.side_probability, 0.5 + 1e-12);
    EXPECT_NEAR(flow_ratio(chain, distribution, cut.side), cut.conductance, 1e-15);
  }
}

// The printing without pi(x) in the numerator: sum of P(x, y) over pi(S). It isn't even below 1.
TEST(finite_bottleneck, needs_the_probability_in_its_numerator) {
  const FiniteChain walk = reflected_walk(8);
  const auto distribution = stationary_distribution(walk);
  const Bottleneck cut = bottleneck_of(walk, distribution);
  EXPECT_NEAR(cut.conductance, 0.125, 1e-15);  // one edge of 1/2 out of four states
  double misprinted = 0.0;
  for (const Index x : cut.side) {
    for (Index y = 0; y < 8; ++y)
      if (std::find(cut.side.begin(), cut.side.end(), y) == cut.side.end())
        misprinted += walk(x, y) / cut.side_probability;
  }
  EXPECT_NEAR(misprinted, 1.0, 1e-15);
  EXPECT_GT(0.5 * misprinted * misprinted, cut.gap);  // Cheeger fails with it
}

TEST(finite_bottleneck, satisfies_cheeger_and_the_sweep_finds_an_upper_bound) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const FiniteChain chain = some_reversible_chain(10, seed);
    const auto distribution = stationary_distribution(chain);
    const Bottleneck exact = bottleneck_of(chain, distribution),
                     swept = bottleneck_of(chain, distribution, 2);
    EXPECT_FALSE(swept.exact);
    EXPECT_NEAR(exact.gap, spectrum_of(chain, distribution).gap(), 1e-12);
    EXPECT_LE(0.5 * exact.conductance * exact.conductance, exact.gap);
    EXPECT_LE(exact.gap, 2.0 * exact.conductance);
    EXPECT_GE(swept.conductance, exact.conductance * (1.0 - 1e-12));
    EXPECT_LE(swept.lower, exact.conductance);
    // the sweep's own guarantee is Cheeger's
    EXPECT_LE(0.5 * swept.conductance * swept.conductance, swept.gap * (1.0 + 1e-12));
  }
}

// X14: two islands of m states joined by one narrow bridge. The sets are the islands, phi is the
// bridge, and the chain is as slow as the narrowness says.
TEST(finite_bottleneck, of_two_islands_is_the_bridge) {
  for (const Index m : {3, 15}) {  // all sets, and a sweep of the second eigenvector
    for (const double bridge : {0.1, 1e-3, 1e-5}) {
      RowMatrix matrix(2 * m);
      for (Index x = 0; x < 2 * m; ++x) {
        for (Index y = 0; y < 2 * m; ++y)
          if (x / m == y / m) matrix(x, y) = 1.0 / static_cast<double>(m);
      }
      const double width = bridge / static_cast<double>(m);
      matrix(0, 0) -= width, matrix(m, m) -= width, matrix(0, m) = matrix(m, 0) = width;
      const Analysis analysis = analyse(FiniteChain(std::move(matrix)));
      const Bottleneck& cut = analysis.speed->bottleneck;
      EXPECT_EQ(cut.exact, m == 3);
      EXPECT_EQ(ssize(cut.side), m);
      EXPECT_NEAR(cut.conductance / (width / static_cast<double>(m)), 1.0, 1e-9);
      EXPECT_GT(static_cast<double>(*analysis.mixing_time), 0.25 / cut.conductance);
    }
  }
}

// A state of probability 1e-30 that is left with probability 1e-6 is the narrowest set.
TEST(finite_bottleneck, counts_states_that_are_next_to_impossible) {
  const std::vector<double> target{1.0, 1.0, 1e-30, 1.0};
  RowMatrix proposal = numerics::diagonal_matrix(4, 1.0);
  for (const auto& [x, y] : {std::pair<Index, Index>{0, 1}, {1, 3}}) {
    proposal(x, y) = proposal(y, x) = 0.3;
    proposal(x, x) -= 0.3, proposal(y, y) -= 0.3;
  }
  proposal(2, 0) = proposal(0, 2) = 1e-6;
  proposal(2, 2) -= 1e-6, proposal(0, 0) -= 1e-6;
  const FiniteChain chain = metropolis_hastings(target, FiniteChain(std::move(proposal)));
  const Bottleneck cut = bottleneck_of(chain, stationary_distribution(chain));
  EXPECT_EQ(cut.side, std::vector<Index>{2});
  EXPECT_NEAR(cut.conductance, 1e-6, 1e-18);
}

// ---- coupling ----

TEST(finite_coupling, bounds_the_distance_from_above) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const FiniteChain chain = lazy(some_chain(6, seed), 0.7);
    const auto distribution = stationary_distribution(chain);
    const auto tail = meeting_tail(chain, point_distribution(6, 2), distribution, 60);
    EXPECT_NEAR(tail[0], 1.0 - distribution[2], 1e-15);
    for (Index t = 0; t <= 60; ++t) {
      const auto at = distribution_after(chain, point_distribution(6, 2), t);
      EXPECT_LE(2.0 * total_variation(at, distribution), 2.0 * tail[t] + 1e-14) << t;
      EXPECT_TRUE(t == 0 || tail[t] <= tail[t - 1]);
    }
    EXPECT_LT(tail[60], 0.01);
  }
}

TEST(finite_coupling, is_met_by_simulated_pairs_as_often_as_it_says) {
  const FiniteChain chain = lazy(some_chain(5, 9), 0.6);
  const auto distribution = stationary_distribution(chain);
  const auto tail = meeting_tail(chain, point_distribution(5, 0), distribution, 12);
  constexpr int kPairs = 20000;
  std::vector<int> later(13);
  for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
    Rng rng({.seed = 31, .purpose = purpose::kTest + 9, .iteration = pair});
    RngChooser chooser(rng);
    const Index start = chooser.choose(distribution);
    const auto met = meeting_time(chain, {0, start}, chooser, 1000);
    for (Index t = 0; t < 13 && t < met.value_or(13); ++t) ++later[t];
  }
  for (std::size_t t = 0; t < 13; ++t) {
    const double sd = std::sqrt(tail[t] * (1.0 - tail[t]) / kPairs);
    EXPECT_NEAR(later[t] / static_cast<double>(kPairs), tail[t], 4.0 * sd) << t;  // 6e-5 each
  }
}

// Two walkers on an even cycle, an odd number of places apart, never meet: no bound, and rightly.
TEST(finite_coupling, never_happens_out_of_step) {
  const FiniteChain swap({2, 2, {0.0, 1.0, 1.0, 0.0}});
  EXPECT_EQ(meeting_tail(swap, point_distribution(2, 0), point_distribution(2, 1), 50)[50], 1.0);
  Rng rng({.seed = 1, .purpose = purpose::kTest});
  RngChooser chooser(rng);
  EXPECT_FALSE(meeting_time(swap, {0, 1}, chooser, 100));
}

// ---- diag.spectral-gap: random-walk Metropolis on a standard normal, cut to a grid ----

struct OnGrid {
  Spectrum spectrum;
  double max_rejection = 0.0, min_rejection = 1.0;
};
OnGrid normal_walk(double step_sd) {
  const Grid grid{.lo = -6.0, .hi = 6.0, .num_cells = 240};
  const FiniteChain chain = random_walk_on_grid(
      grid, [](double x) { return -0.5 * x * x; }, step_sd);
  OnGrid result{.spectrum = spectrum_of(chain, stationary_distribution(chain))};
  for (Index x = 0; x < chain.num_states(); ++x) {
    // what isn't moved away, less the proposal that stays in its cell: the multiplication operator
    double away = 0.0;
    for (Index y = 0; y < chain.num_states(); ++y) away += y == x ? 0.0 : chain(x, y);
    result.max_rejection = std::max(result.max_rejection, 1.0 - away);
    result.min_rejection = std::min(result.min_rejection, 1.0 - away);
  }
  return result;
}

TEST(spectral_gap, grows_with_the_square_of_small_steps) {
  const double small = normal_walk(0.1).spectrum.gap(), twice = normal_walk(0.2).spectrum.gap();
  const double four_times = normal_walk(0.4).spectrum.gap();
  EXPECT_GT(twice / small, 3.5);  // 4 in the limit, less a term of the order of the step
  EXPECT_LT(twice / small, 4.0);
  EXPECT_GT(4.0 - four_times / twice, 1.5 * (4.0 - twice / small));  // twice, to first order
}

TEST(spectral_gap, is_set_by_the_rejections_of_large_steps) {
  for (const double step_sd : {10.0, 30.0}) {
    const OnGrid walk = normal_walk(step_sd);
    EXPECT_GT(walk.max_rejection, 0.9);
    EXPECT_GE(walk.min_rejection, 0.0);
    EXPECT_NEAR(walk.spectrum.gap() / (1.0 - walk.max_rejection), 1.0, 0.05) << step_sd;
  }
}

TEST(spectral_gap, has_a_best_step_in_between_and_a_simple_eigenvalue_one) {
  const double best = normal_walk(2.4).spectrum.gap();
  EXPECT_GT(best, 2.0 * normal_walk(0.4).spectrum.gap());
  EXPECT_GT(best, 2.0 * normal_walk(30.0).spectrum.gap());
  EXPECT_LT(normal_walk(2.4).spectrum.second_modulus, 1.0 - 1e-3);
  // two gaps that differ: nothing comes near -1
  EXPECT_GT(normal_walk(2.4).spectrum.values.back().real(), -0.5);
}

// ---- everything at once ----

TEST(finite_analysis, of_a_chain_with_transient_states_is_that_of_where_it_ends) {
  const FiniteChain chain({3, 3, {0.5, 0.25, 0.25, 0.0, 0.9, 0.1, 0.0, 0.4, 0.6}}, {"a", "b", "c"});
  const Analysis analysis = analyse(chain, {.function = {7.0, 0.0, 1.0}});
  EXPECT_TRUE(analysis.converges);
  EXPECT_EQ(analysis.speed->states, (std::vector<Index>{1, 2}));
  EXPECT_NEAR(analysis.speed->spectrum.second_real, 0.5, 1e-14);
  EXPECT_NEAR(*analysis.tau, 3.0, 1e-13);
  EXPECT_NEAR(analysis.function_mean, 0.2, 1e-14);
}

TEST(finite_analysis, of_a_periodic_chain_has_no_mixing_time_and_no_gap) {
  const Analysis analysis = analyse(FiniteChain({2, 2, {0.0, 1.0, 1.0, 0.0}}));
  EXPECT_FALSE(analysis.converges);
  EXPECT_FALSE(analysis.mixing_time);
  EXPECT_EQ(analysis.speed->spectrum.absolute_gap(), 0.0);
  EXPECT_EQ(analysis.speed->bounds.lower, kInfinity);
}

TEST(finite_analysis, of_one_state_is_trivial) {
  const Analysis analysis = analyse(FiniteChain({1, 1, {1.0}}));
  EXPECT_TRUE(analysis.converges);
  EXPECT_EQ(analysis.mixing_time, 0);
  EXPECT_EQ(analysis.distributions[0], std::vector<double>{1.0});
}

}  // namespace
}  // namespace credo::infer::finite::finite_times_test
