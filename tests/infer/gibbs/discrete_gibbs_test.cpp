// General Gibbs kernels: exact matrices on small product spaces, mutants, one-dimensional draws.
#include "infer/gibbs/discrete_gibbs.hpp"

#include <gtest/gtest.h>

#include "support/finite_checks.hpp"
#include "support/kernel_checks.hpp"

namespace credo::infer::gibbs::gibbs_discrete_gibbs_test {
namespace {
using namespace credo::testing;
using State = std::vector<Index>;

double uneven(std::span<const Index> state) {
  double sum = 0.0, k = 1.0;
  for (const Index value : state)
    sum += std::sin(2.0 * k + 1.3 * static_cast<double>(value)), k += 1.0;
  return sum + 0.8 * static_cast<double>(state[0] == state[1]) +
         0.5 * static_cast<double>(state[1] * state[2]);
}

const DiscreteTarget kTarget{.sizes = {2, 3, 2}, .log_weight = uneven};

std::vector<double> weights_of(const DiscreteTarget& target) {
  std::vector<double> weights;
  for (const State& state : states_of(target.sizes))
    weights.push_back(std::exp(target.log_weight(state)));
  return weights;
}

template <class Kernel>
finite::FiniteChain matrix_of(Kernel&& kernel) {
  return finite::transition_matrix(std::forward<Kernel>(kernel), states_of(kTarget.sizes));
}

TEST(discrete_gibbs, kernels_equal_the_matrices_of_the_formulas) {
  const auto weights = weights_of(kTarget);
  const finite::ProductSpace space(kTarget.sizes);
  const auto expect_equal = [](const finite::FiniteChain& a, const finite::FiniteChain& b) {
    for (std::size_t e = 0; e < a.matrix().values.size(); ++e)
      EXPECT_NEAR(a.matrix().values[e], b.matrix().values[e], 1e-14);
  };
  const std::vector<double> of_scan{1.0, 2.0, 3.0};
  expect_equal(
      matrix_of([&](State& s, Chooser& c) { update_random_variable(kTarget, s, of_scan, c); }),
      finite::gibbs_random_scan(space, weights, of_scan));
  const State order{2, 0, 1};
  expect_equal(matrix_of([&](State& s, Chooser& c) { sweep_variables(kTarget, s, order, c); }),
               finite::gibbs_sweep(space, weights, order));
  const State block{2, 0};
  expect_equal(matrix_of([&](State& s, Chooser& c) { update_block(kTarget, s, block, c); }),
               finite::gibbs_block(space, weights, block));
}

TEST(discrete_gibbs, scans_and_blocks_converge) {
  const auto weights = weights_of(kTarget);
  const auto random =
      matrix_of([](State& s, Chooser& c) { update_random_variable(kTarget, s, {}, c); });
  EXPECT_TRUE(converges(random, weights));
  EXPECT_TRUE(in_detailed_balance(random, weights));
  const auto sweep = matrix_of([](State& s, Chooser& c) { sweep_variables(kTarget, s, {}, c); });
  EXPECT_TRUE(converges(sweep, weights));
  EXPECT_FALSE(in_detailed_balance(sweep, weights));
  const auto blocks = matrix_of([](State& s, Chooser& c) {
    update_block(kTarget, s, State{0, 1}, c);
    update_block(kTarget, s, State{1, 2}, c);
  });
  EXPECT_TRUE(converges(blocks, weights));
}

TEST(discrete_gibbs, refuses_blocks_and_states_that_do_not_fit) {
  const DiscreteTarget wide{.sizes = State(21, 2), .log_weight = [](auto) { return 0.0; }};
  State state(21, 0), block(21);
  std::iota(block.begin(), block.end(), Index{0});
  finite::Explorer explorer;
  EXPECT_THROW(update_block(wide, state, block, explorer), Error);
  EXPECT_THROW(kTarget.check(State{0, 3, 0}), Error);
  EXPECT_THROW(kTarget.check(State{0, 1}), Error);
}

// A choice without a weight that counts would be of the first value, silently.
TEST(discrete_gibbs, refuses_conditionals_that_are_no_distribution) {
  for (const double weight : {-kInfinity, kNaN, kInfinity}) {
    const DiscreteTarget target{.sizes = {2, 2}, .log_weight = [=](auto) { return weight; }};
    State state(2, 0);
    finite::Explorer explorer;
    EXPECT_THROW(update_variable(target, state, 0, explorer), Error) << weight;
  }
}

TEST(metropolis_within_gibbs, needs_its_proposal_ratio) {
  const auto weights = weights_of(kTarget);
  const std::vector<double> skewed{0.1, 0.6, 0.3, 0.2, 0.5, 0.3, 0.7, 0.1, 0.2};
  const auto right = matrix_of([&](State& s, Chooser& c) {
    metropolis_within_gibbs(kTarget, s, 1, skewed, c);
    update_variable(kTarget, s, 0, c);
    update_variable(kTarget, s, 2, c);
  });
  EXPECT_TRUE(converges(right, weights));
  EXPECT_TRUE(in_detailed_balance(
      matrix_of([&](State& s, Chooser& c) { metropolis_within_gibbs(kTarget, s, 1, skewed, c); }),
      weights));
  std::vector<double> unequal = skewed;  // rows are weights
  for (std::size_t k = 3; k < 6; ++k) unequal[k] *= 7.0;
  EXPECT_TRUE(in_detailed_balance(
      matrix_of([&](State& s, Chooser& c) { metropolis_within_gibbs(kTarget, s, 1, unequal, c); }),
      weights));
  const auto mutant = matrix_of([&](State& s, Chooser& c) {
    State offered = s;
    offered[1] = c.choose(std::span(skewed).subspan(s[1] * 3, 3));
    if (c.accept_log(uneven(offered) - uneven(s))) s = offered;
  });
  EXPECT_FALSE(leaves_invariant(mutant, weights));
}

// ---- ordered over-relaxation ----

TEST(over_relaxation, is_in_detailed_balance_even_with_ties) {
  for (const Index num_draws : {1, 2, 5}) {
    const auto chain =
        matrix_of([&](State& s, Chooser& c) { over_relax_variable(kTarget, s, 1, num_draws, c); });
    EXPECT_TRUE(in_detailed_balance(chain, weights_of(kTarget))) << num_draws;
  }
}

// Ties that are always ranked first: not invariant.
TEST(over_relaxation, is_rejected_with_ties_in_a_fixed_order) {
  const auto mutant = matrix_of([](State& s, Chooser& c) {
    State values;
    for (int k = 0; k < 3; ++k) {
      State draw = s;
      update_variable(kTarget, draw, 1, c);
      values.push_back(draw[1]);
    }
    std::sort(values.begin(), values.end());
    const Index rank = std::lower_bound(values.begin(), values.end(), s[1]) - values.begin();
    values.insert(values.begin() + rank, s[1]);
    s[1] = values[static_cast<std::size_t>(3 - rank)];
  });
  EXPECT_FALSE(leaves_invariant(mutant, weights_of(kTarget)));
}

double lag_one_correlation(std::span<const double> x) {
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) sum += x[i] * x[i + 1], squares += x[i] * x[i];
  return sum / squares;
}

// On a standard normal, 20 draws a step: successive values are negatively correlated.
TEST(over_relaxation, of_a_normal_gives_negatively_correlated_values) {
  Rng rng({.seed = test_seed(2), .purpose = purpose::kTest + 40});
  RngChooser chooser(rng);
  std::vector<double> values{0.0};
  for (int i = 0; i < 20000; ++i)
    values.push_back(over_relaxed(
        values.back(), 20, [&] { return rng.normal(); }, chooser));
  EXPECT_LT(lag_one_correlation(values), -0.8);
  double squares = 0.0;
  for (const double x : values) squares += x * x;
  // x^2 has variance 2; its lag correlations are positive, near 0.8: a factor 10 on the variance.
  EXPECT_NEAR(squares / 20000.0, 1.0, 4.0 * std::sqrt(2.0 * 10.0 / 20000.0));
}

// ---- rotation ----

// A bivariate normal of unit variances and correlation r: a Gibbs sweep has lag-one correlation
// r^2, in rotated coordinates, whose variances are 1 + r and 1 - r, none.
TEST(rotated_gibbs, removes_the_correlation_of_an_equal_variance_normal) {
  const double r = 0.9;
  Rng rng({.seed = test_seed(3), .purpose = purpose::kTest + 41});
  Pair plain{0.0, 0.0}, turned{0.0, 0.0};
  std::vector<double> of_plain, of_turned, products;
  for (int i = 0; i < 40000; ++i) {
    plain.first = r * plain.second + std::sqrt(1.0 - r * r) * rng.normal();
    plain.second = r * plain.first + std::sqrt(1.0 - r * r) * rng.normal();
    of_plain.push_back(plain.second);
    step_rotated(turned, [&](Pair& at) {
      at.first = std::sqrt(1.0 + r) * rng.normal();
      at.second = std::sqrt(1.0 - r) * rng.normal();
    });
    of_turned.push_back(turned.second);
    products.push_back(turned.first * turned.second);
  }
  EXPECT_NEAR(lag_one_correlation(of_plain), r * r, 0.02);  // sd of an AR(1)'s: 0.003
  EXPECT_NEAR(lag_one_correlation(of_turned), 0.0, 4.0 / 200.0);
  const double mean = std::accumulate(products.begin(), products.end(), 0.0) / 40000.0;
  EXPECT_NEAR(mean, r, 4.0 * std::sqrt(1.0 + r * r) / 200.0);
  const Pair back = unrotated(rotated({0.3, -1.2}));
  EXPECT_NEAR(back.first, 0.3, 1e-15);
  EXPECT_NEAR(back.second, -1.2, 1e-15);
}

}  // namespace
}  // namespace credo::infer::gibbs::gibbs_discrete_gibbs_test
