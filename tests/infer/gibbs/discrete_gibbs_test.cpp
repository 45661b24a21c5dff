// General Gibbs kernels: exact matrices on small product spaces, mutants, one-dimensional draws.
#include "infer/gibbs/discrete_gibbs.hpp"

#include <gtest/gtest.h>

#include "infer/gibbs/conditional.hpp"
#include "infer/gibbs/hidden_path.hpp"
#include "infer/gibbs/lattice_gibbs.hpp"
#include "support/finite_checks.hpp"
#include "support/kernel_checks.hpp"

namespace credo::infer::gibbs {
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
TEST(discrete_gibbs, refuses_conditionals_that_are_no_law) {
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

// ---- one-dimensional conditionals ----

struct Moments {
  double mean, second;
};

// z of the worst of mean and second moment over independent draws.
double moment_z(const Moments& expected, int num_draws, const std::function<double(int)>& draw) {
  std::array<double, 2> sums{}, squares{};
  for (int i = 0; i < num_draws; ++i) {
    const double x = draw(i);
    const std::array off{x - expected.mean, x * x - expected.second};
    for (std::size_t f = 0; f < 2; ++f) sums[f] += off[f], squares[f] += off[f] * off[f];
  }
  return worse(std::fabs(sums[0]) / std::sqrt(squares[0]),
               std::fabs(sums[1]) / std::sqrt(squares[1]));
}

TEST(conditional_draws, by_rejection_and_by_inversion_have_the_moments) {
  Rng rng({.seed = 5, .purpose = purpose::kTest + 42});
  // Beta(2, 2): density 6 x (1 - x), at most 1.5; mean 1/2, second moment 0.3.
  const auto rejection = [&](int) {
    return draw_by_rejection([](double x) { return std::log(4.0 * x * (1.0 - x)); },
                             [](Rng& r) { return r.uniform(); }, rng);
  };
  EXPECT_LT(moment_z({0.5, 0.3}, 20000, rejection), 4.0);
  const auto inversion = [&](int) {
    return draw_by_inversion([](double x) { return x * x * (3.0 - 2.0 * x); }, {0.0, 1.0}, rng);
  };
  EXPECT_LT(moment_z({0.5, 0.3}, 20000, inversion), 4.0);
  EXPECT_GT(moment_z({0.52, 0.3}, 20000, inversion), 6.0);
}

TEST(conditional_draws, refuse_what_can_not_work) {
  Rng rng({.seed = test_seed(5), .purpose = purpose::kTest + 43});
  const auto uniform = [](Rng& r) { return r.uniform(); };
  EXPECT_THROW(draw_by_rejection([](double) { return 0.5; }, uniform, rng), Error);
  EXPECT_THROW(draw_by_rejection([](double) { return -kInfinity; }, uniform, rng, 100), Error);
  EXPECT_THROW(draw_by_inversion([](double) { return 0.5; }, {-kInfinity, 0.0}, rng), Error);
  const auto normal = [](double x) { return -0.5 * x * x; };
  EXPECT_THROW(draw_by_arms(normal, 0.0, {.points = {0.0, 1.0}}, rng), Error);
  EXPECT_THROW(draw_by_arms(normal, 0.0, {.points = {1.0, 2.0, 3.0}}, rng), Error);
  const auto positive = [&](double x) { return x > 0.0 ? -x : -kInfinity; };
  EXPECT_THROW(
      draw_by_arms(positive, -1.0, {.support = {-2.0, kInfinity}, .points = {0.5, 1.0, 2.0}}, rng),
      Error);
  EXPECT_THROW(draw_by_arms([](double) { return kNaN; }, 0.0, {.points = {-1.0, 0.0, 1.0}}, rng),
               Error);
}

TEST(arms, draws_log_concave_densities_exactly_without_a_metropolis_step) {
  Rng rng({.seed = test_seed(7), .purpose = purpose::kTest + 44});
  const auto normal = [](double x) { return -0.5 * x * x; };
  EXPECT_LT(moment_z({0.0, 1.0}, 20000,
                     [&](int) {
                       return draw_by_arms(normal, 0.0,
                                           {.points = {-1.5, 0.2, 1.0}, .metropolis_step = false},
                                           rng)
                           .value;
                     }),
            4.0);
  // Gamma(3): mean 3, second moment 12; a bounded side.
  const auto gamma = [](double x) { return 2.0 * std::log(x) - x; };
  EXPECT_LT(moment_z({3.0, 12.0}, 20000,
                     [&](int) {
                       return draw_by_arms(gamma, 1.0,
                                           {.support = {0.0, kInfinity},
                                            .points = {0.5, 2.5, 6.0},
                                            .metropolis_step = false},
                                           rng)
                           .value;
                     }),
            4.0);
}

// Two modes from exact starts: 0.3 N(-2, 1) + 0.7 N(2, 1). Without the Metropolis step the valley's
// chord cuts off nothing but the envelope may lie below a mode.
double two_mode_z(bool metropolis_step, const std::vector<double>& points) {
  Rng rng({.seed = test_seed(8), .purpose = purpose::kTest + 45});
  const auto log_density = [](double x) {
    return std::log(0.3 * std::exp(-0.5 * (x + 2.0) * (x + 2.0)) +
                    0.7 * std::exp(-0.5 * (x - 2.0) * (x - 2.0)));
  };
  return moment_z({0.8, 5.0}, 20000, [&](int) {
    const double start = (rng.uniform() < 0.3 ? -2.0 : 2.0) + rng.normal();
    return draw_by_arms(log_density, start,
                        {.points = points, .max_points = 8, .metropolis_step = metropolis_step},
                        rng)
        .value;
  });
}

TEST(arms, leaves_a_density_of_two_modes_and_without_its_metropolis_step_does_not) {
  const std::vector<double> points{-4.0, -3.0, 0.0, 2.5, 4.0};
  EXPECT_LT(two_mode_z(true, points), 4.0);
  EXPECT_GT(two_mode_z(false, points), 6.0);
}

// ---- hidden Markov models ----

const HiddenChain kChain{.initial = {0.6, 0.3, 0.1},
                         .transition = {0.7, 0.2, 0.1, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4}};
const std::vector<double> kLogLikelihood{-1.0, -2.0, -0.5, -0.2, -3.0, -1.0, -0.7, -0.1, -2.0};

double path_log_weight(const HiddenChain& chain, const State& path) {
  double sum = std::log(chain.initial[path[0]]);
  for (Index t = 0; t < 3; ++t) {
    sum += kLogLikelihood[t * 3 + path[t]];
    if (t > 0) sum += std::log(chain.transition[path[t - 1] * 3 + path[t]]);
  }
  return sum;
}

TEST(hidden_path, is_drawn_from_its_joint_law_whatever_it_was) {
  HiddenChain transposed = kChain;
  std::swap(transposed.transition[1], transposed.transition[3]);
  const auto states = states_of({{3, 3, 3}});
  std::vector<double> weights;
  for (const State& path : states) weights.push_back(std::exp(path_log_weight(kChain, path)));
  const auto matrix = [&](const HiddenChain& chain) {
    return finite::transition_matrix(
        [&](State& path, Chooser& c) { draw_hidden_path(chain, kLogLikelihood, path, c); }, states);
  };
  const auto law = finite::law_from_weights(weights);
  const auto right = matrix(kChain);
  for (Index from : {0, 13, 26}) {
    for (std::size_t to = 0; to < law.size(); ++to)
      EXPECT_NEAR(right(from, static_cast<Index>(to)), law[to], 1e-15);
  }
  EXPECT_TRUE(converges(right, weights));
  EXPECT_FALSE(leaves_invariant(matrix(transposed), weights));
  finite::Explorer explorer;
  State path(3);
  EXPECT_NEAR(draw_hidden_path(kChain, kLogLikelihood, path, explorer),
              std::log(std::accumulate(weights.begin(), weights.end(), 0.0)), 1e-14);
}

// From state 0 only 0 and 1 are reached, which explain the second observation 1000 nats worse than
// state 2 would: exp(-1000) is no number of its own.
TEST(hidden_path, is_not_misled_by_a_likely_state_that_can_not_be_reached) {
  const HiddenChain chain{.initial = {1.0, 0.0, 0.0},
                          .transition = {0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0}};
  const std::vector<double> log_likelihood{0.0, 0.0, 0.0, -1000.0, -1001.0, 0.0};
  finite::Explorer explorer;
  State path(2);
  const double log_evidence = draw_hidden_path(chain, log_likelihood, path, explorer);
  EXPECT_NEAR(log_evidence, -1000.0 + std::log(0.5 + 0.5 * std::exp(-1.0)), 1e-12);
  EXPECT_LT(path[1], 2);
}

TEST(hidden_path, refuses_observations_that_no_path_has) {
  const HiddenChain chain{.initial = {0.5, 0.5}, .transition = {1.0, 0.0, 1.0, 0.0}};
  finite::Explorer explorer;
  State path(2);
  for (const double wrong : {-kInfinity, kNaN})
    EXPECT_THROW(draw_hidden_path(chain, std::vector<double>{0.0, 0.0, wrong, 0.0}, path, explorer),
                 Error);
}

double hidden_markov_z(const HiddenMarkovPrior& assumed) {
  const HiddenMarkovPrior prior{
      .num_states = 2, .num_symbols = 3, .transition = 2.0, .emission = 0.7};
  std::array<double, 5> sums{}, squares{};
  for (std::uint32_t r = 0; r < 20000; ++r) {
    Rng rng({.seed = test_seed(10), .purpose = purpose::kTest + 46, .iteration = r});
    HiddenMarkovState state = draw_prior(prior, 6, rng);
    const std::vector<Index> symbols = draw_symbols(state, 3, rng);
    const HiddenMarkovGibbs gibbs(symbols, assumed);
    const auto summary = [&] {
      const auto z = static_cast<double>(state.path[2]);
      return std::array{state.chain.transition[0],
                        state.chain.transition[0] * state.chain.transition[0],
                        state.emission[0] * state.emission[0], z * state.emission[symbols[2]],
                        z * static_cast<double>(state.path[3])};
    };
    const auto before = summary();
    for (int s = 0; s < 3; ++s) gibbs.step(state, rng);
    const auto after = summary();
    for (std::size_t f = 0; f < 5; ++f) {
      const double off = after[f] - before[f];
      sums[f] += off, squares[f] += off * off;
    }
  }
  double worst = 0.0;
  for (std::size_t f = 0; f < 5; ++f)
    worst = worse(worst, std::fabs(sums[f]) / std::sqrt(squares[f]));
  return worst;
}

TEST(hidden_markov_gibbs, leaves_the_joint_law_and_a_wrong_prior_does_not) {
  HiddenMarkovPrior prior{.num_states = 2, .num_symbols = 3, .transition = 2.0, .emission = 0.7};
  EXPECT_LT(hidden_markov_z(prior), 4.0);
  prior.transition = 1.0;
  EXPECT_GT(hidden_markov_z(prior), 6.0);
}

// ---- X5: an image denoised ----

// A disc of radius 20 in 64 x 64, noise of standard deviation 2, J = 1: single samples after some
// sweeps, and the mean of 15. Pixel by pixel, sign(y) errs at the rate of a normal beyond 1/2:
// 0.31.
TEST(ising_denoising, errs_less_than_the_sign_of_each_pixel) {
  constexpr Index kSide = 64;
  Rng rng({.seed = test_seed(11), .purpose = purpose::kTest + 47});
  std::vector<double> image, truth;
  for (Index i = 0; i < kSide * kSide; ++i) {
    const double row = static_cast<double>(i / kSide) - 31.5,
                 col = static_cast<double>(i % kSide) - 31.5;
    truth.push_back(row * row + col * col < 400.0 ? 1.0 : -1.0);
    image.push_back(truth.back() + 2.0 * rng.normal());
  }
  const ColouredGibbs gibbs(Lattice::ising({.rows = kSide, .cols = kSide, .coupling = 1.0})
                                .with_evidence(gaussian_evidence(image, 2.0)));
  Spins spins(kSide * kSide);
  for (Index i = 0; i < kSide * kSide; ++i) spins[i] = image[i] > 0.0 ? 1 : 0;
  const auto error_rate = [&](auto&& sign_of) {
    double wrong = 0.0;
    for (Index i = 0; i < kSide * kSide; ++i) wrong += sign_of(i) * truth[i] > 0.0 ? 0.0 : 1.0;
    return wrong / (kSide * kSide);
  };
  const double of_signs = error_rate([&](Index i) { return image[i]; });
  EXPECT_NEAR(of_signs, 0.3085, 4.0 * std::sqrt(0.3085 * 0.6915) / kSide);
  std::vector<double> mean(kSide * kSide, 0.0);
  for (std::uint32_t s = 0; s < 15; ++s) {
    gibbs.step(spins, {.seed = test_seed(1), .purpose = purpose::kTest + 48, .iteration = s});
    for (Index i = 0; i < kSide * kSide; ++i) mean[i] += spins[i] == 1 ? 1.0 : -1.0;
  }
  EXPECT_LT(error_rate([&](Index i) { return mean[i]; }), 0.25 * of_signs);
}

TEST(ising_denoising, is_drawn_towards_the_observation) {
  const Lattice prior = Lattice::ising({.rows = 1, .cols = 2, .coupling = 0.5});
  for (const double y : {-1.5, 0.4, 2.0}) {
    const Lattice posterior = prior.with_evidence(gaussian_evidence(std::array{y, 0.0}, 2.0));
    std::array<double, 2> log_weights{};
    posterior.conditional(Spins{0, 1}, 0, log_weights);
    EXPECT_NEAR(log_weights[1] - log_weights[0], 2.0 * 0.5 + 2.0 * y / 4.0, 1e-15);
  }
}

}  // namespace
}  // namespace credo::infer::gibbs
