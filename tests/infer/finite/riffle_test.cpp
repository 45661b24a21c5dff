// Riffle shuffles: the closed form against the exact matrix of the shuffling code.
#include "infer/finite/riffle.hpp"

#include <gtest/gtest.h>

#include "infer/finite/spectrum.hpp"
#include "support/finite_checks.hpp"

namespace credo::infer::finite::finite_riffle_test {
namespace {

using Deck = std::vector<Index>;

TEST(riffle, of_52_cards_has_the_stated_distances) {
  const std::pair<Index, double> stated[] = {{5, 0.924}, {6, 0.614}, {7, 0.334},
                                             {8, 0.167}, {9, 0.085}, {10, 0.043}};
  for (const auto& [shuffles, distance] : stated)
    EXPECT_NEAR(riffle_distance(52, shuffles), distance, 5.1e-4) << shuffles;  // three decimals
  EXPECT_NEAR(riffle_distance(52, 0), 1.0, 1e-15);
}

TEST(riffle, of_five_cards_is_the_closed_form_of_its_exact_matrix) {
  const auto [chain, decks] = reachable_chain(riffle, Deck{0, 1, 2, 3, 4});
  ASSERT_EQ(chain.num_states(), 120);
  const auto distribution = stationary_distribution(chain);
  for (const double p : distribution) EXPECT_NEAR(p, 1.0 / 120.0, 1e-15);
  for (const Index t : {0, 1, 2, 3, 6})
    EXPECT_NEAR(worst_start(power(chain, t), distribution).distance, riffle_distance(5, t), 1e-14)
        << t;
}

// Not reversible; eigenvalues 2^-k, as many as permutations with n - k cycles.
TEST(riffle, has_eigenvalues_of_powers_of_one_half) {
  const auto [chain, decks] = reachable_chain(riffle, Deck{0, 1, 2, 3});
  const Spectrum spectrum = spectrum_of(chain, stationary_distribution(chain));
  EXPECT_FALSE(spectrum.reversible);
  std::map<Index, Index> counts;
  for (const auto& value : spectrum.values) {
    // equal eigenvalues come apart by rounding; the matrix is diagonalisable, so by little
    EXPECT_NEAR(value.imag(), 0.0, 1e-9);
    EXPECT_NEAR(-std::log2(value.real()), std::round(-std::log2(value.real())), 1e-8);
    ++counts[std::lround(-std::log2(value.real()))];
  }
  EXPECT_EQ(counts, (std::map<Index, Index>{{0, 1}, {1, 6}, {2, 11}, {3, 6}}));
}

// A cut in the middle, always, isn't the shuffle of the closed form.
TEST(riffle, with_a_cut_in_the_middle_is_told_apart) {
  const auto even_cut = [](Deck& deck, Chooser& chooser) {
    Index top = 0, bottom = 2;
    Deck shuffled;
    while (ssize(shuffled) < 4) {
      const std::array left{static_cast<double>(2 - top), static_cast<double>(4 - bottom)};
      shuffled.push_back(deck[chooser.choose(left) == 0 ? top++ : bottom++]);
    }
    deck = shuffled;
  };
  const auto [chain, decks] = reachable_chain(even_cut, Deck{0, 1, 2, 3});
  const auto distribution = stationary_distribution(chain);
  EXPECT_GT(std::fabs(worst_start(power(chain, 2), distribution).distance - riffle_distance(4, 2)),
            0.01);
}

TEST(riffle, of_too_many_cards_is_refused) {
  EXPECT_THROW(riffle_distance(1001, 1), Error);
  EXPECT_THROW(riffle_distance(52, -1), Error);
}

}  // namespace
}  // namespace credo::infer::finite::finite_riffle_test
