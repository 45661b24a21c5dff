// Capacities in closed form and with both bounds, decoders, bottlenecks against search, words of spin chains.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/information/bottleneck.hpp"
#include "models/information/channel.hpp"
#include "models/information/words.hpp"
#include "support/test_seed.hpp"

namespace credo::models::channel_test {
namespace {
double h2(double p) {
  const double distribution[] = {p, 1.0 - p};
  return entropy(distribution);
}
std::vector<double> random_distribution(Index n, double share_of_zeros, Rng& rng) {
  std::vector<double> p;
  double sum = 0.0;
  for (Index k = 0; k < n; ++k)
    sum += p.emplace_back(k > 0 && rng.uniform() < share_of_zeros ? 0.0 : rng.exponential() + 1e-3);
  for (double& x : p) x /= sum;
  return p;
}
Channel random_channel(Index inputs, Index outputs, Rng& rng) {
  Channel made{inputs, outputs, {}};
  for (Index x = 0; x < inputs; ++x)
    for (const double p : random_distribution(outputs, 0.3, rng)) made.p.push_back(p);
  return made;
}
JointTable random_joint(Index x, Index y, Rng& rng) {
  return {.sizes = {x, y}, .cells = random_distribution(x * y, 0.0, rng)};
}
}  // namespace

TEST(channel, capacities_of_binary_channels_are_those_in_closed_form) {
  for (const double f : {0.0, 0.1, 0.15, 0.5}) {
    EXPECT_NEAR(capacity(binary_symmetric_channel(f)).lower, std::log(2.0) - h2(f), 1e-9) << f;
    const double z = f == 0.0 ? std::log(2.0) : std::log1p((1.0 - f) * std::pow(f, f / (1.0 - f)));
    EXPECT_NEAR(capacity(z_channel(f)).lower, z, 1e-9) << f;
  }
  EXPECT_NEAR(capacity(z_channel(0.15)).input[1], 0.445, 5e-4);
  const double even[] = {0.3, 0.7};
  EXPECT_NEAR(information_over(binary_symmetric_channel(0.1), even),
              h2(0.3 * 0.9 + 0.7 * 0.1) - h2(0.1), 1e-12);
}

TEST(channel, bounds_meet_on_random_channels) {
  Rng rng({.seed = testing::test_seed(41), .purpose = purpose::kTest});
  for (int r = 0; r < 1000; ++r) {
    const Channel channel = random_channel(1 + rng.index_below(10), 2 + rng.index_below(10), rng);
    const Capacity found = capacity(channel);
    EXPECT_TRUE(found.has_converged);
    EXPECT_LT(found.upper - found.lower, 1e-9);
    EXPECT_NEAR(information_over(channel, found.input), found.lower, 1e-9);
    const std::vector<double> other = random_distribution(channel.num_inputs, 0.0, rng);
    EXPECT_LE(information_over(channel, other), found.upper + 1e-9);
  }
}

TEST(channel, the_decoder_has_the_least_error_of_all) {
  Rng rng({.seed = testing::test_seed(42), .purpose = purpose::kTest});
  const Channel channel = random_channel(3, 4, rng);
  const std::vector<double> distribution = random_distribution(3, 0.0, rng);
  const Decoder own = map_decoder(channel, distribution);
  double least = 1.0;
  for (Index code = 0; code < 81; ++code) {  // all functions from outputs to inputs
    double right = 0.0;
    Index rest = code;
    for (std::size_t y = 0; y < 4; ++y, rest /= 3)
      right += distribution[static_cast<std::size_t>(rest % 3)] * channel.row(rest % 3)[y];
    least = std::min(least, 1.0 - right);
  }
  EXPECT_NEAR(own.error, least, 1e-12);
}

TEST(bottleneck, the_objective_never_rises) {
  Rng rng({.seed = testing::test_seed(43), .purpose = purpose::kTest});
  for (int r = 0; r < 20; ++r) {
    const JointTable joint = random_joint(6, 4, rng);
    const double beta = rng.uniform(1.0, 30.0);
    Bottleneck state = find_bottleneck(
        joint, {.num_clusters = 3, .beta = beta, .num_starts = 1, .most_iterations = 0});
    double before = kInfinity;
    for (int k = 0; k < 60; ++k) {
      const double now = bottleneck_step(joint, beta, state);
      EXPECT_LE(now, before + 1e-12);
      before = now;
    }
  }
}

TEST(bottleneck, equals_a_search_over_all_assignments) {
  Rng rng({.seed = testing::test_seed(44), .purpose = purpose::kTest});
  for (const double beta : {3.0, 8.0, 40.0}) {
    const JointTable joint = random_joint(3, 2, rng);
    const Bottleneck own =
        find_bottleneck(joint, {.num_clusters = 2, .beta = beta, .num_starts = 20});
    constexpr int kPlaces = 60;
    double least = kInfinity;
    const Index first[] = {0}, second[] = {1};
    const std::vector<double> shares = joint.margin(first);
    for (int code = 0; code < (kPlaces + 1) * (kPlaces + 1) * (kPlaces + 1); ++code) {
      JointTable xt{.sizes = {3, 2}, .cells = {}},
          ty{.sizes = {2, 2}, .cells = std::vector<double>(4, 0.0)};
      int rest = code;
      for (std::size_t x = 0; x < 3; ++x, rest /= kPlaces + 1) {
        const double one = static_cast<double>(rest % (kPlaces + 1)) / kPlaces;
        xt.cells.insert(xt.cells.end(), {shares[x] * one, shares[x] * (1.0 - one)});
        for (std::size_t y = 0; y < 2; ++y) {
          ty.cells[y] += one * joint.cells[x * 2 + y];
          ty.cells[2 + y] += (1.0 - one) * joint.cells[x * 2 + y];
        }
      }
      least = std::min(least, mutual_information(xt, first, second) -
                                  beta * mutual_information(ty, first, second));
    }
    EXPECT_LE(own.objective, least + 1e-9) << beta;
    EXPECT_NEAR(own.objective, least, 0.003 * beta) << beta;  // the grid's places are 1/60 apart
  }
}

TEST(bottleneck, keeps_nothing_below_one_and_everything_at_the_end) {
  Rng rng({.seed = testing::test_seed(45), .purpose = purpose::kTest});
  const JointTable joint = random_joint(5, 3, rng);
  const Index first[] = {0}, second[] = {1};
  const double betas[] = {0.9, 3.0, 10.0, 100.0, 2000.0};
  const auto curve = bottleneck_curve(joint, {.num_clusters = 5}, betas);
  EXPECT_NEAR(curve[0].relevance, 0.0, 1e-6);
  EXPECT_EQ(curve[0].num_distinct(), 1);
  EXPECT_EQ(curve.back().num_distinct(), 5);
  for (std::size_t k = 1; k < curve.size(); ++k)
    EXPECT_GE(curve[k].relevance, curve[k - 1].relevance - 1e-9);
  EXPECT_NEAR(curve.back().relevance, mutual_information(joint, first, second), 1e-3);
  EXPECT_LE(curve.back().relevance, mutual_information(joint, first, second) + 1e-12);
  // In bits a beta counts for 1.44 of it.
  const auto nats = find_bottleneck(joint, {.num_clusters = 3, .beta = 5.0 / std::log(2.0)});
  const auto bits = find_bottleneck(joint, {.num_clusters = 3, .beta = 5.0, .in_bits = true});
  EXPECT_EQ(nats.assignment, bits.assignment);
}

TEST(words, a_spin_chain_has_a_constant_excess) {
  Rng rng({.seed = testing::test_seed(46), .purpose = purpose::kTest});
  // Neighbours differ with probability p: S(N) = log 2 + (N - 1) H(p).
  constexpr double p = 0.2;
  std::vector<std::int32_t> spins{0};
  for (int n = 1; n < 40'000; ++n)
    spins.push_back(rng.uniform() < p ? 1 - spins.back() : spins.back());
  const WordEntropies found =
      word_entropies(spins, 2, 5, find_entropy_estimator("miller_madow"), {});
  for (std::size_t t = 0; t < 5; ++t)
    EXPECT_NEAR(found.entropy[t].value, std::log(2.0) + static_cast<double>(t) * h2(p), 0.02);
  // I(T) = log 2 - H(p) for all T, the excess l(1) - S_0 as well, and later ones 0.
  for (const double own : found.predictive) EXPECT_NEAR(own, std::log(2.0) - h2(p), 0.01);
  EXPECT_NEAR(found.learning[0], std::log(2.0) - h2(p), 0.01);
  EXPECT_NEAR(found.learning[2], 0.0, 0.01);
  const double transitions[] = {1.0 - p, p, p, 1.0 - p};
  EXPECT_NEAR(markov_predictive_information(transitions, 2), std::log(2.0) - h2(p), 1e-12);
}
}  // namespace credo::models::channel_test
