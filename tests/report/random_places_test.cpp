// Places of observed values among their replicates: uniform if the model is right, also for whole numbers.
#include "report/random_places.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "results/draws/places.hpp"

namespace credo::report::random_places_test {
namespace {
using Draw = std::function<double(Rng& rng)>;

constexpr Index kReplicates = 100;

// Number of data sets that are judged, and of values in each.
struct Sizes {
  Index num_sets = 100, num_values = 80;
};

results::Replicated data_set(std::uint64_t seed, const Draw& observed, const Draw& replicate,
                             Index num_values = Sizes().num_values) {
  Rng rng({.seed = seed, .purpose = purpose::kTest});
  results::Replicated one;
  one.name = "y", one.is_whole = true;
  for (Index e = 0; e < num_values; ++e) one.observed.push_back(observed(rng));
  for (Index s = 0; s < kReplicates; ++s) {
    auto& draw = one.draws.emplace_back();
    for (Index e = 0; e < num_values; ++e) draw.push_back(replicate(rng));
  }
  return one;
}

Draw coin(double p) {
  return [p](Rng& rng) { return rng.uniform() < p ? 1.0 : 0.0; };
}
// Number of exponential times of mean 1 whose sum is below m, which is Poisson with mean m.
Draw counts(double m) {
  return [m](Rng& rng) {
    double count = -1.0;
    for (double time = 0.0; time < m; count += 1.0) time += rng.exponential();
    return count;
  };
}

double share_accused(const Draw& observed, const Draw& replicate, double level, Sizes sizes) {
  double accused = 0.0;
  for (Index k = 0; k < sizes.num_sets; ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    const auto places = random_places(data_set(seed, observed, replicate, sizes.num_values), 1, 0);
    accused += results::judge_places(places).p_value < level ? 1.0 : 0.0;
  }
  return accused / static_cast<double>(sizes.num_sets);
}

// If the model is right, the share of p-values below 0.05 in 100 sets has a standard error of sqrt(0.05 0.95 / 100) =
// 0.022.
TEST(random_places, accuse_right_models_of_counts_and_of_0_and_1_as_often_as_they_say) {
  const Sizes sizes;
  const double four_errors = 4.0 * std::sqrt(0.05 * 0.95 / static_cast<double>(sizes.num_sets));
  for (const Draw& distribution : {coin(0.3), coin(0.6), counts(1.5), counts(12.0)}) {
    const double share = share_accused(distribution, distribution, 0.05, sizes);
    EXPECT_LT(share, 0.05 + four_errors);
    EXPECT_GT(share, 0.0);
  }
}

// Of n places of the coin Binomial(n, 0.5) lie below 0.7. The model is rejected at 0.01 if their number has a tail
// probability below 0.0003 under Binomial(n, 0.7) (the band of 100 points). That has a probability of 0.63 for 80
// values and of 0.99 for 200: at most 45 of 50 sets are rejected with a probability of 2e-4.
TEST(random_places, accuse_models_of_other_counts) {
  const Sizes sizes = {.num_sets = 50, .num_values = 200};
  EXPECT_GT(share_accused(counts(4.0), counts(2.5), 0.01, sizes), 0.9);
  EXPECT_GT(share_accused(coin(0.5), coin(0.3), 0.01, sizes), 0.9);
}

// Places at the middle of ties, as pictures had them before, reject every right model of 0 and 1.
TEST(random_places, at_the_middle_of_ties_are_not_uniform) {
  const results::Replicated one = data_set(3, coin(0.3), coin(0.3));
  const std::vector<double> middle = results::check_replicated(one, 1, {}).places;
  EXPECT_LT(results::judge_places(middle).p_value, 1e-6);
  EXPECT_GT(results::judge_places(random_places(one, 1, 0)).p_value, 0.01);
}

TEST(random_places, lie_between_the_replicates_below_and_those_not_above_and_follow_from_the_seed) {
  const results::Replicated one = data_set(5, counts(2.0), counts(2.0));
  const std::vector<double> places = random_places(one, 7, 0);
  for (std::size_t e = 0; e < places.size(); ++e) {
    double below = 0.0, not_above = 0.0;
    for (const auto& draw : one.draws) {
      below += draw[e] < one.observed[e] ? 1.0 : 0.0;
      not_above += draw[e] <= one.observed[e] ? 1.0 : 0.0;
    }
    EXPECT_GE(places[e], below / (kReplicates + 1.0));
    EXPECT_LE(places[e], (not_above + 1.0) / (kReplicates + 1.0));
  }
  EXPECT_EQ(places, random_places(one, 7, 0));
  EXPECT_NE(places, random_places(one, 8, 0));
  EXPECT_NE(places, random_places(one, 7, 1));
}

}  // namespace
}  // namespace credo::report::random_places_test
