// Hidden paths: exact matrices on short chains, exact starts of the Gibbs kernel, mutants.
#include "models/hidden_markov/hidden_path.hpp"

#include <gtest/gtest.h>

#include "support/finite_checks.hpp"
#include "support/kernel_checks.hpp"

namespace credo::models::hidden_markov_hidden_path_test {
namespace {
using namespace credo::infer;
using namespace credo::testing;
using State = std::vector<Index>;

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

TEST(hidden_path, is_drawn_from_its_joint_distribution_whatever_it_was) {
  HiddenChain transposed = kChain;
  std::swap(transposed.transition[1], transposed.transition[3]);
  const auto states = states_of({{3, 3, 3}});
  std::vector<double> weights;
  for (const State& path : states) weights.push_back(std::exp(path_log_weight(kChain, path)));
  const auto matrix = [&](const HiddenChain& chain) {
    return finite::transition_matrix(
        [&](State& path, Chooser& c) { draw_hidden_path(chain, kLogLikelihood, path, c); }, states);
  };
  const auto distribution = finite::distribution_from_weights(weights);
  const auto right = matrix(kChain);
  for (Index from : {0, 13, 26}) {
    for (std::size_t to = 0; to < distribution.size(); ++to)
      EXPECT_NEAR(right(from, static_cast<Index>(to)), distribution[to], 1e-15);
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

TEST(hidden_markov_gibbs, leaves_the_joint_distribution_and_a_wrong_prior_does_not) {
  HiddenMarkovPrior prior{.num_states = 2, .num_symbols = 3, .transition = 2.0, .emission = 0.7};
  EXPECT_LT(hidden_markov_z(prior), 4.0);
  prior.transition = 1.0;
  EXPECT_GT(hidden_markov_z(prior), 6.0);
}

// ---- mutants ----

// States drawn one by one from their filtered distributions: the future isn't looked at.
TEST(gibbs_mutants, a_path_of_filtered_states_is_rejected) {
  const HiddenChain chain{.initial = {0.6, 0.4}, .transition = {0.8, 0.2, 0.3, 0.7}};
  const std::vector<double> log_likelihood{-1.0, -2.0, -0.5, -0.2, -3.0, -1.0};
  const auto states = states_of({{2, 2, 2}});
  std::vector<double> weights;
  for (const State& path : states) {
    double weight = chain.initial[std::size_t(path[0])];
    for (std::size_t t = 0; t < 3; ++t) {
      if (t > 0) weight *= chain.transition[std::size_t(path[t - 1] * 2 + path[t])];
      weight *= std::exp(log_likelihood[2 * t + std::size_t(path[t])]);
    }
    weights.push_back(weight);
  }
  const auto right = finite::transition_matrix(
      [&](State& path, Chooser& c) { draw_hidden_path(chain, log_likelihood, path, c); }, states);
  EXPECT_TRUE(leaves_invariant(right, weights));
  const auto wrong = finite::transition_matrix(
      [&](State& path, Chooser& c) {
        for (std::size_t end = 1; end <= 3; ++end) {
          State start(end);
          draw_hidden_path(chain, std::span(log_likelihood).first(2 * end), start, c);
          path[end - 1] = start[end - 1];
        }
      },
      states);
  EXPECT_FALSE(leaves_invariant(wrong, weights));
}

}  // namespace
}  // namespace credo::models::hidden_markov_hidden_path_test
