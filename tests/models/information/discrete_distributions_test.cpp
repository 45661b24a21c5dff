// Identities of entropies and informations on random distributions, and numbers of the texts.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/information/discrete_distributions.hpp"
#include "support/test_seed.hpp"

namespace credo::models::discrete_distributions_test {
namespace {
constexpr double kRounding = 1e-12;  // sums of some dozen terms of order 1

std::vector<double> random_distribution(Index n, Rng& rng) {
  std::vector<double> p;
  double sum = 0.0;
  for (Index k = 0; k < n; ++k) sum += p.emplace_back(rng.exponential());
  for (double& x : p) x /= sum;
  return p;
}
// X -> Y -> Z with 3, 4 and 2 states.
JointTable random_chain(Rng& rng) {
  JointTable made{.sizes = {3, 4, 2}, .cells = {}};
  const std::vector<double> x = random_distribution(3, rng);
  std::vector<std::vector<double>> y, z;
  for (Index k = 0; k < 3; ++k) y.push_back(random_distribution(4, rng));
  for (Index k = 0; k < 4; ++k) z.push_back(random_distribution(2, rng));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 2; ++k) made.cells.push_back(x[i] * y[i][j] * z[j][k]);
  return made;
}
const Index kX[] = {0}, kY[] = {1}, kZ[] = {2}, kXY[] = {0, 1}, kYZ[] = {1, 2};

// Written from the definition: sum p(x, y, z) log p(x, y | z) / (p(x | z) p(y | z)).
double conditional_information(const JointTable& distribution) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 2; ++k) {
        double xz = 0.0, yz = 0.0, z = 0.0;
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t b = 0; b < 4; ++b) {
            const double p = distribution.cells[(a * 4 + b) * 2 + k];
            xz += a == i ? p : 0.0, yz += b == j ? p : 0.0, z += p;
          }
        const double p = distribution.cells[(i * 4 + j) * 2 + k];
        sum += p * std::log(p * z / (xz * yz));
      }
  return sum;
}
}  // namespace

TEST(discrete_distributions, entropies_and_divergences_have_their_known_values) {
  const double half[] = {0.5, 0.25, 0.25}, other[] = {0.2, 0.3, 0.5}, sure[] = {1.0, 0.0, 0.0};
  EXPECT_NEAR(entropy(half) / std::log(2.0), 1.5, kRounding);
  EXPECT_EQ(entropy(sure), 0.0);
  EXPECT_NEAR(self_information(0.125) / std::log(2.0), 3.0, kRounding);
  EXPECT_NEAR(relative_entropy(half, other),
              0.5 * std::log(2.5) + 0.25 * std::log(0.25 / 0.3) + 0.25 * std::log(0.5), kRounding);
  EXPECT_EQ(relative_entropy(half, sure), kInfinity);
  double hellinger = 0.0;
  for (std::size_t k = 0; k < 3; ++k)
    hellinger += 2.0 * std::pow(std::sqrt(half[k]) - std::sqrt(other[k]), 2);
  EXPECT_NEAR(alpha_divergence(half, other, 0.0), hellinger, kRounding);
  // The limits differ by the order of the step from the end, 1e-6.
  EXPECT_NEAR(alpha_divergence(half, other, 1.0 - 1e-6), relative_entropy(half, other), 1e-5);
  EXPECT_NEAR(alpha_divergence(half, other, -1.0 + 1e-6), relative_entropy(other, half), 1e-5);
}

TEST(discrete_distributions, questions_add_up_to_the_entropy) {
  Rng rng({.seed = testing::test_seed(11), .purpose = purpose::kTest});
  const double coins[] = {0.5, 0.25, 0.25};
  EXPECT_NEAR(entropy_by_questions(coins)[1] / std::log(2.0), 0.5, kRounding);
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> p = random_distribution(6, rng);
    double sum = 0.0;
    for (const double part : entropy_by_questions(p)) sum += part;
    EXPECT_NEAR(sum, entropy(p), kRounding);
  }
}

TEST(discrete_distributions, informations_obey_the_chain_rule_and_lose_along_a_chain) {
  Rng rng({.seed = testing::test_seed(12), .purpose = purpose::kTest});
  for (int k = 0; k < 50; ++k) {
    const JointTable chain = random_chain(rng);
    const double xy = mutual_information(chain, kX, kY), xz = mutual_information(chain, kX, kZ);
    EXPECT_LE(xz, xy + kRounding);                                       // processing loses
    EXPECT_NEAR(mutual_information(chain, kX, kZ, kY), 0.0, kRounding);  // Y is sufficient
    EXPECT_NEAR(xy - xz, mutual_information(chain, kX, kY, kZ), kRounding);
    JointTable any{.sizes = {3, 4, 2}, .cells = random_distribution(24, rng)};
    EXPECT_NEAR(mutual_information(any, kX, kY, kZ), conditional_information(any), kRounding);
    EXPECT_NEAR(mutual_information(any, kZ, kX) + mutual_information(any, kY, kX, kZ),
                mutual_information(any, kYZ, kX), kRounding);
    EXPECT_NEAR(entropy(any.margin(kXY)),
                entropy(any.margin(kX)) + entropy(any.margin(kY)) - mutual_information(any, kX, kY),
                kRounding);
  }
}

TEST(discrete_distributions, the_suite_rejects_a_law_that_is_no_chain) {
  Rng rng({.seed = testing::test_seed(13), .purpose = purpose::kTest});
  JointTable mutant = random_chain(rng);
  std::swap(mutant.cells[0], mutant.cells[13]);
  EXPECT_GT(std::abs(mutual_information(mutant, kX, kZ, kY)), 1e-4);
}

TEST(discrete_distributions, functions_of_a_column_have_no_more_entropy) {
  Rng rng({.seed = testing::test_seed(14), .purpose = purpose::kTest});
  const std::vector<double> p = random_distribution(6, rng);
  // 2^X is injective, and X modulo 3 isn't.
  const std::vector<double> folded{p[0] + p[3], p[1] + p[4], p[2] + p[5]};
  EXPECT_LT(entropy(folded), entropy(p));
  JointTable joint{.sizes = {6, 3}, .cells = std::vector<double>(18, 0.0)};
  for (std::size_t x = 0; x < 6; ++x) joint.cells[x * 3 + x % 3] = p[x];
  EXPECT_NEAR(mutual_information(joint, kX, kY), entropy(folded), kRounding);
}
}  // namespace credo::models::discrete_distributions_test
