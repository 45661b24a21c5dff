// FiniteChain, its compositions, structure and distributions: closed forms, brute force, wrong input.
#include "infer/finite/chain.hpp"

#include <numbers>

#include "infer/finite/spectrum.hpp"
#include "numerics/incomplete_gamma.hpp"
#include "support/finite_checks.hpp"

namespace credo::infer::finite::finite_chain_test {
namespace {
using namespace credo::testing;

constexpr double kTight = 1e-14;

FiniteChain two_states(double a, double b) { return FiniteChain({2, 2, {1.0 - a, a, b, 1.0 - b}}); }

FiniteChain walk_on_cycle(Index n, double right = 0.5) {
  RowMatrix walk(n);
  for (Index x = 0; x < n; ++x) {
    walk(x, (x + 1) % n) += right;
    walk(x, (x + n - 1) % n) += 1.0 - right;
  }
  return FiniteChain(std::move(walk));
}

// Entries from a fixed stream; about a third of them 0, the cycle 0 -> 1 -> ... kept.
FiniteChain random_chain(Index n, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest});
  RowMatrix matrix(n);
  for (Index x = 0; x < n; ++x) {
    for (Index y = 0; y < n; ++y) {
      const double u = rng.uniform();
      matrix(x, y) = u < 1.0 / 3.0 && y != (x + 1) % n ? 0.0 : u;
    }
  }
  return FiniteChain(with_rows_divided_by_sums(std::move(matrix)));
}

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_says(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
}

// ---- what can't be a chain ----

TEST(finite_chain, refuses_a_row_that_does_not_sum_to_one_and_names_it) {
  expect_says(message_of([] {
                FiniteChain({2, 2, {0.5, 0.5, 0.5, 0.4}}, {"a", "b"});
              }),
              {"row 2", "state b", "sums to 0.9", "must sum to 1"});
  expect_says(message_of([] {
                FiniteChain({2, 2, {0.5, 0.5, 1.5, -0.5}});
              }),
              {"row 2", "2 -> 1 is 1.5", "between 0 and 1"});
  expect_says(message_of([] { FiniteChain({2, 2, {0.5, 0.5, kNaN, 1.0}}); }), {"row 2", "nan"});
  expect_says(message_of([] {
                FiniteChain({2, 2, {1.0, 0.0, 0.0, 1.0}}, {"a", "a"});
              }),
              {"'a' is given twice"});
  expect_says(message_of([] {
                FiniteChain({2, 2, {1.0, 0.0, 0.0, 1.0}}, {"a"});
              }),
              {"1 names for 2 states"});
  expect_says(message_of([] { FiniteChain(RowMatrix(0)); }), {"at least one state"});
}

TEST(finite_chain, keeps_rows_that_sum_to_one_within_the_tolerance) {
  const FiniteChain chain({2, 2, {1.0 / 3.0, 2.0 / 3.0 + 5e-10, 0.1, 0.9}});
  EXPECT_EQ(chain(0, 1), 2.0 / 3.0 + 5e-10);
}

TEST(finite_chain, refuses_weights_that_are_no_target) {
  expect_says(message_of([] {
                distribution_from_weights(std::array{1.0, -1.0});
              }),
              {"weight 2 is -1"});
  expect_says(message_of([] { distribution_from_weights(std::array{0.0, 0.0}); }), {"sum to 0"});
  expect_says(message_of([] { metropolis_hastings(std::array{1.0}, two_states(0.5, 0.5)); }),
              {"1 weights for 2 states"});
}

// ---- stationary distributions ----

TEST(finite_stationary_distribution, of_two_states_is_the_closed_form) {
  const auto distribution = stationary_distribution(two_states(0.1, 0.4));
  EXPECT_NEAR(distribution[0], 0.8, kTight);
  EXPECT_NEAR(distribution[1], 0.2, kTight);
}

// Ehrenfest's urn with n balls: binomial; the rarest state has 2^-60, and elimination without
// subtractions keeps its digits.
TEST(finite_stationary_distribution, of_the_ehrenfest_urn_is_binomial_to_the_last_digits) {
  const Index n = 60;
  RowMatrix urn(n + 1);
  for (Index k = 0; k <= n; ++k) {
    if (k > 0) urn(k, k - 1) = static_cast<double>(k) / n;
    if (k < n) urn(k, k + 1) = static_cast<double>(n - k) / n;
  }
  const FiniteChain chain(std::move(urn));
  const auto distribution = stationary_distribution(chain);
  double binomial = std::pow(0.5, n);
  for (Index k = 0; k <= n; ++k) {
    EXPECT_NEAR(distribution[k] / binomial, 1.0, 1e-13) << k;  // n roundings of 1.1e-16, with slack
    binomial *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  EXPECT_EQ(structure_of(chain).classes[0].period, 2);
}

// p up, q down: pi(k) is proportional to (p / q)^k.
TEST(finite_stationary_distribution, of_a_birth_and_death_chain_is_geometric) {
  const Index n = 40;
  const double p = 0.15, q = 0.45;
  RowMatrix matrix(n);
  for (Index k = 0; k < n; ++k) {
    if (k + 1 < n) matrix(k, k + 1) = p;
    if (k > 0) matrix(k, k - 1) = q;
    matrix(k, k) = 1.0 - (k + 1 < n ? p : 0.0) - (k > 0 ? q : 0.0);
  }
  const auto distribution = stationary_distribution(FiniteChain(std::move(matrix)));
  for (Index k = 0; k + 1 < n; ++k)
    EXPECT_NEAR(distribution[k + 1] / distribution[k] / (p / q), 1.0, 1e-13) << k;
}

TEST(finite_stationary_distribution, is_where_powers_of_random_chains_go) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FiniteChain chain = random_chain(5 + static_cast<Index>(seed), seed);
    const auto distribution = stationary_distribution(chain);
    EXPECT_LT(invariance_error(chain, distribution).relative, 1e-13);
    EXPECT_LT(worst_start(power(chain, 4096), distribution).distance, 1e-12);
  }
}

// ---- X3 and X4 of the notes: periodic, reducible ----

TEST(finite_structure,
     a_periodic_chain_has_a_stationary_distribution_and_detailed_balance_but_no_limit) {
  const FiniteChain swap({2, 2, {0.0, 1.0, 1.0, 0.0}});
  const auto distribution = stationary_distribution(swap);
  EXPECT_EQ(distribution, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(balance_error(swap, distribution).absolute, 0.0);
  EXPECT_TRUE(structure_of(swap).irreducible());
  EXPECT_EQ(structure_of(swap).classes[0].period, 2);
  EXPECT_FALSE(limiting_distribution(swap, 0));
  Squarings powers(swap);
  EXPECT_FALSE(mixing_time(powers, distribution));
  EXPECT_EQ(power(swap, 7)(0, 1), 1.0);
}

TEST(finite_structure, staying_now_and_then_cures_periods) {
  for (const double stay : {0.01, 0.5}) {
    const FiniteChain cured = lazy(FiniteChain({2, 2, {0.0, 1.0, 1.0, 0.0}}), stay);
    EXPECT_TRUE(structure_of(cured).aperiodic());
    EXPECT_NEAR((*limiting_distribution(cured, 0))[1], 0.5, kTight);
    EXPECT_NEAR(power(cured, 5000)(0, 1), 0.5, 1e-12);
  }
}

TEST(finite_structure, a_reducible_chain_has_a_stationary_distribution_for_each_closed_class) {
  const FiniteChain chain({3, 3, {0.5, 0.5, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 1.0}});
  const Structure structure = structure_of(chain);
  EXPECT_FALSE(structure.irreducible());
  EXPECT_EQ(structure.num_closed(), 2);
  const auto distributions = stationary_distributions(chain, structure);
  EXPECT_EQ(distributions[0], (std::vector<double>{0.5, 0.5, 0.0}));
  EXPECT_EQ(distributions[1], (std::vector<double>{0.0, 0.0, 1.0}));
  EXPECT_EQ(power(chain, 2).matrix().values, chain.matrix().values);  // T^2 = T
  expect_says(message_of([&] { stationary_distribution(chain); }),
              {"2 closed classes", "isn't unique"});
}

TEST(finite_structure, the_limit_from_a_transient_state_mixes_the_closed_classes) {
  // gambler's ruin on 0 .. 4 with fair coins: from k the chain ends at 4 with probability k / 4
  RowMatrix ruin(5);
  ruin(0, 0) = ruin(4, 4) = 1.0;
  for (Index k = 1; k < 4; ++k) ruin(k, k - 1) = ruin(k, k + 1) = 0.5;
  const FiniteChain chain(std::move(ruin));
  for (Index k = 0; k <= 4; ++k) {
    const auto limit = *limiting_distribution(chain, k);
    EXPECT_NEAR(limit[4], 0.25 * static_cast<double>(k), kTight) << k;
    EXPECT_NEAR(limit[0] + limit[4], 1.0, kTight);
  }
  EXPECT_EQ(structure_of(chain).classes.size(), 3u);
}

TEST(finite_structure, finds_periods_of_cycles) {
  RowMatrix two_cycles(8);  // lengths 6 and 4 through state 0: period 2
  for (Index x = 0; x < 5; ++x) two_cycles(x, x + 1) = 1.0;
  two_cycles(5, 0) = 1.0;
  two_cycles(0, 1) = two_cycles(0, 6) = 0.5;
  two_cycles(6, 7) = 1.0;
  two_cycles(7, 3) = 1.0;  // 0 6 7 3 4 5: length 6 as well
  EXPECT_EQ(structure_of(FiniteChain(two_cycles)).classes[0].period, 6);
  two_cycles(7, 3) = 0.0, two_cycles(7, 5) = 1.0;  // 0 6 7 5: length 4
  EXPECT_EQ(structure_of(FiniteChain(two_cycles)).classes[0].period, 2);
  EXPECT_EQ(structure_of(walk_on_cycle(7)).classes[0].period, 1);
}

// ---- distributions after n steps ----

TEST(finite_distribution, follows_chapman_and_kolmogorov) {
  const FiniteChain chain = random_chain(9, 3);
  const FiniteChain five = power(chain, 5), two = power(chain, 2), three = power(chain, 3);
  const FiniteChain both = cycle(std::array{two, three});
  for (std::size_t e = 0; e < five.matrix().values.size(); ++e)
    EXPECT_NEAR(both.matrix().values[e], five.matrix().values[e], kTight);
  const auto distribution = distribution_after(chain, point_distribution(9, 4), 5);
  for (Index y = 0; y < 9; ++y) EXPECT_NEAR(distribution[y], five(4, y), kTight);
}

// Steps that alternate between two kernels have no distribution that stays: each has one of its own.
TEST(finite_distribution, does_not_settle_when_the_kernel_changes_from_step_to_step) {
  const FiniteChain first = two_states(0.1, 0.4), second = two_states(0.4, 0.1);
  const auto odd =
      distribution_after(cycle(std::array{second, first}), point_distribution(2, 0), 1000);
  const auto even = distribution_after(second, odd, 1);
  EXPECT_GT(total_variation(odd, even), 0.1);
  EXPECT_GT(invariance_error(first, odd).relative, 0.01);
}

// Two states: the second eigenvalue is 1 - a - b and the distance is its power, exactly.
TEST(finite_distribution, distance_of_two_states_is_a_power_of_the_eigenvalue) {
  const double a = 0.02, b = 0.03, lambda = 1.0 - a - b;
  const FiniteChain chain = two_states(a, b);
  const auto distribution = stationary_distribution(chain);
  Squarings powers(chain);
  for (const double epsilon : {0.25, 0.1, 1e-3, 1e-8}) {
    const double exact = std::log(epsilon / 0.6) / std::log(lambda);  // d(t) = 0.6 lambda^t
    EXPECT_EQ(mixing_time(powers, distribution, {.epsilon = epsilon}),
              static_cast<Index>(std::ceil(exact)));
  }
  EXPECT_EQ(mixing_time(powers, distribution, {.epsilon = 0.7}), 0);
}

TEST(finite_distribution, mixing_time_is_the_first_time_of_all) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const FiniteChain chain = lazy(random_chain(8, seed), 0.9);
    const auto distribution = stationary_distribution(chain);
    Squarings powers(chain);
    const Index t = *mixing_time(powers, distribution, {.epsilon = 0.05});
    EXPECT_LE(worst_start(power(chain, t), distribution).distance, 0.05);
    EXPECT_GT(worst_start(power(chain, t - 1), distribution).distance, 0.05);
    Index slowest = 0;
    for (Index x = 0; x < 8; ++x)
      slowest = std::max(slowest, *mixing_time_from(powers, distribution, x, {.epsilon = 0.05}));
    EXPECT_EQ(slowest, t);
  }
}

// ---- model.rw21: the random walk on {0 .. 20} ----

// A kernel on the line, cut into cells: Langevin steps without a decision [thesis, eq. 4.26], x' ~ N(x + eta d/dx log p(x), 2 eta), p a
// standard normal. r_n = q r_(n-1) has the closed form of an autoregression, converges, and its limit is the eigenfunction of the
// kernel: a normal distribution of variance 1 / (1 - eta / 2), which isn't p but tends to it with eta.
TEST(finite_fixed_point, is_where_iterations_of_a_langevin_kernel_go) {
  constexpr double kCell = 0.1;
  constexpr Index kHalf = 70, kCells = 2 * kHalf + 1;  // out to 7: beyond lies 1e-11
  const auto place = [](Index i) { return kCell * static_cast<double>(i - kHalf); };
  const auto normal = [&](double mean,
                          double variance) {  // sums over cells are exact for smooth distributions
    std::vector<double> distribution;
    for (Index i = 0; i < kCells; ++i)
      distribution.push_back(kCell / std::sqrt(2.0 * std::numbers::pi * variance) *
                             std::exp(-0.5 * (place(i) - mean) * (place(i) - mean) / variance));
    return distribution;
  };
  double distance_before = 1.0;
  for (const double eta : {0.4, 0.2, 0.1}) {
    std::vector<double> matrix;
    for (Index i = 0; i < kCells; ++i) {
      std::vector<double> row = normal((1.0 - eta) * place(i), 2.0 * eta);
      double sum = 0.0;
      for (const double p : row) sum += p;
      for (const double p : row) matrix.push_back(p / sum);
    }
    const FiniteChain kernel(RowMatrix{kCells, kCells, matrix});
    std::vector<double> distribution(static_cast<std::size_t>(kCells));
    const double start = 2.0, a = 1.0 - eta;
    distribution[static_cast<std::size_t>(kHalf + 20)] = 1.0;
    double moved_before = 2.0;
    for (int n = 1; n <= 60; ++n) {
      const std::vector<double> next = distribution_after(kernel, distribution, 1);
      const double moved = total_variation(next, distribution), kept = std::pow(a, n);
      distribution = next;
      EXPECT_LT(total_variation(distribution, normal(kept * start, 2.0 * eta * (1.0 - kept * kept) /
                                                                       (1.0 - a * a))),
                1e-8)
          << n;
      EXPECT_LE(moved, moved_before + 1e-12);  // r_n - r_(n-1) goes to 0
      moved_before = moved;
    }
    EXPECT_LT(moved_before, 0.01);
    const std::vector<double> fixed = stationary_distribution(kernel);
    EXPECT_LT(total_variation(fixed, normal(0.0, 1.0 / (1.0 - 0.5 * eta))), 1e-8);
    EXPECT_LT(total_variation(distribution_after(kernel, fixed, 1), fixed), 1e-13);
    const double distance = total_variation(fixed, normal(0.0, 1.0));
    EXPECT_GT(invariance_error(kernel, normal(0.0, 1.0)).absolute, 1e-5);  // p is no fixed point
    EXPECT_LT(distance, 0.6 * distance_before);
    distance_before = distance;
  }
}

TEST(random_walk_21, forgets_its_start_as_slowly_as_stated) {
  const FiniteChain walk = reflected_walk(21);
  const auto distribution = stationary_distribution(walk);
  for (const double p : distribution) EXPECT_NEAR(p, 1.0 / 21.0, kTight);
  const std::pair<Index, double> stated[] = {
      {0, 1.9048}, {100, 0.4135}, {200, 0.1348}, {400, 0.0143}};
  for (const auto& [t, l1] : stated) {
    for (Index x = 0; x < 21; ++x)  // the same for every start: see the eigenvalue below 0
      EXPECT_NEAR(2.0 * total_variation(power(walk, t).row(x), distribution), l1, 5e-5)
          << t << " " << x;
  }
  Squarings powers(walk);
  EXPECT_EQ(mixing_time(powers, distribution, {.epsilon = 0.05}), 227);  // 0.1 in L1
  const Spectrum spectrum = spectrum_of(walk, distribution);
  EXPECT_NEAR(spectrum.second_modulus, std::cos(std::numbers::pi / 21.0), 1e-13);
  EXPECT_NEAR(spectrum.gap(), 0.01117, 5e-6);
  // From the middle the slowest mode isn't excited, but the one of -cos(pi / 21) is.
  EXPECT_NEAR(spectrum.values[2].real(), -std::cos(std::numbers::pi / 21.0), 1e-13);
}

// ---- compositions ----

TEST(finite_chain, a_mixture_is_reversible_a_cycle_is_not_a_palindrome_is) {
  const std::vector<double> target{1.0, 2.0, 3.0, 4.0};
  const std::vector<FiniteChain> kernels{metropolis_hastings(target, random_chain(4, 1)),
                                         metropolis_hastings(target, random_chain(4, 2))};
  EXPECT_TRUE(in_detailed_balance(mixture(kernels), target));
  EXPECT_TRUE(in_detailed_balance(palindrome(kernels), target));
  EXPECT_FALSE(in_detailed_balance(cycle(kernels), target));
  EXPECT_TRUE(converges(cycle(kernels), target));
}

TEST(finite_chain, the_reversal_of_a_sweep_is_the_sweep_in_reverse_order) {
  const std::vector<double> target{1.0, 2.0, 3.0, 4.0, 0.5, 2.5};
  const ProductSpace space({2, 3});
  const FiniteChain back =
      time_reversal(gibbs_sweep(space, target), distribution_from_weights(target));
  const FiniteChain reverse = gibbs_sweep(space, target, std::array<Index, 2>{1, 0});
  for (std::size_t e = 0; e < 36; ++e)
    EXPECT_NEAR(back.matrix().values[e], reverse.matrix().values[e], kTight);
}

// ---- simulation against the matrix ----

// 20,000 independent runs of 6 steps: chi-square of the ends against row 0 of P^6. The probability
// of exceeding by chance is the tail that gamma_q gives; 6e-5 is the stated rate of false alarms.
double tail_of_ends(const FiniteChain& simulated, const FiniteChain& claimed) {
  constexpr int kRuns = 20000;
  std::vector<int> counts(claimed.num_states());
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    Rng rng({.seed = 5, .purpose = purpose::kTest + 1, .iteration = run});
    RngChooser chooser(rng);
    ++counts[simulate(simulated, 0, 6, chooser).back()];
  }
  double chi_square = 0.0, degrees = -1.0;
  for (Index y = 0; y < claimed.num_states(); ++y) {
    const double expected = kRuns * power(claimed, 6)(0, y);
    if (expected == 0.0) continue;
    chi_square += (counts[y] - expected) * (counts[y] - expected) / expected;
    degrees += 1.0;
  }
  return numerics::gamma_q(0.5 * degrees, 0.5 * chi_square);
}

FiniteChain slow_chain(std::uint64_t seed) { return lazy(random_chain(6, seed), 0.8); }

TEST(finite_simulation, reaches_the_n_step_distribution_of_the_matrix) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    EXPECT_GT(tail_of_ends(slow_chain(seed), slow_chain(seed)), 6e-5) << seed;
}

TEST(finite_simulation, is_told_from_a_chain_that_stays_a_little_longer) {
  EXPECT_LT(tail_of_ends(lazy(slow_chain(1), 0.1), slow_chain(1)), 6e-5);
}

}  // namespace
}  // namespace credo::infer::finite::finite_chain_test
